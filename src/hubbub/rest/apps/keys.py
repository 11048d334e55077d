"""`/apikeys`: read the request, call the domain, write the answer."""

from hubbub.domain.keys import manage
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.records.keys.model import ApiKeyNotFound, NoSelfAction, TooManyKeys
from hubbub.rest.apps.wire import keys as wire
from hubbub.rest.apps.wire.keys import ApiKeyShape, key_shape
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import Listing, SuccessMessage, unpaged

TAG = operation.Tag(
    "API Keys",
    "The keys with which a server calls for an app.",
)


@operation.post("/apikeys", tag=TAG, errors=(TooManyKeys,))
async def create_apikey(call: Call, body: wire.CreateKey) -> ApiKeyShape:
    """Create an API key.

    A key of the scope `fullAccess` may do everything in the app, one of `authOnly` only creates
    users and auth tokens. The key can be read again at any time.
    """
    return key_shape(await manage.create_key(call.runtime, call.app_id, body.name, body.scope))


@operation.get("/apikeys", tag=TAG)
async def list_apikeys(call: Call, query: wire.ListKeys) -> Listing[ApiKeyShape]:
    """List the API keys of the app, newest first; `searchKey` finds a part of the name.

    The keys are shown in clear, so that a lost one can be found; keep the answer secret.
    """
    keys = await manage.list_keys(call.runtime, call.app_id, query.scope, query.search_key)
    return unpaged([key_shape(key) for key in keys])


@operation.get("/apikeys/{apiKey}", tag=TAG, errors=(ApiKeyNotFound,))
async def get_apikey(call: Call, api_key: path.ApiKey) -> ApiKeyShape:
    """Get an API key.

    The answer shows its name, its scope and when it was created.
    """
    return key_shape(await manage.get_key(call.runtime, call.app_id, api_key))


@operation.put("/apikeys/{apiKey}", tag=TAG, errors=(ApiKeyNotFound, NoSelfAction))
async def update_apikey(call: Call, api_key: path.ApiKey, body: wire.UpdateKey) -> ApiKeyShape:
    """Change the name or the scope of an API key; a key can't change itself.

    Absent fields keep their values. Other nodes notice a new scope within five seconds.
    """
    key = await manage.update_key(
        call.runtime, call.app_id, api_key, call.credential, name=body.name, scope=body.scope
    )
    return key_shape(key)


@operation.delete("/apikeys/{apiKey}", tag=TAG, errors=(ApiKeyNotFound, NoSelfAction))
async def delete_apikey(call: Call, api_key: path.ApiKey) -> SuccessMessage:
    """Delete an API key; a key can't delete itself.

    Other nodes refuse it within five seconds. Users stay connected: they have tokens of their
    own.
    """
    await manage.delete_key(call.runtime, call.app_id, api_key, call.credential)
    return SuccessMessage(
        success=True, message=f"The Api Key {api_key} has been deleted successfully."
    )

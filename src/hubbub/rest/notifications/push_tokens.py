"""`/notifications/push/v1/tokens`: read the request, call the domain, write the answer."""

from hubbub.domain.access.people import NotOwnUser
from hubbub.domain.notifications.settings import devices
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import Acting
from hubbub.kernel.errors import BadInput
from hubbub.records.tokens.model import AuthTokenNotFound
from hubbub.rest.notifications.contact_details import TAG
from hubbub.rest.notifications.wire import push_tokens as wire
from hubbub.rest.notifications.wire.push_tokens import push_tokens_shape
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import Success

TOKENS = "/notifications/push/v1/tokens"


@operation.post(TOKENS, tag=TAG, acting=Acting.OPTIONAL, errors=(AuthTokenNotFound, NotOwnUser))
async def register_push_token(call: Call, body: wire.RegisterToken) -> Success:
    """Register a push token for a device of a user, whom the `authToken` names.

    A device registers itself with its auth token in the header; it needs none in the body then.

    Send `fcmToken`, `deviceToken`, `voipToken` or `subscription`, as the `platform` requires.
    Without a `providerId`, the default provider of that kind sends.

    An auth token has one push token, and one for VoIP; a further one replaces it. A push token that
    another user registered moves to this one. It ends with the auth token, also when the user is
    deactivated or deleted. The 101st of a user drops the oldest. A `timezone` becomes the user's.
    """
    registration = body.registration(_bearer_of(call, body.auth_token))
    await devices.register_device(call.runtime, call.app_id, call.actor, registration)
    return Success(success=True)


@operation.get(TOKENS, tag=TAG, acting=Acting.OPTIONAL, errors=(AuthTokenNotFound, NotOwnUser))
async def list_push_tokens(call: Call, query: wire.ListTokens) -> wire.PushTokenList:
    """List the push tokens of an auth token, or all of its user, the latest registration first.

    Each has its platform, its provider and when it was registered. Tokens that the push service
    calls dead are removed by the server.
    """
    auth_token = _bearer_of(call, query.auth_token)
    found = await devices.list_devices(
        call.runtime, call.app_id, call.actor, auth_token, is_for_all=query.all
    )
    return push_tokens_shape(found)


@operation.delete(
    TOKENS,
    tag=TAG,
    acting=Acting.OPTIONAL,
    errors=(AuthTokenNotFound, NotOwnUser),
    is_body_optional=True,
)
async def unregister_push_tokens(
    call: Call, query: wire.ScopeOfTokens, body: wire.UnregisterTokens
) -> wire.PushTokenList:
    """Remove the push tokens of an auth token, or all of its user, and return them.

    These devices get no push any more. Revoking the auth token does the same.
    """
    auth_token = _bearer_of(call, body.auth_token)
    removed = await devices.unregister_devices(
        call.runtime, call.app_id, call.actor, auth_token, is_for_all=query.all
    )
    return push_tokens_shape(removed)


@operation.delete(
    TOKENS + "/{pushToken}",
    tag=TAG,
    acting=Acting.OPTIONAL,
    errors=(AuthTokenNotFound, NotOwnUser),
    is_body_optional=True,
)
async def delete_push_token(
    call: Call, push_token: path.PushToken, body: wire.UnregisterTokens
) -> wire.PushTokenList:
    """Remove a push token of the auth token's user, and return it.

    The answer is empty if the user does not have it. For Web Push, name the endpoint.
    """
    auth_token = _bearer_of(call, body.auth_token)
    removed = await devices.unregister_token(
        call.runtime, call.app_id, call.actor, auth_token, push_token
    )
    return push_tokens_shape(removed)


def _bearer_of(call: Call, given: str | None) -> str:
    """Return the auth token whose push tokens are meant: by default that of the call.

    Raises:
        BadInput: it is missing.
    """
    shown = call.request.header(b"authtoken") if call.is_by_token and call.request else None
    auth_token = given or shown
    if not auth_token:
        raise BadInput.field("authToken", "The authToken field is required.")
    return auth_token

"""`/notifications/push/v1/tokens`: read the request, call the domain, write the answer."""

from hubbub.domain.notifications import devices
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.records.tokens.model import AuthTokenNotFound
from hubbub.rest.notifications.contact_details import TAG
from hubbub.rest.notifications.wire import push_tokens as wire
from hubbub.rest.notifications.wire.push_tokens import push_tokens_shape
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import Success

TOKENS = "/notifications/push/v1/tokens"


@operation.post(TOKENS, tag=TAG, errors=(AuthTokenNotFound,))
async def register_push_token(call: Call, body: wire.RegisterToken) -> Success:
    """Register a push token for a device of a user, whom the `authToken` names.

    Send `fcmToken`, `deviceToken`, `voipToken` or `subscription`, as the `platform` requires.
    Without a `providerId`, the default provider of that kind sends.

    An auth token has one push token, and one for VoIP; a further one replaces it. A push token that
    another user registered moves to this one. It ends with the auth token, also when the user is
    deactivated or deleted. The 101st of a user drops the oldest. A `timezone` becomes the user's.
    """
    await devices.register_device(call.runtime, call.app_id, body.registration())
    return Success(success=True)


@operation.get(TOKENS, tag=TAG, errors=(AuthTokenNotFound,))
async def list_push_tokens(call: Call, query: wire.ListTokens) -> wire.PushTokenList:
    """List the push tokens of an auth token, or all of its user, the latest registration first.

    Each has its platform, its provider and when it was registered. Tokens that the push service
    calls dead are removed by the server.
    """
    found = await devices.list_devices(
        call.runtime, call.app_id, query.auth_token, is_for_all=query.all
    )
    return push_tokens_shape(found)


@operation.delete(TOKENS, tag=TAG, errors=(AuthTokenNotFound,))
async def unregister_push_tokens(
    call: Call, query: wire.ScopeOfTokens, body: wire.UnregisterTokens
) -> wire.PushTokenList:
    """Remove the push tokens of an auth token, or all of its user, and return them.

    These devices get no push any more. Revoking the auth token does the same.
    """
    removed = await devices.unregister_devices(
        call.runtime, call.app_id, body.auth_token, is_for_all=query.all
    )
    return push_tokens_shape(removed)


@operation.delete(TOKENS + "/{pushToken}", tag=TAG, errors=(AuthTokenNotFound,))
async def delete_push_token(
    call: Call, push_token: path.PushToken, body: wire.UnregisterTokens
) -> wire.PushTokenList:
    """Remove a push token of the auth token's user, and return it.

    The answer is empty if the user does not have it. For Web Push, name the endpoint.
    """
    removed = await devices.unregister_token(call.runtime, call.app_id, body.auth_token, push_token)
    return push_tokens_shape(removed)

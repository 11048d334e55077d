"""`/users/{uid}/auth_tokens`: read the request, call the domain, write the answer."""

from hubbub.domain.access.people import NotOwnUser
from hubbub.domain.tokens import manage
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import AUTH_ONLY, Acting
from hubbub.records.tokens.model import AuthToken, AuthTokenNotAccessible, AuthTokenNotFound
from hubbub.records.users.model import UidNotFound
from hubbub.rest.people.wire import tokens as wire
from hubbub.rest.people.wire.tokens import AuthTokenShape, token_shape
from hubbub.rest.wire.shapes import Done, Listing, PageQuery, listing

TAG = "Auth Tokens"
TOKENS = "/users/{uid}/auth_tokens"
ONE = "/users/{uid}/auth_tokens/{authToken}"
ERRORS = (UidNotFound, AuthTokenNotFound, AuthTokenNotAccessible)


@operation.post(TOKENS, tag=TAG, key=AUTH_ONLY, errors=(UidNotFound,))
async def create_authtoken(call: Call, uid: str, body: wire.CreateToken) -> AuthTokenShape:
    """Make an auth token for a user's device.

    Without `force` the user's newest token is returned when he has one.
    """
    token = await manage.create_token(call.runtime, call.app_id, uid, is_forced=body.force)
    return token_shape(token)


@operation.get(TOKENS, tag=TAG, errors=(UidNotFound,))
async def list_authtokens(call: Call, uid: str, query: PageQuery) -> Listing[AuthTokenShape]:
    """List a user's auth tokens, newest first."""
    page = await manage.list_tokens(call.runtime, call.app_id, uid, query.request())
    return listing(page, [token_shape(token) for token in page.items])


@operation.delete(
    TOKENS,
    tag=TAG,
    acting=Acting.OPTIONAL,
    for_users=True,
    features=("logout",),
    errors=(UidNotFound, NotOwnUser),
)
async def flush_authtokens(call: Call, uid: str) -> Done:
    """Revoke all auth tokens of a user; he may do so himself."""
    await manage.flush_tokens(call.runtime, call.app_id, call.actor, uid)
    return Done(success=True, message=f"Cleared Auth Tokens successfully for uid {uid}.")


@operation.get(ONE, tag=TAG, errors=ERRORS)
async def get_authtoken(call: Call, uid: str, auth_token: str) -> AuthTokenShape:
    """Get an auth token of a user."""
    return token_shape(await manage.get_token(call.runtime, call.app_id, uid, auth_token))


@operation.put(
    ONE,
    tag=TAG,
    acting=Acting.OPTIONAL,
    for_users=True,
    features=("updateAuthToken",),
    errors=(*ERRORS, NotOwnUser),
)
async def update_authtoken(
    call: Call, uid: str, auth_token: str, body: wire.UpdateToken
) -> AuthTokenShape:
    """Note on which device an auth token is used."""
    named = AuthToken(uid, auth_token, 0, body.platform, body.user_agent)
    token = await manage.update_token(call.runtime, call.app_id, call.actor, named, body.app_info)
    return token_shape(token)


@operation.delete(
    ONE,
    tag=TAG,
    acting=Acting.OPTIONAL,
    for_users=True,
    features=("logout",),
    errors=(*ERRORS, NotOwnUser),
)
async def delete_authtoken(call: Call, uid: str, auth_token: str) -> Done:
    """Revoke an auth token; its user may do so himself, which is logging out."""
    await manage.delete_token(call.runtime, call.app_id, call.actor, uid, auth_token)
    return Done(success=True, message=f"Deleted Auth Token successfully for uid {uid}.")

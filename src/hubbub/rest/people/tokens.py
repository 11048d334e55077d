"""`/users/{uid}/auth_tokens`: read the request, call the domain, write the answer."""

from typing import Annotated

import msgspec
from msgspec import Meta

from hubbub.domain.access.people import NotOwnUser
from hubbub.domain.tokens import manage
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import AUTH_ONLY, Acting
from hubbub.records.tokens.model import (
    LONGEST_LIFE,
    SHORTEST_LIFE,
    AuthToken,
    AuthTokenNotAccessible,
    AuthTokenNotFound,
    TokenWish,
)
from hubbub.records.users.model import UidNotFound
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import Json, Listing, PageQuery, Shape, SuccessMessage, page_answer


class AuthTokenShape(Shape):
    """An auth token."""

    uid: str
    auth_token: str
    created_at: int
    platform: str | None = None
    user_agent: str | None = None
    app_info: Json | None = None
    device: str | None = None
    expires_at: int | None = None


def token_shape(token: AuthToken) -> AuthTokenShape:
    """Return an auth token on the wire."""
    return AuthTokenShape(
        uid=token.uid,
        auth_token=token.auth_token,
        created_at=token.created_at,
        platform=token.platform,
        user_agent=token.user_agent,
        app_info=None if token.app_info is None else msgspec.json.decode(token.app_info),
        device=token.device,
        expires_at=token.expires_at,
    )


class CreateToken(Shape):
    """The way in which a token is created; with any of the fields always a new one."""

    force: bool = False
    expires_in: Annotated[int, Meta(ge=SHORTEST_LIFE, le=LONGEST_LIFE)] | None = None
    device: Annotated[str, Meta(min_length=1, max_length=200)] | None = None


class UpdateToken(Shape):
    """The device on which a token is used."""

    platform: Annotated[str, Meta(max_length=100)] | None = None
    user_agent: Annotated[str, Meta(max_length=1000)] | None = None
    app_info: Json | None = None


TAG = operation.Tag(
    "Auth Tokens",
    "Tokens with which users call themselves.",
)
TOKENS = "/users/{uid}/auth_tokens"
ONE = "/users/{uid}/auth_tokens/{authToken}"
ERRORS = (UidNotFound, AuthTokenNotFound, AuthTokenNotAccessible)


@operation.post(TOKENS, tag=TAG, key=AUTH_ONLY, errors=(UidNotFound,), is_body_optional=True)
async def create_authtoken(call: Call, uid: path.Uid, body: CreateToken) -> AuthTokenShape:
    """Create an auth token for the login of a user.

    After a login in your application, your server requests it and gives it to the device.

    Without a field, the newest token of the user is returned if there is one, and at least half of
    its life is left. With `expiresIn` it ends by itself after so many seconds, otherwise as the
    settings of the app say. Then it is refused like one that was revoked; sockets are warned 60
    seconds before, and closed with the code 4401.
    """
    wish = TokenWish(body.force, body.expires_in, body.device)
    return token_shape(await manage.create_token(call.runtime, call.app_id, uid, wish))


@operation.get(TOKENS, tag=TAG, errors=(UidNotFound,))
async def list_authtokens(call: Call, uid: path.Uid, query: PageQuery) -> Listing[AuthTokenShape]:
    """List the auth tokens of a user, newest first.

    Each has its device, if that was stored, and when it was created. Tokens are shown in clear:
    keep the answer secret.
    """
    page = await manage.list_tokens(call.runtime, call.app_id, uid, query.request())
    return page_answer(page, [token_shape(token) for token in page.items])


@operation.delete(
    TOKENS, tag=TAG, acting=Acting.OPTIONAL, features=("logout",), errors=(UidNotFound, NotOwnUser)
)
async def flush_authtokens(call: Call, uid: path.Uid) -> SuccessMessage:
    """Revoke all auth tokens of a user; a user can revoke their own.

    Sockets that were opened with them are closed with the code 4401, and devices that were
    registered with them get no push any more.
    """
    await manage.flush_tokens(call.runtime, call.app_id, call.actor, uid)
    return SuccessMessage(success=True, message=f"Cleared Auth Tokens successfully for uid {uid}.")


@operation.get(ONE, tag=TAG, errors=ERRORS)
async def get_authtoken(call: Call, uid: path.Uid, auth_token: path.AuthToken) -> AuthTokenShape:
    """Get an auth token of a user.

    The answer has the device, if one was stored.
    """
    return token_shape(await manage.get_token(call.runtime, call.app_id, uid, auth_token))


@operation.put(
    ONE,
    tag=TAG,
    acting=Acting.OPTIONAL,
    features=("updateAuthToken",),
    errors=(*ERRORS, NotOwnUser),
)
async def update_authtoken(
    call: Call, uid: path.Uid, auth_token: path.AuthToken, body: UpdateToken
) -> AuthTokenShape:
    """Store the device on which an auth token is used.

    `platform`, `userAgent` and `appInfo` are kept for your own lists; the server does nothing by
    them.
    """
    named = AuthToken(uid, auth_token, 0, body.platform, body.user_agent)
    token = await manage.update_token(call.runtime, call.app_id, call.actor, named, body.app_info)
    return token_shape(token)


@operation.delete(
    ONE, tag=TAG, acting=Acting.OPTIONAL, features=("logout",), errors=(*ERRORS, NotOwnUser)
)
async def delete_authtoken(call: Call, uid: path.Uid, auth_token: path.AuthToken) -> SuccessMessage:
    """Revoke an auth token; a user can revoke their own to log out.

    Sockets that were opened with it are closed with the code 4401, and devices that were
    registered with it get no push any more.
    """
    await manage.delete_token(call.runtime, call.app_id, call.actor, uid, auth_token)
    return SuccessMessage(success=True, message=f"Deleted Auth Token successfully for uid {uid}.")

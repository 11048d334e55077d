"""The shapes of auth tokens."""

from typing import Annotated

import msgspec
from msgspec import Meta

from hubbub.records.tokens.model import AuthToken
from hubbub.rest.wire.shapes import Json, Shape


class AuthTokenShape(Shape):
    """An auth token."""

    uid: str
    auth_token: str
    created_at: int
    platform: str | None = None
    user_agent: str | None = None
    app_info: Json | None = None


def token_shape(token: AuthToken) -> AuthTokenShape:
    """Return an auth token on the wire."""
    return AuthTokenShape(
        uid=token.uid,
        auth_token=token.auth_token,
        created_at=token.created_at,
        platform=token.platform,
        user_agent=token.user_agent,
        app_info=None if token.app_info is None else msgspec.json.decode(token.app_info),
    )


class CreateToken(Shape):
    """The way in which a token is created; with `force` always a new one."""

    force: bool = False


class UpdateToken(Shape):
    """The device on which a token is used."""

    platform: Annotated[str, Meta(max_length=100)] | None = None
    user_agent: Annotated[str, Meta(max_length=1000)] | None = None
    app_info: Json | None = None

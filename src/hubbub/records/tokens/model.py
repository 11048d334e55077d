"""What an auth token is, and what can be wrong about one."""

from dataclasses import dataclass

from hubbub.kernel.errors import Forbidden, NotFound
from hubbub.kernel.ids import Ids

RANDOM_DIGITS = 30


class AuthTokenNotFound(NotFound):
    """The user has no such token."""

    code = "ERR_AUTH_TOKEN_NOT_FOUND"

    def __init__(self, uid: str) -> None:
        super().__init__(f"The user with UID {uid} has no such auth token.")


class AuthTokenNotAccessible(Forbidden):
    """The token is somebody else's."""

    code = "ERR_AUTHTOKEN_NOT_ACCESSIBLE"

    def __init__(self) -> None:
        super().__init__("The auth token belongs to another user.")


@dataclass(frozen=True, slots=True)
class AuthToken:
    """A token in the clear; `app_info` is JSON text."""

    uid: str
    auth_token: str
    created_at: int
    platform: str | None = None
    user_agent: str | None = None
    app_info: str | None = None


def make_token(ids: Ids, uid: str, now: int) -> AuthToken:
    """A new token, in the form `<uid>_<10-digit second><30 hexadecimal digits>`."""
    return AuthToken(uid, f"{uid}_{now:010d}{ids.hexadecimal(RANDOM_DIGITS)}", now)

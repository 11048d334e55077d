"""Auth tokens and their errors."""

from dataclasses import dataclass

from hubbub.kernel.errors import Forbidden, NotFound
from hubbub.kernel.ids import Ids

RANDOM_DIGITS = 30


class AuthTokenNotFound(NotFound):
    """The user does not have the token; if no uid is given, no active user has it."""

    code = "ERR_AUTH_TOKEN_NOT_FOUND"

    def __init__(self, uid: str | None = None) -> None:
        unowned = "No active user has this auth token."
        super().__init__(f"The user with UID {uid} has no such auth token." if uid else unowned)


class AuthTokenNotAccessible(Forbidden):
    """The token belongs to another user."""

    code = "ERR_AUTHTOKEN_NOT_ACCESSIBLE"

    def __init__(self) -> None:
        super().__init__("The auth token belongs to another user.")


@dataclass(frozen=True, slots=True)
class AuthToken:
    """A token in plaintext; `app_info` is JSON text."""

    uid: str
    auth_token: str
    created_at: int
    platform: str | None = None
    user_agent: str | None = None
    app_info: str | None = None


def make_token(ids: Ids, uid: str, now: int) -> AuthToken:
    """Return a new token of the form `<uid>_<10-digit second><30 hexadecimal digits>`."""
    return AuthToken(uid, f"{uid}_{now:010d}{ids.hexadecimal(RANDOM_DIGITS)}", now)

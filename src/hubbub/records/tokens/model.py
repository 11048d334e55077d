"""Auth tokens and their errors."""

import re
from dataclasses import dataclass, replace

from hubbub.kernel.errors import BadInput, Forbidden, NotFound
from hubbub.kernel.ids import Ids
from hubbub.records.settings.model import (
    LONGEST_TOKEN_SECONDS,
    TEN_YEARS,
    TOKEN_SECONDS,
    AppSettings,
)

RANDOM_DIGITS = 30
SHORTEST_LIFE = 10
LONGEST_LIFE = TEN_YEARS
"""The seconds after which a token may end."""
WARNED_BEFORE = 60
"""A session is warned so many seconds before its token ends."""
SESSION_DIGITS = 32
"""The digits of the keyed hash of a token by which its session is named."""
_JWT = "jwt "
_SESSION_ID = re.compile(rf"[0-9a-f]{{{SESSION_DIGITS}}}")


class AuthTokenNotFound(NotFound):
    """The user does not have the token; if no uid is given, no active user has it."""

    code = "ERR_AUTH_TOKEN_NOT_FOUND"

    def __init__(self, uid: str | None = None) -> None:
        unowned = "No active user has this auth token."
        super().__init__(f"The user with UID {uid} has no such auth token." if uid else unowned)


class SessionNotFound(NotFound):
    """The user does not have the session: its token was revoked, or has ended."""

    code = "ERR_SESSION_NOT_FOUND"

    def __init__(self, uid: str) -> None:
        super().__init__(f"The user with UID {uid} has no such session.")


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
    device: str | None = None
    """The device that it was made for, in any words."""
    expires_at: int | None = None
    """When it ends; None if it does not end by itself."""

    def will_do(self, now: int, life: int | None) -> bool:
        """Return whether it may be given out in place of a new one, which would end after `life`.

        At least half of its own life is left, and it does not outlive the new one.
        """
        if self.expires_at is None:
            return life is None
        left = self.expires_at - now
        is_short = life is None or left <= life
        return is_short and 2 * left >= self.expires_at - self.created_at


@dataclass(frozen=True, slots=True)
class TokenSession:
    """A session of a user, without its token: that may be shown to the user."""

    hash: str
    created_at: int
    platform: str | None
    user_agent: str | None
    device: str | None
    expires_at: int | None
    is_current: bool = False
    """Whether the token of the call is that of the session."""

    @property
    def id(self) -> str:
        """Return the name of the session; the token can't be learnt from it."""
        return self.hash[:SESSION_DIGITS]

    def seen_by(self, token: str | None) -> "TokenSession":
        """Return it as the bearer of a token sees it, given by its keyed hash."""
        return replace(self, is_current=self.hash == token)


@dataclass(frozen=True, slots=True)
class TokenWish:
    """What is wanted of a new token."""

    is_forced: bool = False
    expires_in: int | None = None
    """Its life in seconds; None: as the app has set it."""
    device: str | None = None

    @property
    def is_for_new(self) -> bool:
        """Return whether a token that the user has already would not do."""
        return self.is_forced or self.expires_in is not None or self.device is not None


def name_jwt(issued_at: int) -> str:
    """Return what a session knows of its JWT in place of the keyed hash of an auth token."""
    return f"{_JWT}{issued_at}"


def when_issued(token: str) -> int | None:
    """Return when the JWT was issued that `name_jwt` has named; None for a keyed hash."""
    return int(token.removeprefix(_JWT)) if token.startswith(_JWT) else None


def is_session_id(text: str) -> bool:
    """Return whether a text may be the name of a session."""
    return _SESSION_ID.fullmatch(text) is not None


def make_token(ids: Ids, uid: str, now: int) -> AuthToken:
    """Return a new token of the form `<uid>_<10-digit second><30 hexadecimal digits>`."""
    return AuthToken(uid, f"{uid}_{now:010d}{ids.hexadecimal(RANDOM_DIGITS)}", now)


def life_of(settings: AppSettings, wanted: int | None) -> int | None:
    """Return the seconds after which a new token ends, as the app has set it; None: never.

    Raises:
        BadInput: it should live longer than the app allows.
    """
    default, longest = settings.limit(TOKEN_SECONDS), settings.limit(LONGEST_TOKEN_SECONDS)
    if wanted is None:
        return min(filter(None, (default, longest)), default=None)
    if longest and wanted > longest:
        raise BadInput.field(
            "expiresIn",
            f"This is at most {longest:,} seconds: the app's setting {LONGEST_TOKEN_SECONDS}.",
        )
    return wanted

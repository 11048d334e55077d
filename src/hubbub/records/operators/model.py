"""Operators with their roles, and their sessions."""

import enum
import re
from dataclasses import dataclass, field

from hubbub.kernel.errors import BadInput, Conflict, NotFound

SESSION_SECONDS = 12 * 3600
"""How long a session lasts at most."""
IDLE_SECONDS = 30 * 60
"""After so long without a call a session has ended."""
SHORTEST_PASSWORD, LONGEST_PASSWORD = 12, 200
ALL_APPS = ""
_NAME = re.compile(r"[a-z0-9][a-z0-9._@-]{0,63}")


class OperatorRole(enum.StrEnum):
    """The roles of operators, from the one that may do most."""

    OWNER = "owner"
    ADMIN = "admin"
    MODERATOR = "moderator"
    DEVELOPER = "developer"


class OperatorNotFound(NotFound):
    """There is no operator with that name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"There is no operator {name}.")


class OperatorAlreadyExists(Conflict):
    """The name is taken."""

    def __init__(self, name: str) -> None:
        super().__init__(f"There is an operator {name} already.")


@dataclass(frozen=True, slots=True)
class Operator:
    """A person who uses the console, as far as it is no secret."""

    name: str
    role: OperatorRole
    app: str
    """The only app that they may see, or `ALL_APPS`."""
    created_at: int
    has_totp: bool

    def may_see(self, app_id: str) -> bool:
        """Return whether an app is theirs; `ALL_APPS` is that of those who may see all."""
        return self.app in (ALL_APPS, app_id)


@dataclass(frozen=True, slots=True)
class Credentials:
    """What an operator signs in with, besides their name."""

    password_hash: str = field(repr=False)
    totp: str | None = field(repr=False)
    """The sealed secret of their one-time codes."""
    totp_step: int


@dataclass(frozen=True, slots=True)
class OperatorSession:
    """A session that has not ended, and whose it is."""

    hash: str
    operator: Operator
    used_at: int


def check_name(name: str) -> str:
    """Return the name of an operator, in lower case.

    Raises:
        BadInput: it can't be one.
    """
    name = name.lower()
    if not _NAME.fullmatch(name):
        raise BadInput.field("name", "The name must be 1 to 64 of a-z, 0-9, and . _ @ -.")
    return name


def check_password(password: str) -> str:
    """Return a password that is long enough.

    Raises:
        BadInput: it is too short or too long.
    """
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise BadInput.field(
            "password",
            f"The password must have {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters.",
        )
    return password

"""Entries of the audit log, and conditions of its lists."""

from dataclasses import dataclass

import msgspec

COMMAND_LINE = "(command line)"
"""The operator of what was done by a command; no operator can have this name."""

API_KEY = "(API key)"
"""The operator of a review that the app's server decided."""
PORTAL_LINK = "(portal link)"
"""The operator of what was done by a link to the portal of a webhook."""

IDENTITY_PROVIDER = "(identity provider)"
"""The operator of a sign-in by an OpenID provider that was refused."""


@dataclass(frozen=True, slots=True)
class Doer:
    """An operator, and the address from which they act."""

    name: str
    address: str = ""


class AuditEntry(msgspec.Struct, frozen=True):
    """A change that an operator made, or a look at a secret or at content."""

    at: int
    """In milliseconds."""
    id: str
    operator: str
    app: str
    """Empty for what concerns the whole installation."""
    action: str
    """Noun and verb, such as `key.delete`."""
    subject: str
    """What it was done to: an id within the app, or a name."""
    before: str | None
    """JSON; None where there was nothing, or nothing to say."""
    after: str | None
    address: str
    events: str | None = None
    """The id of the event that the change announced, or of the first with the last number."""

    @property
    def position(self) -> "AuditPosition":
        return AuditPosition(self.at, self.id)


@dataclass(frozen=True, slots=True)
class AuditPosition:
    """A place in the log, which is ordered by time, then id."""

    at: int
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """The conditions of a list of entries; None is no condition."""

    app: str | None = None
    operator: str | None = None
    action: str | None = None
    """An action, or the noun before its dot."""
    subject: str | None = None
    since: int | None = None
    """In milliseconds, included."""
    before: AuditPosition | None = None
    after: AuditPosition | None = None

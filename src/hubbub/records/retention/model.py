"""Rules of retention, legal holds, the queue of removals, and the errors of setting them."""

from dataclasses import dataclass

import msgspec

from hubbub.kernel.clock import NEVER
from hubbub.kernel.errors import BadInput, Forbidden
from hubbub.outbox.work import queue as work
from hubbub.records.settings.model import (
    DISAPPEAR_AFTER,
    DISAPPEAR_FROM,
    RETENTION_DAYS,
    AppSettings,
)

APP, GROUP, USER = "app", "group", "user"
"""What a legal hold may be on."""
SENT, READ = "sent", "read"
"""From when the time of a message that disappears counts."""
DAY_SECONDS = 86_400
MUIDS = 0
"""The conversation of the rows that only say which muids were used."""


class RetentionNotAllowed(Forbidden):
    """The app alone decides how long messages are kept."""

    code = "ERR_RETENTION_NOT_ALLOWED"

    def __init__(self, what: str) -> None:
        super().__init__(f"Users of this app may not set {what}.")


class NothingToSet(BadInput):
    """The request names none of the values."""

    def __init__(self) -> None:
        super().__init__(
            "Failed to validate the data sent with the request.",
            details={"days": ["Give days, disappearAfter or disappearFrom."]},
        )


@dataclass(frozen=True, slots=True)
class LegalHold:
    """Something of which no message is removed by its age."""

    kind: str
    subject: str
    """A guid or a uid; empty for the app."""
    since: int


@dataclass(frozen=True, slots=True)
class RetentionRule:
    """How long a conversation keeps its messages; None is as the app has it."""

    conversation: int
    days: int | None = None
    """0: for ever."""
    disappear_after: int | None = None
    """In seconds; 0: never."""
    disappear_from: str | None = None
    since_id: int = 0
    """Only messages after this one disappear: it was the newest when that was set."""
    due_at: int = NEVER
    """When the next one may have to, in milliseconds."""


@dataclass(frozen=True, slots=True)
class Kept:
    """How long messages are kept, as it is in effect."""

    days: int
    disappear_after: int
    disappear_from: str


def kept_by(settings: AppSettings, rule: RetentionRule | None) -> Kept:
    """Return how long a conversation keeps its messages: what its rule leaves open, the app says.

    When messages disappear is one decision: who says after how long, says from when on, too.
    """
    own = rule or RetentionRule(0)
    days = settings.limit(RETENTION_DAYS) if own.days is None else own.days
    if own.disappear_after is None:
        return Kept(days, settings.limit(DISAPPEAR_AFTER), settings.text(DISAPPEAR_FROM))
    return Kept(days, own.disappear_after, own.disappear_from or SENT)


@dataclass(frozen=True, slots=True)
class RetentionQueue(work.Queue):
    """The removals of an app, and how far the run under way is; times in milliseconds."""

    next_run_at: int
    """When old messages are looked for next; `NEVER` if all are kept for ever."""
    began_at: int
    """When the run under way began; 0 if none is."""
    at_conversation: int
    at_sent_at: int
    at_id: int
    messages: int
    files: int
    adopt_at: int
    """When conversations without a rule are looked for next; `NEVER` if the app lets no messages
    disappear."""
    adopted: int
    """The last conversation that was looked at."""
    since_id: int


@dataclass(frozen=True, slots=True)
class RetentionRun:
    """What a run has removed; times in milliseconds."""

    began_at: int
    ended_at: int
    messages: int
    files: int


class Ageing(msgspec.Struct, gc=False):
    """A message whose time may be over."""

    id: int
    conversation: int
    tags: str
    sender: str
    sent_at: int
    counts: bool
    traits: int
    muid: str | None
    is_held: bool
    """Whether its sender is on hold."""


@dataclass(frozen=True, slots=True)
class Aged:
    """A conversation with its own days and the time of its oldest message, if it has one."""

    conversation: int
    days: int | None
    oldest: int | None


@dataclass(frozen=True, slots=True)
class ReadUpTo:
    """Up to which message everything of a sender was read, by a time; `sender` '': of all."""

    sender: str
    upto: int

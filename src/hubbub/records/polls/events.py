"""Events of polls.

They hold no counts and no options: readers are shown both as they are when the event is rendered.
"""

import msgspec

from hubbub.outbox.audience import OWN_SESSIONS, PARTICIPANTS_OF_MESSAGE
from hubbub.outbox.registry import event


@event(
    "poll_voted",
    "A user voted in a poll, or took their votes back.",
    told=OWN_SESSIONS,
    actor="uid",
    trigger="message",
)
class PollVoted(msgspec.Struct, frozen=True, kw_only=True):
    """The user voted for other options of the poll than before, or for none."""

    message: int
    conversation: int
    uid: str
    at: int


class PollEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Something happened to a poll as a whole."""

    message: int
    conversation: int
    at: int


@event(
    "poll_updated",
    "The counts of a poll have changed; at most once a second for each poll.",
    told=PARTICIPANTS_OF_MESSAGE,
    actor=None,
)
class PollUpdated(PollEvent, frozen=True, kw_only=True):
    """Votes were given or taken back since the counts were told last."""


@event(
    "poll_closed",
    "A poll was closed, by somebody or by its time.",
    told=PARTICIPANTS_OF_MESSAGE,
    actor="by",
    trigger="message",
)
class PollClosed(PollEvent, frozen=True, kw_only=True):
    """Nobody may vote any more; `by` is None if its time had come."""

    by: str | None = None

"""Polls and votes, and the refusals about them."""

from collections.abc import Iterable
from dataclasses import dataclass

from hubbub.kernel.clock import NEVER
from hubbub.kernel.errors import Conflict, Forbidden

POLL = "poll"
"""The type of the messages, of the category `interactive`."""
FEWEST_OPTIONS, MOST_OPTIONS = 2, 20
LONGEST_QUESTION = 300
LONGEST_OPTION = 100
TELLING_SECONDS = 1
"""So often at most the counts of a poll are announced."""
NO_VOTES = 0
"""The bits of the options of a user who has voted for none."""


class NotAPoll(Forbidden):
    """The message is no poll."""

    code = "ERR_MESSAGE_ACTION_NOT_ALLOWED"

    def __init__(self, message_id: int) -> None:
        super().__init__(f"The message with id {message_id} is no poll.")


class PollIsClosed(Conflict):
    """Nobody may vote any more."""

    code = "ERR_POLL_CLOSED"

    def __init__(self, message_id: int) -> None:
        super().__init__(f"The poll with the message id {message_id} is closed.")


class PollHasVotes(Conflict):
    """What people have voted on stays as it was."""

    code = "ERR_POLL_HAS_VOTES"

    def __init__(self, message_id: int, fields: Iterable[str]) -> None:
        super().__init__(
            f"The poll with the message id {message_id} has votes, or is closed.",
            details={f"data.{name}": ["This can't be changed any more."] for name in fields},
        )


class VotesAreAnonymous(Forbidden):
    """Nobody is told who has voted."""

    code = "ERR_POLL_ANONYMOUS"

    def __init__(self, message_id: int) -> None:
        super().__init__(f"The poll with the message id {message_id} is anonymous.")


@dataclass(frozen=True, slots=True)
class Poll:
    """A row of `polls`; its columns are explained in the schema."""

    message: int
    conversation: int
    options: int
    votes_per_user: int
    is_anonymous: bool
    closes_at: int | None
    closed_at: int | None = None
    closed_by: str | None = None
    voters: int = 0
    told_at: int = 0
    is_stale: bool = False
    due_at: int = NEVER

    def is_closed(self, now: int) -> bool:
        """Return whether votes are refused, also if the closing was not announced yet."""
        return self.closed_at is not None or self.is_over(now)

    def is_over(self, now: int) -> bool:
        """Return whether the time at which it closes has come."""
        return self.closes_at is not None and self.closes_at <= now

    def find_due(self) -> int:
        """Return when something is to be done, in milliseconds: it closes, or counts are told."""
        closes = self.closes_at if self.closed_at is None else None
        tells = self.told_at + TELLING_SECONDS if self.is_stale else None
        return min((1000 * each for each in (closes, tells) if each is not None), default=NEVER)


@dataclass(frozen=True, slots=True)
class Vote:
    """The options of a poll for which a user has voted, as bits; `number` is that of its event."""

    message: int
    uid: str
    options: int
    number: int
    voted_at: int

    @property
    def key(self) -> tuple[int, str]:
        """The message and the user, which are unique together."""
        return self.message, self.uid


def bits_of(options: Iterable[int]) -> int:
    """Return options, numbered from 0, as bits."""
    bits = NO_VOTES
    for option in options:
        bits |= 1 << option
    return bits


def options_in(bits: int) -> list[int]:
    """Return the options of which the bits are set, from 0."""
    return [option for option in range(MOST_OPTIONS) if bits >> option & 1]

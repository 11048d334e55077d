"""A plain model of what metrics count: lists of what happened, and sets of who was active."""

from collections import defaultdict
from dataclasses import dataclass, field

from hubbub.records.metrics.model import day_of

Holder = tuple[str, int]
"""A user: their uid, and how many others had it before."""


@dataclass(slots=True)
class Model:
    """Everything that happened in an app."""

    active: set[tuple[Holder, int]] = field(default_factory=set)
    """Who was active on which day."""
    sent: list[int] = field(default_factory=list)
    """The times of messages, and below of marks."""
    read: list[int] = field(default_factory=list)
    delivered: list[int] = field(default_factory=list)
    newest: dict[str, int] = field(default_factory=dict)
    """The newest message or action message, by conversation."""
    reached: dict[tuple[str, str, str], int] = field(default_factory=lambda: defaultdict(int))
    """The message that marks have reached, by kind, conversation and uid."""
    erased: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    """The number of former holders, by uid."""

    def act(self, uid: str, at: int) -> None:
        """Note that a user did something."""
        self.active.add(((uid, self.erased[uid]), day_of(at)))

    def mark(self, kind: str, conversation: str, uid: str, at: int) -> bool:
        """Note that a user marked a conversation; return whether that was a receipt."""
        upto = self.newest[conversation]
        if upto <= self.reached[kind, conversation, uid]:
            return False
        self.reached[kind, conversation, uid] = upto
        if kind == "read":
            self.reached["delivered", conversation, uid] = upto
        (self.read if kind == "read" else self.delivered).append(at)
        return True

    def erase(self, uid: str) -> None:
        """Note that a user was deleted permanently, with their conversations of two."""
        self.erased[uid] += 1
        for name in [name for name in self.newest if uid in name.split("+")]:
            del self.newest[name]
            for key in [key for key in self.reached if key[1] == name]:
                del self.reached[key]

    def active_in(self, first_day: int, last_day: int) -> int:
        """Return the number of users who were active in a range of days."""
        return len({holder for holder, day in self.active if first_day <= day <= last_day})

    def counted(self, start_ms: int, end_ms: int) -> tuple[int, int, int]:
        """Return the messages, reads and deliveries from a time on and before another."""
        times = (self.sent, self.read, self.delivered)
        sent, read, delivered = (
            sum(start_ms <= at * 1000 < end_ms for at in some) for some in times
        )
        return sent, read, delivered

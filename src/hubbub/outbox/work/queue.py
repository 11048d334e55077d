"""A queue as it is stored: when something in it is due, and which run has its lease.

Each kind of work has a table of queues, whose rows are a subclass of `Queue`. Times of this package
are in milliseconds where nothing else is said.
"""

from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from hubbub.kernel.clock import LONGEST_STEP_MS, NEVER, is_set_back

Name = TypeVar("Name")


class Due(NamedTuple, Generic[Name]):
    """A queue in which something is due."""

    app_id: str
    queue: Name


@dataclass(frozen=True, slots=True)
class Queue:
    """When there is something to do, and who does it."""

    due_at: int
    """`NEVER` if nothing waits, or nothing is to be done."""
    lease: str
    """The token of the run that works, until `leased_until`; a run without it stores nothing."""
    leased_until: int
    stored_at: int
    """When it was stored last: by it, a run sees that the clock was set back since."""

    @property
    def begins_at(self) -> int:
        """Return from when on a run may take the lease."""
        return self.due_at

    def is_leased(self, now: int, lease_ms: int) -> bool:
        """Return whether a run has the lease; one that ends later than any can is not believed."""
        return self.leased_until > now and not is_set_back(self.leased_until, now + lease_ms)


Bounds = dict[str, int]


def due_bounds(now: int, lease_ms: int, *, limit: int) -> Bounds:
    """Return the parameters of a statement that lists due queues of all apps.

    It finds what is due and not leased, and what was stored before the clock was set back: those
    times say nothing.
    """
    return {
        "now": now,
        "before": NEVER,
        "ahead": now + LONGEST_STEP_MS,
        "latest_lease": now + lease_ms + LONGEST_STEP_MS,
        "limit": limit,
    }

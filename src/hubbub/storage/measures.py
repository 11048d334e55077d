"""Measures of an engine: what its transactions take, and what waits."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from hubbub.kernel.measures import Histogram

SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)
SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500)


def _seconds() -> Histogram:
    return Histogram(SECONDS)


class StoreFault(StrEnum):
    """Why the store is of no use as it is; the text is shown to strangers."""

    UNWRITABLE = "The database can't be written: its disk is full or fails, or it is read-only."
    DAMAGED = "The database is damaged. The log of the node has the reason."


@dataclass(slots=True, eq=False)
class EngineMeasures:
    """The measures that an engine takes; those that it has no use for stay zero."""

    commits: Histogram = field(default_factory=_seconds)
    """The commits of writes. An optimistic write is one statement, which is its commit too."""
    writes: Histogram = field(default_factory=_seconds)
    """Transactions that write, from begin to commit; of all tries the one that succeeded."""
    reads: Histogram = field(default_factory=_seconds)
    """Readings, with the time that they waited for a thread or a connection."""
    checkpoints: Histogram = field(default_factory=_seconds)
    operations: Histogram = field(default_factory=lambda: Histogram(SIZES))
    """How many operations a commit has stored."""
    failures: int = 0
    """Transactions that the database failed to store."""
    fault: StoreFault | None = None
    """What the engine has met; it stands until a write succeeds, damage until a restart."""
    retries: int = 0
    """Transactions that were run again after a conflict."""
    log_bytes: int = 0
    """What of SQLite's write-ahead log was in use when it was last looked at."""
    count_waiting: Callable[[], Mapping[str, int]] = dict
    """Returns the depths of the queues of the engine by their names."""
    count_connections: Callable[[], tuple[int, int]] = lambda: (0, 0)
    """Returns the number of open connections to a server, and how many of them are idle."""

    def note_fault(self, fault: StoreFault | None) -> None:
        """Note what a failed statement says of the store; None if it says nothing."""
        if fault is not None and self.fault is not StoreFault.DAMAGED:
            self.fault = fault

    def note_writable(self) -> None:
        """Note that a write has succeeded."""
        if self.fault is StoreFault.UNWRITABLE:
            self.fault = None

    def note_commit(self, began: float, ended: float, committed: float, operations: int) -> None:
        """Note a stored transaction: when it began, when its operations had ended, and its end."""
        self.commits.observe(committed - ended)
        self.writes.observe(committed - began)
        self.operations.observe(operations)

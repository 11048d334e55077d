"""Measures that cost almost nothing to take: plain counts, which a reader makes metrics of.

Each is changed by one thread only, so that it needs no lock; any thread may read it.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate


class Histogram:
    """Counts values by upper bounds, and adds them up."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = tuple(bounds)
        self.counts = [0] * (len(self.bounds) + 1)
        """By the lowest bound that a value does not exceed; at the end those above all bounds."""
        self.total = 0.0

    def observe(self, value: float) -> None:
        """Count a value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def cumulate(self) -> list[int]:
        """Return for each bound how many values do not exceed it; at the end all of them."""
        return list(accumulate(self.counts))


def _no_lag() -> tuple[int, float]:
    return 0, 0.0


@dataclass(slots=True, eq=False)
class SocketMeasures:
    """The measures of the sockets of a node."""

    open: int = 0
    """The sockets that are open, also before they have shown a token."""
    connected: int = 0
    """The sessions among them."""
    told: int = 0
    """The events that sessions were told, counted for each session."""
    resumed: int = 0
    """Sessions that went on from a cursor."""
    reloaded: int = 0
    """Sessions with a cursor from which they could not go on."""
    closes: Counter[str] = field(default_factory=Counter)
    """The sockets that the server has closed, by reason."""
    find_lag: Callable[[], tuple[int, float]] = _no_lag
    """Returns how far the feed that is furthest behind its log is: in events, and in seconds."""

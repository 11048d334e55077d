"""Turns between apps: the next one is whoever has used the least time.

An app that had nothing to do gains nothing by it: it goes on with those that waited meanwhile.
"""

from collections.abc import Iterable
from operator import itemgetter

MOST_KEPT = 10_000
"""With more apps, the half that has used the least is forgotten, and counts as equal."""


class AppTimes:
    """The time that each app has used."""

    def __init__(self) -> None:
        self._used: dict[str, float] = {}
        self._least = 0.0
        """What the app that came last had used: nobody who waits has used less."""

    def take_next(self, waiting: Iterable[str]) -> str:
        """Return which of the apps that wait is next."""
        chosen = min(waiting, key=self._used_by)
        self._least = self._used_by(chosen)
        return chosen

    def charge(self, app_id: str, seconds: float) -> None:
        """Add the time of a turn."""
        self._used[app_id] = self._used_by(app_id) + seconds
        if len(self._used) > MOST_KEPT:
            self._forget_half()

    def _forget_half(self) -> None:
        kept = sorted(self._used.items(), key=itemgetter(1))[len(self._used) // 2 :]
        self._least = max(self._least, kept[0][1])
        self._used = dict(kept)

    def _used_by(self, app_id: str) -> float:
        return max(self._used.get(app_id, 0.0), self._least)

"""What a node keeps in memory for moderation: compiled rules, and who has sent how much lately."""

import asyncio
from collections import deque
from typing import Any, Protocol

from hubbub.kernel.cache import SharedEntries
from hubbub.records.moderation.rules.model import MOST_RATE

MOST_BYTES = 2**28
"""So many bytes of compiled rules are kept, about, those used last."""
MOST_SENDERS = 10_000
MOST_SENDS = MOST_RATE + 1
"""So many sends of a user are kept: one more than a rule may allow."""


class Weighed(Protocol):
    """Compiled rules."""

    weight: int
    """About the bytes that they take."""


class CompiledRules:
    """The compiled rules of apps, each with the marks of the revisions that they are made of."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._kept: dict[str, tuple[Any, Weighed]] = {}
        """The ones used last are at the end."""
        self.compiling: dict[str, asyncio.Future[Any]] = {}
        """Those under way: whoever needs them meanwhile waits."""

    def find(self, app_id: str, mark: object) -> Any:
        """Return the rules of an app if they are made of these revisions, or else None."""
        kept = self._kept.pop(app_id, None)
        if kept is None or kept[0] != mark:
            return None
        self._kept[app_id] = kept
        return kept[1]

    def put(self, app_id: str, mark: object, rules: Weighed) -> None:
        """Keep rules; others that were not used for longest make room, but never these."""
        self._kept.pop(app_id, None)
        weight = sum(each.weight for _, each in self._kept.values()) + rules.weight
        for other in list(self._kept):
            if weight <= self._most:
                break
            weight -= self._kept.pop(other)[1].weight
        self._kept[app_id] = mark, rules


class RecentSends:
    """When users sent lately, as far as a rule of their app counts that; each node for itself."""

    def __init__(self, most_senders: int = MOST_SENDERS) -> None:
        self._senders: SharedEntries[deque[float]] = SharedEntries(most_senders)

    def add(self, app_id: str, uid: str, now: float) -> None:
        """Note that a user sends."""
        key = app_id, uid
        sends = self._senders.get(key)
        if sends is None:
            sends = deque(maxlen=MOST_SENDS)
            self._senders.put(app_id, key, sends)
        sends.append(now)

    def count(self, app_id: str, uid: str, since: float) -> int:
        """Return how often a user has sent after a time, at most `MOST_SENDS`."""
        sends = self._senders.get((app_id, uid)) or ()
        return sum(1 for each in sends if each > since)

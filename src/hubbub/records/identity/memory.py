"""What a node keeps in memory of identity providers: their keys."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hubbub.kernel.cache import SharedEntries

MOST_PROVIDERS = 1_000


@dataclass(frozen=True, slots=True)
class VerifyingKey:
    """A public key of a provider."""

    kid: str | None
    algorithms: frozenset[str]
    """Those for which it may be used."""
    key: Any


@dataclass(slots=True, eq=False)
class KeySet:
    """The keys at an address, as this node has fetched them. Times are monotonic."""

    url: str
    keys: Sequence[VerifyingKey] = ()
    fetched_at: float | None = None
    """When they were fetched; None before that, and once they are too old."""
    tried_at: float | None = None
    failure: str = ""
    """Why the latest fetch has failed; empty if it has not."""
    fetching: asyncio.Task[None] | None = field(default=None, repr=False)
    """The fetch under way; whoever needs it meanwhile waits for it."""

    def find(self, kid: str | None, algorithm: str) -> VerifyingKey | None:
        """Return the key of that name; without a name, the only one for the algorithm."""
        found = [each for each in self.keys if algorithm in each.algorithms]
        if kid is not None:
            return next((each for each in found if each.kid == kid), None)
        return found[0] if len(found) == 1 else None


class KeySets:
    """The keys of the identity providers of apps."""

    def __init__(self, most: int = MOST_PROVIDERS) -> None:
        self._sets: SharedEntries[KeySet] = SharedEntries(most)

    def find(self, app_id: str) -> KeySet | None:
        """Return the keys of an app's provider, if any were asked for."""
        return self._sets.get(app_id)

    def of(self, app_id: str, url: str) -> KeySet:
        """Return the keys at the address of an app's provider."""
        known = self._sets.get(app_id)
        if known is None or known.url != url:
            known = KeySet(url)
            self._sets.put(app_id, app_id, known)
        return known

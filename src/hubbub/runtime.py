"""All that an operation may touch besides its arguments."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from hubbub.config import Settings
from hubbub.kernel.cache import ExpiringCache
from hubbub.kernel.clock import Clock
from hubbub.kernel.ids import Ids
from hubbub.kernel.sealing import Sealer
from hubbub.kernel.threads import Threads
from hubbub.storage.collector import Collector
from hubbub.storage.interface import Database, Transaction

Hot = Callable[[Transaction, Sequence[Any], int], Awaitable[Sequence[Any]]]
"""A hot operation: the outcomes of a list of drafts, told the hour in seconds."""


@dataclass(slots=True)
class Runtime:
    """The parts of a node, made once by `bootstrap.py`."""

    settings: Settings
    database: Database
    clock: Clock
    ids: Ids
    sealer: Sealer
    threads: Threads
    known: ExpiringCache[Any]
    """Apps and credentials by id or keyed hash; verbs drop from it what they change."""
    _collectors: dict[Callable[..., Any], Collector[Any, Any]] = field(default_factory=dict)

    def collector(self, operation: Hot) -> Collector[Any, Any]:
        """The collector of a hot operation: concurrent calls of it become one."""
        found = self._collectors.get(operation)
        if found is None:
            found = self._collectors[operation] = Collector(
                self.database, lambda tx, drafts: operation(tx, drafts, self.clock.now())
            )
        return found

    async def close(self) -> None:
        """Finish what was accepted, then let go of the store."""
        for collector in self._collectors.values():
            await collector.drain()
        await self.database.close()
        self.threads.close()

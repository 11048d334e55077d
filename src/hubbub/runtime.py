"""All that an operation may touch besides its arguments."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hubbub.config import Settings
from hubbub.files.store import FileStore
from hubbub.kernel.cache import ExpiringCache
from hubbub.kernel.clock import Clock
from hubbub.kernel.ids import Ids
from hubbub.kernel.rates import Rates
from hubbub.kernel.sealing import Sealer
from hubbub.kernel.threads import Threads
from hubbub.storage.alone import Alone
from hubbub.storage.collector import Collector
from hubbub.storage.interface import Database, Transaction

Hot = Callable[[Transaction, Sequence[Any], int], Awaitable[Sequence[Any]]]
"""A hot operation: the outcomes of a list of drafts, told the hour in seconds."""
Gathering = Collector[Any, Any] | Alone[Any, Any]


@dataclass(slots=True)
class Runtime:
    """The parts of a node, made once by `bootstrap.py`."""

    settings: Settings
    database: Database
    clock: Clock
    ids: Ids
    sealer: Sealer
    threads: Threads
    files: FileStore
    pictures: Threads
    """Threads of their own to look at pictures on: a difficult one holds up nothing else."""
    known: ExpiringCache[Any]
    """Apps and credentials by id or keyed hash, settings; verbs drop from it what they change."""
    rates: Rates
    _collectors: dict[Callable[..., Any], Gathering] = field(default_factory=dict)
    _new_collector: Callable[..., Gathering] = Collector

    def collector(self, operation: Hot) -> Gathering:
        """The collector of a hot operation: concurrent calls of it become one."""
        found = self._collectors.get(operation)
        if found is None:
            found = self._collectors[operation] = self._new_collector(
                self.database, lambda tx, drafts: operation(tx, drafts, self.clock.now())
            )
        return found

    def for_one_call(self, database: Database, known: ExpiringCache[Any]) -> "Runtime":
        """The same parts for a call that sees the store in its own way, and is gathered with none.

        `known` is its own, too: it forgets for others when its transaction is committed.
        """
        return replace(self, database=database, known=known, _collectors={}, _new_collector=Alone)

    async def close(self) -> None:
        """Finish what was accepted, then let go of the store."""
        for collector in self._collectors.values():
            await collector.drain()
        await self.database.close()
        self.threads.close()
        self.pictures.close()
        self.files.close()

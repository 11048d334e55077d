"""The parts of a node that an operation may use besides its arguments."""

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
from hubbub.outbound.client import OutboundClient
from hubbub.storage.batched import Batches
from hubbub.storage.interface import Database


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
    """Threads only for looking at pictures: a difficult one delays nothing else."""
    outbound: OutboundClient
    cache: ExpiringCache[Any]
    """Apps and credentials by id or keyed hash, settings; verbs drop the entries they change."""
    rates: Rates
    batches: Batches = field(init=False)
    """Where drafts of `Batched` writes are stored."""

    def __post_init__(self) -> None:
        self.batches = Batches(self.database, self.clock)

    def in_one_transaction(self, database: Database, cache: ExpiringCache[Any]) -> "Runtime":
        """Return these parts for one call whose writes are one transaction, shared with none."""
        runtime = replace(self, database=database, cache=cache)
        runtime.batches.is_shared = False
        return runtime

    async def close(self) -> None:
        """Finish the accepted work, then close the store, the threads and the files."""
        await self.batches.drain()
        await self.outbound.close()
        await self.database.close()
        self.threads.close()
        self.pictures.close()
        self.files.close()

"""The background work of a node: what runs beside the requests, and how often."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress

import structlog

from hubbub.domain.attachments.remove import remove_leftovers
from hubbub.domain.erasure.erase import erase_all
from hubbub.domain.erasure.erase_apps import erase_archived_apps
from hubbub.domain.idempotency.prune import prune_keys
from hubbub.domain.search.reindex import index_all
from hubbub.kernel.errors import Unavailable
from hubbub.runtime import Runtime

log = structlog.get_logger()


@asynccontextmanager
async def running_workers(runtime: Runtime) -> AsyncIterator[None]:
    """Run the background loops inside the block."""
    workers = [
        asyncio.create_task(_repeat(runtime, work, seconds)) for work, seconds in BACKGROUND.items()
    ]
    try:
        yield
    finally:
        for worker in workers:
            worker.cancel()
        for worker in workers:
            with suppress(asyncio.CancelledError):
                await worker


async def _maintain(runtime: Runtime) -> None:
    await runtime.database.maintain()


async def _erase(runtime: Runtime) -> None:
    await erase_all(runtime)
    await erase_archived_apps(runtime)


BACKGROUND: Mapping[Callable[[Runtime], Awaitable[None]], float] = {
    _erase: 1.0,
    _maintain: 1.0,
    index_all: 1.0,
    remove_leftovers: 5.0,
    prune_keys: 300.0,
}
"""The background work; the seconds are the pause after each run."""


async def _repeat(
    runtime: Runtime, work: Callable[[Runtime], Awaitable[None]], seconds: float
) -> None:
    """Repeat the work forever; a failure is logged, and the next run tries again."""
    while True:
        try:
            await work(runtime)
        except Unavailable:
            pass  # the database is away or busy: its engine has logged it, the next run tries again
        except Exception as defect:
            log.error("background_defect", work=work.__name__, exc_info=defect)
        await asyncio.sleep(seconds)

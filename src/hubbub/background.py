"""The background work of a node: what runs beside the requests, and how often."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress

import structlog

from hubbub.domain.attachments.remove import remove_leftovers
from hubbub.domain.deliveries.deliver import delivery_runs
from hubbub.domain.deliveries.plan import plan_consumer
from hubbub.domain.deliveries.prune import prune_deliveries
from hubbub.domain.erasure.erase import erase_all
from hubbub.domain.erasure.erase_apps import erase_archived_apps
from hubbub.domain.exports.jobs import prune_exports
from hubbub.domain.growing.finish import end_silent
from hubbub.domain.growing.keep import release_all, store_due
from hubbub.domain.idempotency.prune import prune_keys
from hubbub.domain.imports.prune import prune_refusals
from hubbub.domain.log.prune import prune_log
from hubbub.domain.log.set_aside import prune_set_aside
from hubbub.domain.metrics.count import count_all
from hubbub.domain.notifications.logs import prune_logs
from hubbub.domain.notifications.planning.plan import notification_consumer
from hubbub.domain.notifications.sending.send import notification_runs
from hubbub.domain.polls.due import poll_runs
from hubbub.domain.presence.nodes import Watch
from hubbub.domain.receipts.merge import merge_receipts
from hubbub.domain.retention.run import retention_runs
from hubbub.domain.scheduled.due import scheduled_runs
from hubbub.domain.scheduled.prune import prune_scheduled
from hubbub.domain.search.reindex import index_all
from hubbub.domain.secrets.keys import watch_keys
from hubbub.domain.tokens.end import end_tokens
from hubbub.kernel.errors import Unavailable
from hubbub.moving.jobs.exports import make_due_exports
from hubbub.moving.jobs.imports import run_due_imports
from hubbub.rest.messages.wire.unsent import render_unsent
from hubbub.rest.payloads.render import render_payloads
from hubbub.runtime import Runtime

log = structlog.get_logger()


@asynccontextmanager
async def running_workers(runtime: Runtime, watch: Watch | None = None) -> AsyncIterator[None]:
    """Run the background loops inside the block; `watch` is that of who holds the sessions."""
    deliveries = delivery_runs(runtime)
    notifications = notification_runs(runtime)
    scheduled = scheduled_runs(runtime, render_unsent)
    removals = retention_runs(runtime)
    polls = poll_runs(runtime)
    watch = watch or Watch(runtime)
    if not runtime.database.is_shared:
        await _try(runtime, watch.run)  # who was connected before the node stopped is not any more
    loops = {
        **BACKGROUND,
        deliveries.start_due: WEBHOOK_SECONDS,
        notifications.start_due: NOTIFICATION_SECONDS,
        scheduled.start_due: SCHEDULED_SECONDS,
        removals.start_due: RETENTION_SECONDS,
        polls.start_due: POLL_SECONDS,
        watch.run: WATCH_SECONDS,
    }
    workers = [
        asyncio.create_task(_repeat(runtime, work, seconds)) for work, seconds in loops.items()
    ]
    try:
        yield
    finally:
        for worker in workers:
            worker.cancel()
        for worker in workers:
            with suppress(asyncio.CancelledError):
                await worker
        await deliveries.close()
        await notifications.close()
        await scheduled.close()
        await removals.close()
        await polls.close()
        await release_all(runtime)


async def _set_clock(runtime: Runtime) -> None:
    if runtime.timekeeper is not None:
        await runtime.timekeeper.set_clock()


async def _note_steps(runtime: Runtime) -> None:
    runtime.steps.note()


async def _maintain(runtime: Runtime) -> None:
    await runtime.database.maintain()


async def _erase(runtime: Runtime) -> None:
    await erase_all(runtime)
    await erase_archived_apps(runtime)


async def _plan_webhooks(runtime: Runtime) -> None:
    await plan_consumer(runtime, render_payloads).consume_all()


async def _plan_notifications(runtime: Runtime) -> None:
    await notification_consumer(runtime).consume_all()


WEBHOOK_SECONDS = 0.1
NOTIFICATION_SECONDS = 0.1
SCHEDULED_SECONDS = 0.2
"""What is due is sent within a second."""
RETENTION_SECONDS = 1.0
POLL_SECONDS = 0.25
GROWING_SECONDS = 0.75
"""With the time that it takes, what was appended to messages is stored within a second."""
QUIET_SECONDS = 0.5
"""So often a node that writes nothing looks for what is due, and for what other nodes have left."""
WATCH_SECONDS = 5.0
"""A node counts as failed when it has not beaten for three times as long."""
BACKGROUND: Mapping[Callable[[Runtime], Awaitable[None]], float] = {
    _erase: 1.0,
    _maintain: 1.0,
    index_all: 0.25,
    _set_clock: 2.0,
    _note_steps: 1.0,
    watch_keys: 1.0,
    count_all: 3.0,
    remove_leftovers: 5.0,
    store_due: GROWING_SECONDS,
    end_silent: 5.0,
    end_tokens: 5.0,
    _plan_webhooks: WEBHOOK_SECONDS,
    _plan_notifications: NOTIFICATION_SECONDS,
    prune_keys: 300.0,
    prune_refusals: 300.0,
    prune_deliveries: 300.0,
    prune_log: 300.0,
    prune_logs: 300.0,
    prune_scheduled: 300.0,
    prune_set_aside: 300.0,
    merge_receipts: 300.0,
    run_due_imports: 2.0,
    make_due_exports: 2.0,
    prune_exports: 300.0,
}
"""The background work; the seconds are the pause after each run."""


async def _repeat(
    runtime: Runtime, work: Callable[[Runtime], Awaitable[None]], seconds: float
) -> None:
    """Repeat the work forever; a failure is logged, and the next run tries again.

    While the node writes nothing there is mostly nothing new: it looks for work less often.
    """
    stored = runtime.measures.operations
    while True:
        seen = stored.total
        await _try(runtime, work)
        paused = 0.0
        while paused == 0 or (stored.total == seen and paused + seconds <= QUIET_SECONDS):
            await asyncio.sleep(seconds)
            paused += seconds


async def _try(runtime: Runtime, work: Callable[[Runtime], Awaitable[None]]) -> None:
    try:
        await work(runtime)
    except Unavailable:
        pass  # the database is away or busy: its engine has logged it, the next run tries again
    except Exception as defect:
        log.error("background_defect", work=work.__name__, exc_info=defect)

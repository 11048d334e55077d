"""Read what the removals of an app have done."""

from functools import partial

from hubbub.domain.retention.old import KEPT_RUNS
from hubbub.records.retention import store
from hubbub.records.retention.model import RetentionRun
from hubbub.runtime import Runtime


async def list_runs(runtime: Runtime, app_id: str) -> list[RetentionRun]:
    """Return the runs that have removed something, newest first."""
    return await runtime.database.read(app_id, partial(store.list_runs, limit=KEPT_RUNS))

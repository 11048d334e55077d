"""Repair stored times that lie ahead, after a clock was wrong."""

from collections import Counter
from functools import partial

from hubbub.kernel.errors import NotAuthenticated
from hubbub.records.clocks import store
from hubbub.records.totals.store import find_newest
from hubbub.runtime import Runtime

CHUNK = 200
"""The messages that one transaction changes."""
WINDOW = 10_000
"""The messages that are looked at in one reading."""


async def repair_times(runtime: Runtime, app_id: str) -> dict[str, int]:
    """Correct the times of an app that lie ahead of the clock; return the changed rows by table.

    Nodes may serve meanwhile. Repeated, it changes nothing.
    """
    read, write, now = runtime.database.read, runtime.database.write, runtime.clock.now()
    try:
        changed = await write(app_id, partial(store.repair_others, now=now))
        newest, *_ = await read(app_id, find_newest)
        for after in range(0, newest, WINDOW):
            found = partial(store.list_messages, after=after, upto=after + WINDOW, now=now)
            ids = await read(app_id, found)
            for at in range(0, len(ids), CHUNK):
                repair = partial(store.repair_messages, ids=ids[at : at + CHUNK], now=now)
                changed["messages"] += await write(app_id, repair)
    except NotAuthenticated:
        changed = Counter()  # the app is being erased
    return {table: rows for table, rows in sorted(changed.items()) if rows}

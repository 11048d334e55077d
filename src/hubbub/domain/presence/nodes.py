"""Beats of nodes: each says every few seconds that it runs, and the sessions of others are closed.

Every node sweeps. The lock of a failed node's row is the lease: one node closes a chunk of its
sessions at a time, and others skip it.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial

from hubbub.domain.presence.batch import Closing, Presence, change_sessions
from hubbub.kernel.each_app import for_each_app
from hubbub.kernel.errors import NotAuthenticated
from hubbub.outbox import lock_counters
from hubbub.records.metrics.model import SECONDS_OF_DAY, day_of
from hubbub.records.metrics.store import find_peak, raise_peak
from hubbub.records.presence import store
from hubbub.records.presence.model import LATE_SECONDS
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION, Transaction

CHUNK = 40
"""The sessions that one transaction closes; all other writes of the app wait for it."""
REST, LONGEST_REST = 1.0, 1.0
"""The pause after a chunk, in times of what it took, and its most seconds: others are served."""
MOST_APPS = 500
ALWAYS = 2**62
"""A time after all beats."""

Tell = Callable[[str, Sequence[Presence]], Awaitable[None]]
"""Gets the id of an app, and the users whose presence has changed."""
Restore = Callable[[], Awaitable[None]]
"""Stores the open sessions of this node again (`store_sessions`)."""


async def tell_nobody(app_id: str, changes: Sequence[Presence]) -> None:
    """Ignore changes: nobody is connected yet."""


async def beat(runtime: Runtime) -> bool:
    """Store that this node runs.

    Returns whether other nodes may have closed its sessions since its last beat: then it must store
    them again (`store_sessions`), also if the call fails and it isn't known.

    Raises:
        Unavailable: the database can't be reached.
    """
    return await runtime.database.write(
        INSTALLATION, lambda tx: store.store_beat(tx, runtime.node, runtime.clock.now())
    )


async def sweep(runtime: Runtime, tell: Tell = tell_nobody) -> None:
    """Close the sessions of nodes that have failed, and tell whose presence has changed.

    With a database that belongs to one node, all sessions of its earlier runs are closed at once.

    Raises:
        Unavailable: the database can't be reached.
    """
    now = runtime.clock.now()
    before = now - LATE_SECONDS if runtime.database.is_shared else ALWAYS
    failed = await runtime.database.read(
        INSTALLATION, lambda snapshot: store.list_failed(snapshot, runtime.node, before)
    )
    for node in failed:
        close_all = partial(_close_all, runtime, node=node, before=before, tell=tell)
        if await for_each_app(await _list_open_apps(runtime), close_all, name="sweep"):
            continue  # the next sweep goes on with the apps that failed
        set_empty = partial(store.set_empty, node=node, before=before)
        await runtime.database.write(INSTALLATION, set_empty)
    await runtime.database.write(
        INSTALLATION, lambda tx: store.delete_old_nodes(tx, now - SECONDS_OF_DAY)
    )


async def _list_open_apps(runtime: Runtime) -> list[str]:
    """Return the apps with open sessions."""
    found: list[str] = []
    while True:
        look = partial(store.list_open_apps, after=found[-1] if found else "", limit=MOST_APPS)
        page = await runtime.database.read(INSTALLATION, look)
        found += page
        if len(page) < MOST_APPS:
            return found


async def _close_all(runtime: Runtime, app_id: str, *, node: str, before: int, tell: Tell) -> None:
    """Close a failed node's sessions of an app in chunks, until none is left or it is back."""
    any_session = partial(store.list_sessions_of_node, node=node, limit=1)
    if not await runtime.database.read(app_id, any_session):
        return
    while True:
        began = time.perf_counter()
        try:
            closed = await runtime.database.write(
                app_id, lambda tx: close_chunk(tx, node, before, runtime.clock.now())
            )
        except NotAuthenticated:
            return  # the app is being erased
        changes = [presence for presence in closed if presence.has_changed]
        if changes:
            await tell(app_id, changes)
        if len(closed) < CHUNK:
            return
        await asyncio.sleep(min(LONGEST_REST, REST * (time.perf_counter() - began)))


async def close_chunk(tx: Transaction, node: str, before: int, now: int) -> list[Presence]:
    """Close some sessions of a failed node, which were open until its last beat.

    Returns nothing if the node is back, or another node closes them.
    """
    await lock_counters(tx)
    sessions = await store.list_sessions_of_node(tx, node, limit=CHUNK)
    if not sessions:
        return []
    beat_at = await store.claim_node(tx, node, before)
    if beat_at is None:
        return []
    ended_at = min(beat_at, now)
    closings = [Closing(node, each.id, each.uid, ended_at) for each in sessions]
    outcomes = await change_sessions(tx, closings, now)
    return [each for each in outcomes if isinstance(each, Presence)]


async def note_counts(runtime: Runtime, day: int) -> None:
    """Store a peak of a new day for apps whose sessions stay open from the day before."""

    async def note(app_id: str) -> None:
        if not await runtime.database.read(app_id, lambda tx: find_peak(tx, day, day)):
            with suppress(NotAuthenticated):  # the app is being erased
                await runtime.database.write(app_id, lambda tx: _raise_peak(tx, day))

    await for_each_app(await _list_open_apps(runtime), note, name="note_counts")


async def _raise_peak(tx: Transaction, day: int) -> None:
    await lock_counters(tx)
    counts = await store.find_counts(tx, "")
    if counts is not None and counts.sessions:
        await raise_peak(tx, day, counts.sessions)


async def restore_nothing() -> None:
    """Return: the node has no sessions."""


class Watch:
    """What a node does for presence every few seconds, and what it knows from the last time."""

    def __init__(
        self, runtime: Runtime, *, tell: Tell = tell_nobody, restore: Restore = restore_nothing
    ) -> None:
        self._runtime = runtime
        self._tell = tell
        self._restore = restore
        self._is_doubtful = False
        """Whether other nodes may have closed sessions of this one."""
        self._day = 0
        """The day whose first peaks are stored."""

    async def run(self, _: Runtime) -> None:
        """Beat, restore what others have closed, and close the sessions of failed nodes.

        Raises:
            Unavailable: the database can't be reached.
        """
        was_doubtful, self._is_doubtful = self._is_doubtful, True  # also if this fails half-way
        if await beat(self._runtime) or was_doubtful:
            await self._restore()
        self._is_doubtful = False
        await sweep(self._runtime, self._tell)
        today = day_of(self._runtime.clock.now())
        if today > self._day:
            await note_counts(self._runtime, today)
            self._day = today

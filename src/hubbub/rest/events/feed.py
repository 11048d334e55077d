"""Read a page of the change feed: the events of the log that clients are told of, with data."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from hubbub.domain.log.consumers import CHANGE_FEED
from hubbub.outbox.heads import Position
from hubbub.outbox.log import LogBatch, LogEntry, read_readable
from hubbub.outbox.positions import check_kept, find_head
from hubbub.outbox.reader import LogReader
from hubbub.rest.payloads.all import SHOWN
from hubbub.rest.payloads.render import render_entries
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot

AT_ONCE = 200
RENDERED_AT_ONCE = 50
"""So many events are rendered at once; then other calls have a turn."""
MOST_READ = 10_000
"""The events that a page may pass over, of which clients are told nothing."""


@dataclass(slots=True)
class FeedPage:
    """The events after a position, and how far the page has read."""

    upto: Position
    head: Position
    """The newest position when the page was read."""
    events: list[tuple[LogEntry, bytes]] = field(default_factory=list)

    @property
    def is_at_head(self) -> bool:
        return self.upto == self.head


async def read_page(runtime: Runtime, app_id: str, since: Position | None, limit: int) -> FeedPage:
    """Return up to `limit` events after a position; without one, none, from now on.

    Raises:
        CursorExpired: events after the position are no longer kept, or it is of another log.
    """
    if since is None:
        head = await runtime.database.read(app_id, find_head, is_short=True)
        return FeedPage(head, head)
    page = FeedPage(since, since)
    reader = LogReader(CHANGE_FEED, runtime.database, runtime.consumers[CHANGE_FEED])
    left = MOST_READ
    while left > 0 and len(page.events) < limit:
        begin = page.upto.number
        await _read_on(runtime, reader, app_id, page, limit=limit - len(page.events), left=left)
        if page.is_at_head:
            break
        left -= page.upto.number - begin
    return page


async def _read_on(
    runtime: Runtime, reader: LogReader, app_id: str, page: FeedPage, *, limit: int, left: int
) -> None:
    """Add up to `limit` events to a page, and read no more of the log than is left."""
    reads = min(max(limit, AT_ONCE), left)
    read = partial(_read_stretch, since=page.upto, limit=reads)
    page.head, batch = await runtime.database.read(app_id, read, is_short=reads <= AT_ONCE)
    if batch is None:
        return
    await reader.leave_out(app_id, batch.poison)
    entries = batch.entries[:limit]
    found: dict[int, bytes | None] = {}
    for start in range(0, len(entries), RENDERED_AT_ONCE):
        some = entries[start : start + RENDERED_AT_ONCE]
        found |= await reader.isolate(app_id, some, partial(_render, runtime, app_id))
    is_cut = len(entries) < len(batch.entries)
    page.upto = Position(page.head.epoch, entries[-1].number if is_cut else batch.upto)
    for entry in entries:
        if (data := found.get(entry.number)) is not None:
            page.events.append((entry, data))


async def _read_stretch(
    snapshot: Snapshot, *, since: Position, limit: int
) -> tuple[Position, LogBatch | None]:
    """Return the newest position, and the next events after another one; None if there are none."""
    head = await find_head(snapshot)
    await check_kept(snapshot, since, head, "since")
    if since == head:
        return head, None
    batch = await read_readable(snapshot, since.number, SHOWN, limit=limit)
    assert batch.upto > batch.after, f"event {batch.after + 1} of {snapshot.app_id} is missing"
    return head, batch


async def _render(
    runtime: Runtime, app_id: str, entries: Sequence[LogEntry]
) -> dict[int, bytes | None]:
    """Return the data of events by number; None of those whose subject is gone."""
    rendered = await runtime.database.read(
        app_id,
        lambda snapshot: render_entries(runtime, snapshot, entries, with_links=False),
        is_short=len(entries) <= AT_ONCE,
    )
    return {each.number: data for each, data in zip(entries, rendered, strict=True)}

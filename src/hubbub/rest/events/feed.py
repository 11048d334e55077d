"""Read a page of the change feed: the events of the log that clients are told of, with data."""

from dataclasses import dataclass, field

from hubbub.outbox.heads import Position
from hubbub.outbox.log import LogEntry, read_log
from hubbub.outbox.positions import check_kept, find_head
from hubbub.rest.payloads.render import SHOWN, render_entries
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot

AT_ONCE = 200
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

    async def read(snapshot: Snapshot) -> FeedPage:
        head = await find_head(snapshot)
        if since is None:
            return FeedPage(head, head)
        await check_kept(snapshot, since, head, "since")
        page = FeedPage(since, head)
        end = min(head.number, since.number + MOST_READ)
        while (left := end - page.upto.number) > 0 and len(page.events) < limit:
            await _read_on(runtime, snapshot, page, limit - len(page.events), left)
        return page

    return await runtime.database.read(app_id, read, is_short=limit <= AT_ONCE)


async def _read_on(
    runtime: Runtime, snapshot: Snapshot, page: FeedPage, limit: int, most_read: int
) -> None:
    """Add up to `limit` events to a page, and read no more than `most_read`."""
    reads = min(max(limit, AT_ONCE), most_read)
    batch = await read_log(snapshot, page.upto.number, SHOWN, limit=reads)
    assert batch.upto > batch.after, f"event {batch.after + 1} of {snapshot.app_id} is missing"
    entries = batch.entries[:limit]
    is_cut = len(entries) < len(batch.entries)
    page.upto = Position(page.head.epoch, entries[-1].number if is_cut else batch.upto)
    rendered = await render_entries(runtime, snapshot, entries, with_links=False)
    page.events += [
        (entry, data) for entry, data in zip(entries, rendered, strict=True) if data is not None
    ]

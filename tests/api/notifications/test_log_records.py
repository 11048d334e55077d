"""The log of notifications as it is stored: entries, their order, slices, deletion of old ones."""

from functools import partial

from tests.api.notifications.log_samples import AT_MS, find, pushed, store
from tests.world import Node, World

from hubbub.kernel.pages import SliceRequest
from hubbub.records.notifications import logs
from hubbub.records.notifications.logs import LogFilter, NotificationEntry
from hubbub.records.notifications.model import Reason


async def test_an_entry_is_read_as_it_was_stored(node: Node, world: World) -> None:
    """All fields of an entry come back, with those that are absent."""
    suppressed = NotificationEntry(
        uid="cora",
        channel="sms",
        trigger="after_message",
        started_at_ms=AT_MS,
        ended_at_ms=AT_MS + 300,
        is_triggered=False,
        reason=Reason.MISSING_PHNO,
    )
    odd = pushed(payload={"title": "\0", "list": [1, None]}, ended_at_ms=AT_MS + 301)
    await store(node, world, pushed(), suppressed, odd)

    found = await find(node, world)
    assert [log.entry for log in found.items] == [pushed(), suppressed, odd]
    assert len({log.id for log in found.items}) == 3
    assert all(len(log.id) == 24 for log in found.items)


async def test_entries_of_a_batch_keep_their_order(node: Node, world: World) -> None:
    """Several hundred entries that ended in one millisecond are listed as they were given."""
    batch = [pushed(push_token=f"f-{number}") for number in range(300)]
    await store(node, world, *batch)

    found = await find(node, world)
    assert [log.entry for log in found.items] == batch


async def test_a_slice_goes_on_in_either_direction(node: Node, world: World) -> None:
    """From the id of an entry, slices lead to older and to newer entries."""
    await store(node, world, *(pushed(message_id=n, ended_at_ms=AT_MS + n) for n in range(1, 8)))
    newest = await find(node, world, page=SliceRequest(limit=3, is_before=True))
    assert [log.entry.message_id for log in newest.items] == [5, 6, 7]
    assert (newest.has_older, newest.has_newer) == (True, False)

    before = SliceRequest(limit=3, is_before=True, cursor=newest.items[0].id)
    older = await find(node, world, page=before)
    assert [log.entry.message_id for log in older.items] == [2, 3, 4]
    after = SliceRequest(limit=3, cursor=older.items[-1].id)
    assert (await find(node, world, page=after)).items == newest.items


async def test_old_entries_are_deleted_in_chunks(node: Node, world: World) -> None:
    """A deletion takes the oldest entries, at most so many, and none that is new enough."""
    await store(node, world, *(pushed(message_id=n, ended_at_ms=AT_MS + n) for n in range(1, 6)))
    delete = partial(logs.delete_old_logs, before_ms=AT_MS + 4, limit=2)
    write = node.runtime.database.write

    assert [await write(world.app_id, delete) for _ in range(3)] == [2, 1, 0]
    assert [log.entry.message_id for log in (await find(node, world)).items] == [4, 5]


async def test_entries_of_messages_are_deleted(node: Node, world: World) -> None:
    """With messages, the entries about them are deleted, and no others."""
    await store(node, world, *(pushed(message_id=n) for n in (1, 2, 2, 3)))
    await node.runtime.database.write(world.app_id, lambda tx: logs.delete_of_messages(tx, [1, 2]))

    assert [log.entry.message_id for log in (await find(node, world)).items] == [3]


async def test_entries_stay_in_their_app(node: Node, world: World) -> None:
    """Another app finds no entry of this one."""
    await store(node, world, pushed())

    assert (await find(node, world, LogFilter(message_id=65))).items
    assert not (
        await node.runtime.database.read(
            "other", lambda each: logs.list_logs(each, LogFilter(), SliceRequest(limit=9))
        )
    ).items

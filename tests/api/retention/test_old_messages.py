"""Old messages are removed, with all that belongs to them, and all numbers fit what is left."""

import pytest
from tests.api.messages.talk import group, import_past, past, say, texts, to_group, to_user
from tests.api.retention.removals import DAY, keep, left_in, remove_due, unread
from tests.clock import ManualClock
from tests.files.uploads import File, send_files, stored_files
from tests.world import Node, World

from hubbub.domain.attachments.remove import remove_leftovers
from hubbub.domain.retention.old import CHUNK, RUN_SECONDS
from hubbub.domain.search.reindex import index_all

BEN, CLUB = "/users/ben", "/groups/club"


@pytest.fixture(scope="module")
def node(lone_node: Node) -> Node:
    """Return a node whose clock may go on for years."""
    return lone_node


@pytest.fixture
async def talk(world: World) -> World:
    """Anna, Ben and Carla, who are in a group."""
    await world.users("anna", "ben", "carla")
    await group(world, "club", "anna", "ben", "carla")
    return world


async def test_old_messages_are_removed(node: Node, talk: World, clock: ManualClock) -> None:
    """Of a conversation, messages that are older than the app says are gone, others are not."""
    await say(talk, "anna", to_user("ben", "Old"))
    clock.advance(20 * DAY)
    await say(talk, "anna", to_user("ben", "New"))
    await keep(talk, days=30)
    clock.advance(11 * DAY)
    await remove_due(node)

    assert await texts(talk, f"{BEN}/messages", as_="anna") == ["New"]
    shown = await talk.get(f"{BEN}/conversation", as_="anna")
    assert shown["lastMessage"]["data"]["text"] == "New"


async def test_nothing_is_removed_where_nothing_is_said(
    node: Node, talk: World, clock: ManualClock
) -> None:
    """An app that sets nothing keeps all messages, and has no queue of removals."""
    await say(talk, "anna", to_user("ben", "Old"))
    clock.advance(4000 * DAY)
    await remove_due(node)

    assert await texts(talk, f"{BEN}/messages", as_="anna") == ["Old"]
    assert await left_in(node, talk, "retention_queues") == 0


async def test_a_conversation_says_itself_how_long(
    node: Node, talk: World, clock: ManualClock
) -> None:
    """The days of a conversation are true instead of what the app says: less, or for ever."""
    await say(talk, "anna", to_user("ben", "Short"))
    await say(talk, "anna", to_group("club", "For ever"))
    await say(talk, "anna", to_user("carla", "As the app has it"))
    await keep(talk, days=30)
    await talk.put(f"{BEN}/conversation/retention", {"days": 10}, as_="anna")
    await talk.put(f"{CLUB}/conversation/retention", {"days": 0})
    clock.advance(11 * DAY)
    await remove_due(node)

    assert await texts(talk, f"{BEN}/messages", as_="anna") == []
    assert await texts(talk, "/users/carla/messages", as_="anna") == ["As the app has it"]

    clock.advance(20 * DAY)
    await remove_due(node)
    assert await texts(talk, "/users/carla/messages", as_="anna") == []
    assert await texts(talk, f"{CLUB}/messages", as_="anna") == ["For ever"]


async def test_unread_messages_that_go_count_no_more(
    node: Node, talk: World, clock: ManualClock
) -> None:
    """Unread numbers are those of the messages that are left, whatever was read before."""
    for number in range(3):
        await say(talk, "anna", to_group("club", f"Old {number}"))
    await talk.post(f"{CLUB}/conversation/read", {}, as_="carla")
    clock.advance(2 * DAY)
    for number in range(2):
        await say(talk, "anna", to_group("club", f"New {number}"))
        await say(talk, "ben", to_group("club", f"Own {number}"))
    await keep(talk, days=1)
    await remove_due(node)

    assert [await unread(talk, uid, CLUB) for uid in ("anna", "ben", "carla")] == [2, 2, 4]

    rows = await talk.get(f"{CLUB}/messages", as_="ben")
    await talk.post(f"{CLUB}/conversation/read", {"messageId": rows[0]["id"]}, as_="ben")
    assert await unread(talk, "ben", CLUB) == 1
    await talk.post(f"{CLUB}/conversation/read", {}, as_="ben")
    await talk.delete(f"{CLUB}/conversation/read", {"messageId": rows[0]["id"]}, as_="ben")
    assert await unread(talk, "ben", CLUB) == 1


async def test_all_that_belongs_to_a_message_goes(
    node: Node, talk: World, clock: ManualClock
) -> None:
    """Files, reactions, pins, saved marks, tags, mentions and search entries of it are gone."""
    sent = await send_files(talk, File("plan.txt", b"The plan"), data={"text": "The plan"})
    await talk.post(f"/messages/{sent['id']}/reactions/+1", as_="ben")
    await talk.post(f"/messages/{sent['id']}/pin", as_="ben")
    await talk.post(f"/messages/{sent['id']}/save", as_="ben")
    await say(talk, "anna", to_user("ben", "Hi <@uid:ben>", tags=["greeting"]))
    await index_all(node.runtime)
    before = stored_files(node)
    await keep(talk, days=1)
    clock.advance(2 * DAY)
    await remove_due(node)
    await remove_leftovers(node.runtime)

    for table in ("messages", "files", "reactions", "reaction_counts", "message_pins"):
        assert await left_in(node, talk, table) == 0, table
    for table in ("saved_messages", "mentions", "message_tags"):
        assert await left_in(node, talk, table) == 0, table
    assert before
    assert not {path for path in stored_files(node) if talk.app_id in path}
    assert await talk.get("/messages?searchKey=plan", as_="anna") == []


async def test_replies_and_quotes_outlive_what_they_answer(
    node: Node, talk: World, clock: ManualClock
) -> None:
    """A reply, or a message that quotes, stays when its older message goes, found no more."""
    old = await say(talk, "anna", to_user("ben", "Old"))
    clock.advance(2 * DAY)
    await talk.post(f"/messages/{old['id']}/thread", to_user("ben", "A reply"), as_="anna")
    await say(talk, "ben", to_user("anna", "Quoting", quotedMessageId=old["id"]))
    await keep(talk, days=1)
    await remove_due(node)

    await talk.refused("GET", f"/messages/{old['id']}", status=404, code="ERR_MESSAGE_ID_NOT_FOUND")
    rows = await talk.get(f"{BEN}/messages", as_="anna")
    assert [row["data"]["text"] for row in rows] == ["A reply", "Quoting"]
    assert all("quotedMessage" not in row for row in rows)


async def test_imported_messages_go_by_their_own_times(
    node: Node, talk: World, clock: ManualClock
) -> None:
    """A message that was imported after newer ones is removed when it is old, and only then."""
    clock.advance(100 * DAY)
    now = clock.now()
    await say(talk, "anna", to_user("ben", "Live"))
    await import_past(
        talk,
        a=past("anna", to_user("ben", "Imported and old"), now - 50 * DAY),
        b=past("anna", to_user("ben", "Imported"), now - 5 * DAY),
    )
    await keep(talk, days=30)
    await remove_due(node)

    assert await texts(talk, f"{BEN}/messages", as_="anna") == ["Imported", "Live"]
    assert await unread(talk, "ben", "/users/anna") == 2


async def test_the_muid_of_an_old_message_is_free(
    node: Node, talk: World, clock: ManualClock
) -> None:
    """A muid can be used again once its message was removed, also one of a deleted history."""
    body = to_user("ben", "Once", muid="m1")
    await say(talk, "anna", body)
    await say(talk, "anna", to_user("carla", "Gone", muid="m2"))
    await talk.delete("/users/carla/conversation", {"deleteMessagesPermanently": True}, as_="anna")
    await keep(talk, days=1)
    clock.advance(2 * DAY)
    await remove_due(node)

    again = await say(talk, "anna", body)
    assert again["data"]["text"] == "Once"
    assert await left_in(node, talk, "messages") <= 2


async def test_the_report_of_a_run(node: Node, talk: World, clock: ManualClock) -> None:
    """Each run that removed something is listed with its numbers; others are not."""
    await send_files(talk, File("plan.txt", b"The plan"))
    for number in range(CHUNK + 5):
        await say(talk, "anna", to_user("carla", f"Hi {number}"))
    await keep(talk, days=1)
    await remove_due(node)
    clock.advance(2 * DAY)
    await remove_due(node)
    clock.advance(RUN_SECONDS)
    await remove_due(node)

    (run,) = await talk.get("/retention_runs")
    assert (run["messages"], run["files"]) == (CHUNK + 6, 1)
    assert run["beganAt"] <= run["endedAt"] == clock.now() - RUN_SECONDS


async def test_a_clock_that_is_set_ahead_removes_nothing(
    node: Node, talk: World, clock: ManualClock
) -> None:
    """Time that did not pass makes no message old, if the clock was set while the node runs."""
    await say(talk, "anna", to_user("ben", "Young"))
    await keep(talk, days=30)
    await remove_due(node)
    clock.set_ahead(100 * DAY)
    await remove_due(node)
    assert await texts(talk, f"{BEN}/messages", as_="anna") == ["Young"]

    clock.set_back(100 * DAY)
    await remove_due(node)
    clock.advance(29 * DAY)
    await remove_due(node)
    assert await texts(talk, f"{BEN}/messages", as_="anna") == ["Young"]

    clock.advance(2 * DAY)
    await remove_due(node)
    assert await texts(talk, f"{BEN}/messages", as_="anna") == []


async def test_many_conversations_are_gone_through(
    node: Node, talk: World, clock: ManualClock
) -> None:
    """A run finds the old messages of all conversations, also where most have none."""
    uids = [f"user{number}" for number in range(30)]
    await talk.users(*uids)
    for uid in uids:
        await say(talk, "anna", to_user(uid, "Old"))
    clock.advance(2 * DAY)
    for uid in uids[::2]:
        await say(talk, "anna", to_user(uid, "New"))
    await keep(talk, days=1)
    await remove_due(node)

    assert await left_in(node, talk, "messages") == 15

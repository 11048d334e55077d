"""Deletion of messages: softly, when the app still sees the content, or permanently."""

import asyncio
import json
from typing import Any

import pytest
from tests.api.groups.clubs import make_hikers
from tests.api.messages.talk import events, say, stored, texts, to_group, to_user
from tests.api.people.erasing import (
    insert_missing_rows,
    rows_of,
    tables_with_column,
    tables_with_value,
    tables_with_word,
)
from tests.clock import ManualClock
from tests.engines import one_engine
from tests.world import Json, Node, World

from hubbub.domain.erasure.erase import erase_all
from hubbub.domain.messages.erase import erase_messages
from hubbub.outbox import lock_counters
from hubbub.records.moderated.model import FLAGGED
from hubbub.storage.interface import Transaction

BAD = "ERR_BAD_REQUEST"
DENIED = "ERR_PERMISSION_DENIED"
NOT_FOUND = "ERR_MESSAGE_ID_NOT_FOUND"
NOT_A_SENDER = "ERR_MESSAGE_NOT_A_SENDER"
NOT_ALLOWED = "ERR_MESSAGE_ACTION_NOT_ALLOWED"
MARK = "edelweiss"
PERMANENT = {"permanent": True}


@pytest.fixture
async def pair(world: World) -> World:
    """Anna has sent "edelweiss" to Ben, as 2 of 3; Clara is not involved."""
    await world.users("anna", "ben", "clara")
    await say(world, "anna", to_user("ben", "First"))
    body = to_user("ben", MARK, tags=[MARK], muid=MARK, conversationText=MARK)
    await say(world, "anna", {**body, "data": {"text": MARK, "metadata": {"a": MARK}}})
    await say(world, "ben", to_user("anna", "Last"))
    return world


async def delete(
    world: World, id_: str, by: str | None = "anna", *, permanent: bool = False
) -> Json:
    """Delete a message; return the action message."""
    body = PERMANENT if permanent else None
    action: Json = await world.delete(f"/messages/{id_}", body, as_=by)
    return action


async def test_a_deletion_is_an_action_message(pair: World, clock: ManualClock) -> None:
    """The answer is an action message, in which users see the message without its content."""
    clock.advance(60)

    action = await delete(pair, "2")

    assert (action["id"], action["category"], action["type"]) == ("4", "action", "message")
    assert (action["sender"], action["conversationId"]) == ("anna", "anna_user_ben")
    assert action["data"]["action"] == "deleted"
    entities = action["data"]["entities"]
    assert (entities["by"]["entity"]["uid"], entities["for"]["entity"]["uid"]) == ("anna", "ben")
    deleted = entities["on"]["entity"]
    assert deleted == await pair.get("/messages/2", as_="anna")
    assert (deleted["deletedAt"], deleted["deletedBy"]) == (clock.now(), "anna")
    assert deleted["updatedAt"] == clock.now()
    assert list(deleted["data"]) == ["entities"]


async def test_users_see_no_content(pair: World) -> None:
    """Neither lists nor look-ups show users any content of a deleted message."""
    await delete(pair, "2")

    for uid in ("anna", "ben"):
        for path in ("/messages?withTags=true", "/messages/2", "/messages/4"):
            found = str(await pair.get(path, as_=uid)).replace(f"'muid': '{MARK}'", "")
            assert MARK not in found
    assert (await pair.get("/messages/2", as_="ben"))["muid"] == MARK


async def test_the_app_sees_the_content(pair: World) -> None:
    """For the app itself a softly deleted message is unchanged."""
    before = await pair.get("/messages/2")
    await delete(pair, "2")

    after = await pair.get("/messages/2")
    assert after["data"] == before["data"]
    assert after["tags"] == [MARK]
    assert (await pair.get("/messages/4"))["data"]["entities"]["on"]["entity"] == after


async def test_lists_with_deleted_messages(pair: World) -> None:
    """A deleted message keeps its place; on request, lists omit it or have only such messages."""
    await delete(pair, "2")

    for query, found in (("", "1234"), ("hideDeleted=true", "134"), ("onlyDeleted=true", "2")):
        for uid in (None, "ben"):
            rows = await pair.get(f"/messages?{query}", as_=uid)
            assert "".join(row["id"] for row in rows) == found


async def test_a_soft_deletion_changes_no_conversation(pair: World) -> None:
    """A softly deleted message still counts as unread, and as lastMessage is shown as deleted."""
    said = await say(pair, "anna", to_user("ben", MARK))
    before = await pair.get("/users/anna/conversation", as_="ben")
    await delete(pair, said["id"])

    after = await pair.get("/users/anna/conversation", as_="ben")
    assert after["unreadMessageCount"] == before["unreadMessageCount"] == "3"
    assert after["updatedAt"] == before["updatedAt"]
    assert after["lastMessage"]["id"] == said["id"]
    assert after["lastMessage"]["deletedBy"] == "anna"
    assert MARK not in str(after)


@pytest.mark.parametrize("is_permanent", [False, True])
async def test_a_deletion_is_an_event(node: Node, pair: World, *, is_permanent: bool) -> None:
    """The event names the message, the action message, and whether the deletion is permanent."""
    await delete(pair, "2", permanent=is_permanent)

    *_, name, at, body = (await events(node, pair))[-1]
    known = {"message": 4, "on": 2, "by": "anna", "permanent": is_permanent, "at": at}
    assert name == "message_deleted"
    assert known.items() <= json.loads(body).items()
    assert MARK not in str(await events(node, pair))


# Permanently


async def test_a_permanent_deletion_is_an_action_message(pair: World, clock: ManualClock) -> None:
    """For a permanently deleted message the action message has the id, the actor, and the time."""
    clock.advance(60)

    action = await delete(pair, "2", permanent=True)

    on = {
        "entity": {
            "id": "2",
            "conversationId": "anna_user_ben",
            "deletedAt": clock.now(),
            "deletedBy": "anna",
        },
        "entityType": "message",
    }
    assert action["data"]["entities"]["on"] == on
    for uid in (None, "anna", "ben"):
        assert (await pair.get("/messages/4", as_=uid))["data"]["entities"]["on"] == on


@pytest.mark.parametrize("by", [None, "anna"])
async def test_a_permanently_deleted_message_is_not_found(pair: World, by: str | None) -> None:
    """Afterwards nobody finds the message, in any way, not even the app."""
    await delete(pair, "2", by, permanent=True)

    for uid in (None, "anna", "ben"):
        for method, path, body in (
            ("GET", "", None),
            ("PUT", "", {"data": {"text": "Back"}}),
            ("DELETE", "", None),
            ("DELETE", "", PERMANENT),
            ("GET", "/reactions", None),
            ("POST", "/reactions/a", None),
            ("POST", "/pin", None),
            ("DELETE", "/pin", None),
            ("POST", "/save", None),
        ):
            if uid is None and path in ("/save", "/reactions/a"):
                continue
            path = f"/messages/2{path}"
            await pair.refused(method, path, body, as_=uid, status=404, code=NOT_FOUND)
        for query in ("", "onlyDeleted=true", f"tags={MARK}", "sender=anna", "affix=prepend"):
            rows = await pair.get(f"/messages?{query}", as_=uid)
            assert "2" not in [row["id"] for row in rows]
        assert MARK not in str(await pair.get("/messages", as_=uid))


async def test_a_tombstone_holds_no_content(node: Node, pair: World) -> None:
    """No table has any content of it; the fields for counts and receipts are kept."""
    before = (await stored(node, pair, TOMBSTONE))[0]
    for path in ("/reactions/👍", "/pin", "/save"):
        await pair.post(f"/messages/2{path}", as_="ben")
    await pair.put("/messages/2", {"data": {"text": f"{MARK} <@uid:ben>"}}, as_="anna")
    given = {"message": 2, "uid": "ben", "kind": FLAGGED}
    await insert_missing_rows(node, pair, "message", given)
    assert all((await rows_of(node, pair, HANGING, message=2)).values())

    await delete(pair, "2", permanent=True)

    after = await rows_of(node, pair)
    assert tables_with_word(after, MARK) == ["messages"]
    assert [row for row in after["messages"] if MARK in str(row)] == [
        row for row in after["messages"] if MARK in row
    ]
    assert not any((await rows_of(node, pair, HANGING, message=2)).values())
    assert (await stored(node, pair, TOMBSTONE))[0] == before
    assert tables_with_word(after, "👍") == ["events"]


TOMBSTONE = (
    "SELECT id, conversation, muid, sender, receiver, counts, ordinal, sent_at FROM messages"
    " WHERE app_id = :app_id AND id = 2"
)
HANGING = [name for name in tables_with_column("message") if name != "files"]
"""The tables whose rows refer to a message; files are removed separately."""


async def test_the_muid_of_a_permanently_deleted_message(pair: World) -> None:
    """A repeated send with its muid neither returns it nor sends a new message."""
    await delete(pair, "2", permanent=True)

    body = to_user("ben", "Again", muid=MARK)
    await pair.refused("POST", "/messages", body, as_="anna", status=404, code=NOT_FOUND)


async def test_unread_counts_stay(pair: World) -> None:
    """A message deleted unread counts until its receiver reads past it."""
    await delete(pair, "2", permanent=True)
    said = await say(pair, "anna", to_user("ben", "More"))

    count = (await pair.get("/users/anna/conversation", as_="ben"))["unreadMessageCount"]
    assert count == "3"
    await pair.post("/users/anna/conversation/read", {"messageId": int(said["id"])}, as_="ben")
    after = await pair.get("/users/anna/conversation", as_="ben")
    assert after["unreadMessageCount"] == "0"


async def test_the_one_before_is_the_last_message(pair: World, clock: ManualClock) -> None:
    """When the lastMessage is deleted permanently, the one before it is shown, if there is one."""
    clock.advance(10)
    said = await say(pair, "anna", to_user("ben", "Later"))
    for id_, before in ((said["id"], "3"), ("3", "2"), ("2", "1")):
        await delete(pair, id_, None, permanent=True)
        found = await pair.get("/users/anna/conversation", as_="ben")
        assert found["lastMessage"]["id"] == before
        assert found["updatedAt"] == (await pair.get(f"/messages/{before}"))["sentAt"]
    await delete(pair, "1", None, permanent=True)

    found = await pair.get("/users/anna/conversation", as_="ben")
    assert "lastMessage" not in found
    assert found["updatedAt"] == found["createdAt"]
    said = await say(pair, "ben", to_user("anna", "Anew"))
    found = await pair.get("/users/anna/conversation", as_="ben")
    assert found["lastMessage"]["id"] == said["id"]


async def test_deleting_an_earlier_message_moves_nothing(pair: World, clock: ManualClock) -> None:
    """Deleting another message than the lastMessage does not move the conversation."""
    before = await pair.get("/users/anna/conversation", as_="ben")
    clock.advance(10)
    await delete(pair, "2", permanent=True)

    after = await pair.get("/users/anna/conversation", as_="ben")
    assert (after["lastMessage"]["id"], after["updatedAt"]) == ("3", before["updatedAt"])


async def test_an_action_may_be_the_last_message(pair: World) -> None:
    """If the app has set so, the action message of the deletion is the lastMessage."""
    await pair.put("/settings", {"settings": {"core.conversations.updateOnMessageActions": True}})
    await delete(pair, "3", "ben", permanent=True)

    found = await pair.get("/users/anna/conversation", as_="ben")
    assert found["lastMessage"]["data"]["entities"]["on"]["entity"]["id"] == "3"


async def test_deleted_softly_then_permanently(pair: World) -> None:
    """A softly deleted message can be deleted permanently, but not softly again."""
    await delete(pair, "2")
    for by in (None, "anna"):
        await pair.refused("DELETE", "/messages/2", as_=by, status=403, code=NOT_ALLOWED)

    await delete(pair, "2", permanent=True)
    await pair.refused("GET", "/messages/2", status=404, code=NOT_FOUND)
    for id_ in ("4", "5"):
        on = (await pair.get(f"/messages/{id_}", as_="ben"))["data"]["entities"]["on"]["entity"]
        assert set(on) == {"id", "conversationId", "deletedAt", "deletedBy"}


async def test_several_are_erased_at_once(node: Node, pair: World) -> None:
    """Messages of several conversations may be erased in one transaction."""
    others = [await say(pair, "clara", to_user("anna", f"{MARK} {n}", tags=["x"])) for n in "abc"]

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        await erase_messages(tx, [2, 3, *(int(row["id"]) for row in others[1:]), 999])
        await erase_messages(tx, [2])
        await erase_messages(tx, [])

    await node.runtime.database.write(pair.app_id, within)

    assert [row["id"] for row in await pair.get("/messages")] == ["1", others[0]["id"]]
    for uid, shown in (("ben", "1"), ("clara", others[0]["id"])):
        found = await pair.get(f"/users/{uid}/conversation", as_="anna")
        assert found["lastMessage"]["id"] == shown


async def test_concurrent_deletions(pair: World) -> None:
    """Of concurrent deletions one succeeds, and the others find nothing."""
    answers = await asyncio.gather(
        *(pair.ask("DELETE", "/messages/2", PERMANENT, as_="anna") for _ in range(5))
    )

    assert sorted(answer.status for answer in answers) == [200, *[404] * 4]
    assert [row["id"] for row in await pair.get("/messages")] == ["1", "3", "4"]


# Permissions


@pytest.fixture
async def hike(world: World) -> World:
    """Paul has sent a message to the hikers; Pia is a participant, too."""
    await make_hikers(world)
    await world.user("pia")
    await world.post("/groups/hikers/members", {"participants": ["pia"]})
    await say(world, "paul", to_group("hikers", "Up we go"))
    return world


async def first(world: World) -> str:
    """Return the id of Paul's message."""
    return str((await world.get("/messages?category=message"))[0]["id"])


@pytest.mark.parametrize("by", [None, "olga", "adam", "mona", "paul"])
@pytest.mark.parametrize("is_permanent", [False, True])
async def test_rights_to_delete_in_a_group(
    hike: World, by: str | None, *, is_permanent: bool
) -> None:
    """The sender, moderators, admins and the app delete a message to a group."""
    action = await delete(hike, await first(hike), by, permanent=is_permanent)

    assert action["sender"] == (by or "app_system")
    assert action["data"]["entities"]["on"]["entity"]["deletedBy"] == (by or "app_system")


@pytest.mark.parametrize(
    ("by", "status", "code"),
    [("pia", 403, NOT_A_SENDER), ("bob", 404, NOT_FOUND), ("sara", 404, NOT_FOUND)],
)
async def test_deletions_in_a_group_that_are_refused(
    hike: World, by: str, status: int, code: str
) -> None:
    """Members who only see it are refused, and for others it does not exist."""
    for body in (None, PERMANENT):
        path = f"/messages/{await first(hike)}"
        await hike.refused("DELETE", path, body, as_=by, status=status, code=code)

    assert await texts(hike, "/messages?category=message") == ["Up we go"]


async def test_rights_to_delete_between_two_users(pair: World) -> None:
    """Between two users only the sender may; the other one is refused, a third finds nothing."""
    for by, status, code in (("ben", 403, NOT_A_SENDER), ("clara", 404, NOT_FOUND)):
        for body in (None, PERMANENT):
            await pair.refused("DELETE", "/messages/2", body, as_=by, status=status, code=code)

    await pair.delete("/messages/2", token=await pair.token("anna"))


async def test_the_app_deletes_between_two(pair: World) -> None:
    """A deletion by the app between two users is recorded in their conversation."""
    action = await delete(pair, "2", None, permanent=True)

    assert (action["sender"], action["conversationId"]) == ("app_system", "anna_user_ben")
    for path, uid in (("/users/ben/messages", "anna"), ("/users/anna/messages", "ben")):
        rows = await pair.get(path, as_=uid)
        assert [row["id"] for row in rows] == ["1", "3", "4"]
        assert rows[-1]["conversationId"] == "anna_user_ben"


async def test_deleting_after_a_block(pair: World) -> None:
    """A sender may delete a message also after a block."""
    await pair.post("/users/ben/blockedusers", {"blockedUids": ["anna"]})

    assert await delete(pair, "2")


async def test_action_messages_stay(hike: World) -> None:
    """An action message cannot be deleted, neither by a user nor by the app."""
    for by in (None, "olga", "mona", "paul"):
        for body in (None, PERMANENT):
            await hike.refused("DELETE", "/messages/1", body, as_=by, status=403, code=NOT_ALLOWED)


async def denied(world: World, id_: str, by: str, permission: str) -> None:
    """Check that a user may not delete, and that the refusal gives the reason."""
    details = await world.refused("DELETE", f"/messages/{id_}", as_=by, status=403, code=DENIED)
    assert list(details) == [permission]


async def test_a_role_may_not_delete(hike: World) -> None:
    """The permission of a role denies deletion to its users, not to the app."""
    id_ = await first(hike)
    permissions = {"deleteMessage": "deny"}
    await hike.put("/roles/default/permissions", {"permissions": permissions})

    await denied(hike, id_, "paul", "deleteMessage")
    assert await delete(hike, id_, None)


async def test_a_role_may_not_delete_in_some_scopes(hike: World) -> None:
    """A role may be denied deletion in some scopes; one-to-one this does not matter."""
    id_ = await first(hike)
    permissions = {"deleteMessage.denyForScopes": ["participant"]}
    await hike.put("/roles/default/permissions", {"permissions": permissions})

    await denied(hike, id_, "paul", "deleteMessage.denyForScopes")
    said = await say(hike, "paul", to_user("pia"))
    assert await delete(hike, said["id"], "paul")
    assert await delete(hike, id_, "mona")


async def test_deleting_messages_of_others_is_a_feature(hike: World) -> None:
    """A role may be denied deleting others' messages in groups, and still delete its own."""
    id_ = await first(hike)
    features = {"featuresToRestrict": ["deleteGroupMessages"]}
    await hike.post("/roles/default/restrictedfeatures", features)

    await denied(hike, id_, "mona", "u.deleteGroupMessages")
    await hike.refused("DELETE", f"/messages/{id_}", as_="pia", status=403, code=NOT_A_SENDER)
    assert await delete(hike, id_, "paul")
    said = await say(hike, "paul", to_group("hikers"))
    assert await delete(hike, said["id"], None)


@pytest.mark.parametrize("body", [{"permanent": "yes"}, {"permanent": 1}, b"[]", b"{"])
@one_engine
async def test_a_malformed_deletion(node: Node, pair: World, body: Any) -> None:
    """A malformed body deletes nothing."""
    before = await pair.get("/messages"), await events(node, pair)

    details = await pair.refused("DELETE", "/messages/2", body, as_="anna", status=400, code=BAD)

    assert list(details) == (["permanent"] if isinstance(body, dict) else [])
    assert (await pair.get("/messages"), await events(node, pair)) == before


@pytest.mark.parametrize("id_", ["4", "999999", str(2**63 - 1)])
async def test_there_is_nothing_to_delete(pair: World, id_: str) -> None:
    """The id of a missing message is not found."""
    for by in (None, "anna"):
        await pair.refused("DELETE", f"/messages/{id_}", as_=by, status=404, code=NOT_FOUND)


# With the erasure of users and groups


async def test_an_erased_sender_leaves_the_one_before(node: Node, hike: World) -> None:
    """When a user is deleted permanently, the lastMessage of a group is an existing one."""
    await say(hike, "pia", to_group("hikers", "Wait!"))
    last = await say(hike, "paul", to_group("hikers", "No."))
    action = await delete(hike, last["id"], "mona")
    await hike.delete("/users/paul", PERMANENT)
    await erase_all(node.runtime)

    found = await hike.get("/groups/hikers/conversation", as_="pia")
    assert found["lastMessage"]["data"]["text"] == "Wait!"
    seen = await hike.get(f"/messages/{action['id']}", as_="pia")
    on = seen["data"]["entities"]["on"]["entity"]
    assert on == {"id": last["id"], "conversationId": "group_hikers"}
    assert tables_with_value({"messages": (await rows_of(node, hike))["messages"]}, "paul") == []


async def test_a_tombstone_is_erased_with_its_sender(node: Node, hike: World) -> None:
    """The tombstone of a message exists until its sender is erased."""
    await delete(hike, await first(hike), "mona", permanent=True)
    count = "SELECT count(*) FROM messages WHERE app_id = :app_id AND sender = 'paul'"
    assert await stored(node, hike, count) == [(1,)]
    await hike.delete("/users/paul", PERMANENT)
    await erase_all(node.runtime)

    assert await stored(node, hike, count) == [(0,)]

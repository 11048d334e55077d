"""A deleted group is not found at once, its guid is free at once, and none of its rows remain."""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from functools import partial
from typing import Any

import pytest
from tests.api.groups.clubs import (
    BANS,
    HIKERS,
    MEMBERS,
    NO_GROUP,
    banned,
    create_group,
    guids,
    join_group,
    make_hikers,
    scopes,
)
from tests.api.messages.talk import say, stored, texts, to_group
from tests.api.people.erasing import (
    MARK,
    WAYS,
    Rows,
    erase_by,
    insert_missing_rows,
    rows_of,
    tables_with_column,
    tables_with_value,
    tables_with_word,
)
from tests.world import Json, Node, World

from hubbub.domain.erasure.erase import erase_all

Erasing = Callable[[], Awaitable[None]]
OF_CONVERSATIONS = tables_with_column("conversation")
FOUND_BY = ["groups", "group_words", "group_tags", "conversations", "counters"]


@pytest.fixture(params=WAYS)
async def erases(request: pytest.FixtureRequest, node: Node) -> Erasing:
    """Return a function that runs all erasures, with or without an interruption."""
    await erase_all(node.runtime)  # left by other tests
    return partial(erase_by, request.param, node)


async def number_of(node: Node, world: World) -> int:
    """Return the number of the hikers' conversation."""
    text = "SELECT conversation FROM groups WHERE app_id = :app_id AND guid = 'hikers'"
    ((number,),) = await stored(node, world, text)
    return int(number)


async def insert_missing_rows_of_hikers(node: Node, world: World, uid: str) -> None:
    """Make sure that each table with rows of conversations has one of the hikers."""
    number = await number_of(node, world)
    text = f"SELECT max(id) FROM messages WHERE app_id = :app_id AND conversation = {number}"
    ((message,),) = await stored(node, world, text)
    values = {"conversation": number, "message": message, "uid": uid}
    await insert_missing_rows(node, world, "conversation", values)


async def look(world: World, paths: Collection[str], **how: Any) -> list[Json]:
    """Return the answers to several reads, without the cursors of events."""
    answers = [await world.ask("GET", path, **how) for path in paths]
    return [{**each.json, "meta": each.paging} for each in answers]


@pytest.fixture
async def town(node: Node, world: World) -> World:
    """The hikers, with a history full of edelweiss, and the divers, who are not deleted."""
    profile: Json = {
        "name": f"{MARK} hikers",
        "description": f"We pick {MARK}",
        "metadata": {"emblem": MARK},
        "tags": [MARK, "outdoor"],
    }
    await make_hikers(world, **profile, type="password", password=MARK)
    await create_group(
        world, "divers", tags=["outdoor"], members={"participants": ["paul", "sara"]}
    )
    for uid in ("olga", "paul"):
        for number in range(6):
            message = to_group("hikers", f"{MARK} {number}", tags=[MARK], muid=f"{number}")
            await say(world, uid, message)
        await say(world, uid, to_group("divers", f"Dive, says {uid}", tags=["outdoor"]))
    await join_group(world, "sara", password=MARK)
    await world.delete(f"{MEMBERS}/sara", as_="sara")
    permissions = {"permissions": {"sendMessage": "deny"}}
    await world.put(f"{HIKERS}/scopes/participant/permissions", permissions)
    await insert_missing_rows_of_hikers(node, world, "olga")
    return world


async def test_a_group_hangs_on_its_conversation(node: Node, town: World) -> None:
    """Every table with rows of conversations has some of the hikers, so these tests see all."""
    rows = await rows_of(node, town, OF_CONVERSATIONS, conversation=await number_of(node, town))

    assert all(rows.values()), rows
    marked = tables_with_word(await rows_of(node, town), MARK)
    assert {"groups", "group_words", "group_tags", "messages", "message_tags"} <= set(marked)


async def test_a_deleted_group_is_not_found(town: World) -> None:
    """Nobody, member or app, finds a deleted group by its guid."""
    await town.delete(HIKERS, as_="olga")

    for uid in (None, "olga", "paul", "bob"):
        for method, path, body in [
            ("GET", HIKERS, None),
            ("PUT", HIKERS, {"name": "Back"}),
            ("GET", MEMBERS, None),
            ("POST", MEMBERS, {"participants": ["sara"]}),
            ("POST", MEMBERS, {"password": MARK} if uid else {"admins": ["sara"]}),
            ("DELETE", f"{MEMBERS}/paul", None),
            ("GET", BANS, None),
            ("DELETE", f"{BANS}/bob", None),
            ("GET", f"{HIKERS}/messages", None),
            ("POST", "/messages", to_group("hikers")),
        ]:
            await town.refused(method, path, body, as_=uid, status=404, code=NO_GROUP)


@pytest.mark.parametrize("uid", [None, "olga", "paul"])
async def test_a_deleted_group_is_in_no_list(town: World, uid: str | None) -> None:
    """A deleted group is in no list of groups, and in no total."""
    await town.delete(HIKERS)

    for query in ("", "hasJoined=1", "tags=outdoor", "types=public,password", "sortBy=name"):
        if uid is None and query == "hasJoined=1":
            continue  # which lists the groups that a user has joined
        assert await guids(town, f"/groups?{query}", as_=uid) == ["divers"]
        assert town.answer.meta["pagination"]["total"] == 1
    for query in (f"tags={MARK}", f"searchKey={MARK}", "searchKey=hikers", "type=password"):
        assert await guids(town, f"/groups?{query}", as_=uid) == []
        assert town.answer.meta["pagination"]["total"] == 0


@pytest.mark.parametrize("uid", [None, "olga", "paul"])
async def test_messages_of_a_deleted_group_are_not_found(town: World, uid: str | None) -> None:
    """None of its messages is found, by id or in lists; those of other groups are."""
    ids = [row["id"] for row in await town.get(f"{HIKERS}/messages")]
    await town.delete(HIKERS)

    rows = await town.get("/messages", as_=uid)
    assert {row["receiver"] for row in rows} == {"divers"}
    assert len(ids) > 12
    for id_ in ids:
        missing = "ERR_MESSAGE_ID_NOT_FOUND"
        await town.refused("GET", f"/messages/{id_}", as_=uid, status=404, code=missing)
    for query in (f"tags={MARK}", "sender=adam"):
        assert await town.get(f"/messages?{query}", as_=uid) == []
    path = "/messages?conversationId=group_hikers"
    gone = "ERR_CONVERSATION_NOT_ACCESSIBLE"
    await town.refused("GET", path, as_=uid, status=404, code=gone)


async def test_nothing_is_left_of_a_group(node: Node, town: World, erases: Erasing) -> None:
    """After the erasure no table has a row of the group, except the event of its deletion."""
    number = await number_of(node, town)
    await town.delete(HIKERS)
    await erases()

    assert await left_of(node, town, number) == {}
    after = await rows_of(node, town)
    assert tables_with_word(after, MARK) == ["events"]
    assert [row[3] for row in after["events"] if MARK in str(row)] == ["group_deleted"]
    assert tables_with_value(after, "hikers") == []


async def left_of(node: Node, world: World, number: int) -> Rows:
    """Return the rows that still refer to a conversation, without memberships: they have ended."""
    rows = await rows_of(node, world, OF_CONVERSATIONS, conversation=number)
    rows |= await rows_of(node, world, ["conversations"], number=number)
    assert all(row[-1] is not None for row in rows.pop("memberships")), "to_event"
    return {name: some for name, some in rows.items() if some}


async def test_data_of_others_remains(town: World, erases: Erasing) -> None:
    """The deletion of a group removes nothing from other groups, nor from its members."""
    paths = ("/groups/divers", "/groups/divers/members", "/groups/divers/messages", "/users")
    before = await look(town, paths)
    await town.delete(HIKERS)
    await erases()

    assert await look(town, paths) == before
    assert await texts(town, "/messages?category=message", as_="paul") == [
        "Dive, says olga",
        "Dive, says paul",
    ]


async def make_new_hikers(node: Node, world: World) -> None:
    """Create another group with the same guid, some of the same users and the same texts."""
    await create_group(
        world, by="paul", name="New hikers", tags=["outdoor"], members={"admins": ["olga"]}
    )
    await join_group(world, "bob")
    await world.post(f"{BANS}/adam", as_="paul")
    for uid in ("olga", "paul", "bob"):
        for number in range(3):
            text = f"New {number}, {uid}"
            await say(world, uid, to_group("hikers", text, muid=f"{number}", tags=["new"]))
    await insert_missing_rows_of_hikers(node, world, "paul")


async def test_a_guid_is_free_at_once(node: Node, town: World) -> None:
    """A new group with the same guid has nothing of the old one, before that is erased."""
    await town.delete(HIKERS)
    await create_group(town, by="paul")

    assert (await scopes(town), await banned(town)) == ({"paul": "admin"}, [])
    assert await town.get(f"{HIKERS}/messages") == []
    assert (await join_group(town, "olga"))["data"]["data"]["action"] == "joined"
    await join_group(town, "bob")
    await say(town, "bob", to_group("hikers", "Nobody denies me this"))
    assert await texts(town, f"{HIKERS}/messages?category=message", as_="olga") == [
        "Nobody denies me this"
    ]


async def test_a_new_group_keeps_everything(node: Node, town: World, erases: Erasing) -> None:
    """Everything created under the guid before the erasure remains, row by row."""
    old = await number_of(node, town)
    await town.delete(HIKERS)
    await make_new_hikers(node, town)
    new = await number_of(node, town)
    paths = (HIKERS, MEMBERS, BANS, f"{HIKERS}/messages", "/messages", "/groups?searchKey=new")
    answers = [await look(town, paths, as_=uid) for uid in (None, "paul")]
    kept = await rows_of(node, town, OF_CONVERSATIONS, conversation=new)
    found_by = await rows_of(node, town, FOUND_BY)
    await erases()

    assert all(kept.values())
    assert await rows_of(node, town, OF_CONVERSATIONS, conversation=new) == kept
    assert await rows_of(node, town, FOUND_BY) == found_by
    assert await left_of(node, town, old) == {}
    assert [await look(town, paths, as_=uid) for uid in (None, "paul")] == answers


async def test_muids_are_free_with_the_group(town: World, erases: Erasing) -> None:
    """A muid of the deleted group is a new message in another, before and after the erasure."""
    await town.delete(HIKERS)
    for number in range(2):
        said = await say(town, "paul", to_group("divers", f"New {number}", muid=f"{number}"))
        assert "idempotent-replayed" not in town.answer.headers
        assert said["data"]["text"] == f"New {number}"
    await erases()

    again = await say(town, "paul", to_group("divers", "Again", muid="0"))
    assert again["data"]["text"] == "New 0"
    said = await say(town, "paul", to_group("divers", "New 5", muid="5"))
    assert said["data"]["text"] == "New 5"


async def test_a_guid_used_again_and_again(node: Node, world: World, erases: Erasing) -> None:
    """Several groups with one guid may be deleted before the erasure; the last one remains."""
    await world.users("olga", "paul")
    for number in range(5):
        await create_group(world, name=f"{MARK} {number}", members={"participants": ["paul"]})
        await say(world, "paul", to_group("hikers", f"{MARK} {number}"))
        await world.delete(HIKERS)
    await create_group(world, members={"participants": ["paul"]})
    await say(world, "paul", to_group("hikers", "Hello"))
    await erases()

    assert await texts(world, f"{HIKERS}/messages?category=message") == ["Hello"]
    assert await guids(world, "/groups") == ["hikers"]
    assert await scopes(world) == {"olga": "admin", "paul": "participant"}
    assert tables_with_word(await rows_of(node, world), MARK) == ["events"]


async def test_a_group_is_deleted_once_by_concurrent_calls(town: World) -> None:
    """Of several concurrent deletions one succeeds, and the group is counted once."""
    answers = await asyncio.gather(
        *(town.ask("DELETE", HIKERS, as_=by) for by in (None, "olga", "adam"))
    )

    assert sorted(answer.status for answer in answers) == [200, 404, 404]
    assert await guids(town, "/groups") == ["divers"]
    assert town.answer.meta["pagination"]["total"] == 1


async def test_deleting_while_others_join_and_write(
    town: World, node: Node, erases: Erasing
) -> None:
    """Joins and messages during the deletion leave nothing behind."""
    number = await number_of(node, town)
    await asyncio.gather(
        *(town.ask("POST", "/messages", to_group("hikers"), as_="olga") for _ in range(5)),
        town.ask("POST", MEMBERS, {"password": MARK}, as_="sara"),
        town.ask("DELETE", HIKERS),
        *(town.ask("POST", "/messages", to_group("hikers"), as_="olga") for _ in range(5)),
        town.ask("POST", MEMBERS, {"participants": ["sara"]}, as_="adam"),
    )
    await erases()

    assert await guids(town, "/groups") == ["divers"]
    assert await left_of(node, town, number) == {}

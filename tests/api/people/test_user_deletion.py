"""A permanently deleted user is not found, the uid is free at once, and no row remains."""

from collections.abc import Awaitable, Callable

import pytest
from tests.api.groups.clubs import (
    BANS,
    HIKERS,
    MEMBERS,
    banned,
    create_group,
    join_group,
    member_actions,
    owner,
    scopes,
)
from tests.api.messages.talk import events, group, say, stored, texts, to_group, to_user
from tests.api.metrics.counting import count_log
from tests.api.moderation.ruling import delete_rule, make_rule
from tests.api.people.erasing import (
    MARK,
    WAYS,
    erase_by,
    insert_missing_rows,
    rows_of,
    tables_with_column,
    tables_with_value,
    tables_with_word,
)
from tests.clock import FAR_AHEAD
from tests.world import Node, World

from hubbub.domain.erasure.erase import erase_all

Erasing = Callable[[], Awaitable[None]]
NAMED_ELSEWHERE = {
    "receipts": ["uid = '!dora'", "alone = 'dora'"],
    "messages": [
        "edited_by = 'dora' AND sender = 'ben'",
        "deleted_by = 'dora' AND sender = 'ben'",
    ],
    "groups": ["updated_by = 'dora'"],
}
"""Columns that name users beside those of their own data."""
CONTACT = "/notifications/v1/contact-details"
MUTE = "/notifications/v1/preferences/mute"
PUSH = "/notifications/push/v1"


@pytest.fixture(params=WAYS)
async def erases(request: pytest.FixtureRequest, node: Node, world: World) -> Erasing:
    """Return a function that runs all erasures, with or without an interruption.

    It also counts the log: the consumer that counts deletes what it keeps of a user.
    """
    await erase_all(node.runtime)  # left by other tests

    async def run() -> None:
        await erase_by(request.param, node)
        await count_log(node.runtime, world)

    return run


@pytest.fixture
async def circle(node: Node, world: World) -> World:
    """Dora, who is in groups, has friends, blocks, tokens, and sends "edelweiss" to everybody."""
    await world.users("anna", "ben", "chiara")
    await create_dora(world, MARK)
    await create_group(world, members={"participants": ["dora", "ben"]}, by="anna")
    await create_group(world, "divers", by="dora", members={"participants": ["ben"]})
    await create_group(world, "readers", by="anna", members={"usersToBan": ["dora"]})
    await world.post("/users/ben/blockedusers", {"blockedUids": ["dora"]})
    await meet(world, MARK)
    await world.put(f"{MEMBERS}/dora", {"scope": "moderator"}, as_="anna")
    await world.post(f"{BANS}/chiara", as_="dora")
    await make_rule(world, "blocked", "blockMessage")
    await say(world, "dora", to_group("hikers", f"{MARK}, which is blocked"))
    await delete_rule(world, "blocked")
    later = {"sendAt": node.clock.now() + 3_600, **to_group("hikers", MARK)}
    await world.post("/messages", later, as_="dora")
    await leave_traces(world)
    await count_log(node.runtime, world)
    await insert_rows_of_dora(node, world)
    return world


async def leave_traces(world: World) -> None:
    """Dora changes Ben's message, is mentioned, is the last to read, and is alone in a group."""
    said = [(await say(world, "ben", to_group("divers", f"Dive {it}")))["id"] for it in range(4)]
    await say(world, "ben", to_group("divers", "Hello <@uid:dora>"))
    await world.put(f"/messages/{said[0]}", {"data": {"text": "Hm"}}, as_="dora")
    await world.delete(f"/messages/{said[1]}", as_="dora")
    await world.delete(f"/messages/{said[2]}", {"permanent": True}, as_="dora")
    await world.post(f"/messages/{said[3]}/pin", as_="dora")
    await world.post("/groups/divers/conversation/read", as_="ben")
    await world.put("/groups/divers", {"description": "Deep"}, as_="dora")
    await create_group(world, "cavers", by="dora")
    await world.post("/messages", to_group("cavers"))
    await world.post("/groups/cavers/conversation/read", as_="dora")
    await join_group(world, "ben", "cavers")


async def insert_rows_of_dora(node: Node, world: World) -> None:
    """Make sure that each table with rows of users has one of Dora, about others' messages."""
    text = (
        "SELECT max(m.id), max(m.conversation) FROM messages m JOIN groups g"
        " ON g.app_id = m.app_id AND g.conversation = m.conversation"
        " WHERE m.app_id = :app_id AND m.receiver = 'hikers' AND m.sender = 'anna'"
    )
    ((message, number),) = await stored(node, world, text)
    await insert_missing_rows(
        node, world, "uid", {"conversation": number, "message": message, "uid": "dora"}
    )


async def create_dora(world: World, word: str) -> None:
    """Create a Dora with a word in all her data."""
    metadata = {"@private": {"email": f"{word}@example.com"}, "flower": word}
    await world.user("dora", name=f"Dora {word}", tags=[word], metadata=metadata)
    await world.patch(CONTACT, {"email": f"{word}@example.com"}, as_="dora")
    await world.post("/users/dora/friends", {"accepted": ["anna", "ben"]})
    await world.post("/users/dora/blockedusers", {"blockedUids": ["chiara"]})
    await set_up_notifications(world, word)


async def set_up_notifications(world: World, word: str) -> None:
    """Register a device of Dora, and mute some conversations of hers, and Anna's with her."""
    device = {"platform": "fcm_android", "fcmToken": word, "timezone": "Asia/Tokyo"}
    await world.post(f"{PUSH}/tokens", device | {"authToken": await world.token("dora")})
    for uid, other in (("dora", "anna"), ("anna", "dora")):
        muted = {"id": other, "type": "oneOnOne", "until": FAR_AHEAD * 1_000}
        await world.put(f"{MUTE}?uid={uid}", {"conversations": [muted]})


async def meet(world: World, word: str) -> None:
    """Send messages of Dora to groups and users, and of others to one another."""
    for number in range(4):
        for body in (to_group("hikers", f"{word} {number}"), to_user("anna", f"{word} {number}")):
            muid = f"{body['receiver']} {number}"
            await say(world, "dora", {**body, "muid": muid, "tags": [word]})
        await say(world, "anna", to_user("dora", f"{word} for you, {number}"))
        await say(world, "anna", to_group("hikers", f"Hello {number}"))
        await say(world, "anna", to_user("ben", f"Hi {number}"))


async def delete_dora(world: World) -> None:
    """Delete Dora permanently."""
    await world.delete("/users/dora", {"permanent": True})


async def test_dora_is_everywhere(node: Node, circle: World) -> None:
    """Every table about users has rows of Dora, so these tests see all."""
    about_users = {
        *tables_with_column("uid"),
        *tables_with_column("sender"),
        *tables_with_column("blocked"),
        *tables_with_column("muted"),
    }

    assert about_users <= set(tables_with_value(await rows_of(node, circle), "dora"))
    for table, conditions in NAMED_ELSEWHERE.items():
        for condition in conditions:
            named = f"SELECT 1 FROM {table} WHERE app_id = :app_id AND {condition}"
            assert await stored(node, circle, named), f"{table}: {condition}"


async def test_a_permanently_deleted_user_is_not_found(circle: World) -> None:
    """She is at once in no group, list or friendship, and her tokens are refused."""
    token = await circle.token("dora")
    assert await circle.get("/groups", token=token)
    await delete_dora(circle)

    missing = "AUTH_ERR_AUTH_TOKEN_NOT_FOUND"
    await circle.refused("GET", "/groups", token=token, status=401, code=missing)
    assert await scopes(circle) == {"anna": "admin", "ben": "participant"}
    assert (await owner(circle, "divers"), await scopes(circle, "divers")) == (
        "ben",
        {"ben": "admin"},
    )
    assert await banned(circle, "readers") == []
    assert await circle.uids("/users/anna/friends") == []
    assert await circle.uids("/users/ben/blockedusers") == []
    assert await circle.get("/messages?conversationId=anna_user_ben", as_="anna")
    for uid in (None, "anna"):
        path = "/messages?conversationId=anna_user_dora"
        gone = "ERR_CONVERSATION_NOT_ACCESSIBLE"
        await circle.refused("GET", path, as_=uid, status=404, code=gone)
    assert await circle.uids("/users") == ["chiara", "ben", "anna"]
    assert circle.answer.meta["pagination"]["total"] == 3


async def test_nothing_is_left_of_a_user(node: Node, circle: World, erases: Erasing) -> None:
    """After the erasure no table has her data or messages, nor messages to her alone."""
    await delete_dora(circle)
    await erases()

    after = await rows_of(node, circle)
    assert tables_with_word(after, MARK) == []
    assert tables_with_value(after, "dora") == []


async def test_messages_of_others_remain(circle: World, erases: Erasing) -> None:
    """Messages between others, and to groups, remain, and name her by her uid alone."""
    await delete_dora(circle)
    await erases()

    hellos = [f"Hello {number}" for number in range(4)]
    assert await texts(circle, f"{HIKERS}/messages?category=message", as_="ben") == hellos
    greetings = [f"Hi {number}" for number in range(4)]
    assert await texts(circle, "/users/ben/messages", as_="anna") == greetings
    assert ("scopeChanged", "anna", "dora") in await member_actions(circle)
    assert MARK not in str(await circle.get("/messages")).casefold()
    assert [by for _, by, _ in await member_actions(circle) if by == "dora"] == []
    edited, deleted, pinned, naming_her = await circle.get("/groups/divers/messages?sender=ben")
    assert (edited["data"]["text"], edited["editedBy"]) == ("Hm", "app_system")
    assert deleted["deletedBy"] == (await circle.get("/groups/cavers"))["updatedBy"] == "app_system"
    assert "pinnedAt" not in pinned
    assert naming_her["data"]["text"] == "Hello <@uid:dora>"
    assert "mentions" not in naming_her["data"]
    assert await circle.get("/messages?hasMentions=true") == []


async def test_others_counts_stay_right(circle: World, erases: Erasing) -> None:
    """Counts of members, friends, users, groups and bans are true, before and after."""
    await delete_dora(circle)
    await count(circle)
    await erases()

    await count(circle)


async def count(world: World) -> None:
    """Check that lists without Dora are as long as their totals."""
    for guid, members in (("hikers", 2), ("divers", 1), ("readers", 1), ("cavers", 1)):
        assert len(await scopes(world, guid)) == members
    for path, total in (
        ("/users", 3),
        ("/groups", 4),
        ("/users/anna/friends", 0),
        (BANS, 1),
        ("/groups/readers/bannedusers", 0),
    ):
        assert len(await world.get(path)) == world.answer.meta["pagination"]["total"] == total


async def test_a_new_user_keeps_everything(node: Node, circle: World, erases: Erasing) -> None:
    """A new user with the uid has nothing of the former one, and keeps her own data."""
    await delete_dora(circle)
    await create_dora(circle, "gentian")
    assert await circle.get("/messages", as_="dora") == []
    assert await circle.get("/groups?hasJoined=true", as_="dora") == []
    assert await circle.get("/users/anna/messages", as_="dora") == []
    await join_group(circle, "dora")
    await meet(circle, "gentian")
    rows = await rows_of(node, circle)
    await erases()

    after = await rows_of(node, circle)
    assert tables_with_word(after, MARK) == []
    for name in (
        "members",
        "auth_tokens",
        "contact_details",
        "devices",
        "friends",
        "blocks",
        "muted_users",
        "notification_preferences",
    ):
        assert [row for row in rows[name] if "dora" in row] == [
            row for row in after[name] if "dora" in row
        ], name
    hers = [f"gentian {number}" for number in range(4)]
    assert await texts(circle, "/messages?sender=dora&receiverType=group&category=message") == hers
    assert await texts(circle, "/messages?sender=dora&receiverType=user") == hers
    assert (await circle.get(CONTACT, as_="dora"))["email"] == "gentian@example.com"
    assert (await scopes(circle))["dora"] == "participant"


async def test_a_uid_used_again_and_again(node: Node, circle: World, erases: Erasing) -> None:
    """Several users with one uid may be deleted before the erasure; nothing of any is left."""
    for number in range(3):
        await delete_dora(circle)
        await create_dora(circle, f"{MARK}-{number}")
        await join_group(circle, "dora")
        await meet(circle, f"{MARK}-{number}")
    await delete_dora(circle)
    await erases()

    after = await rows_of(node, circle)
    assert tables_with_word(after, MARK) == []
    assert tables_with_value(after, "dora") == []


async def test_a_user_and_her_group_are_deleted(node: Node, circle: World, erases: Erasing) -> None:
    """In either order of deletion, nothing is left of a user, nor of her groups."""
    await circle.delete(HIKERS)
    await delete_dora(circle)
    await circle.delete("/groups/divers")
    await erases()

    after = await rows_of(node, circle)
    assert tables_with_word(after, MARK) == []
    assert tables_with_value(after, "dora") == []
    assert tables_with_value(after, "hikers") == []


async def test_a_deactivated_user_is_deleted_permanently(circle: World) -> None:
    """A user who was deactivated before is not counted twice, as a user or as a member."""
    await circle.delete("/users", {"uidsToDeactivate": ["dora"]})
    assert "dora" in await scopes(circle)
    await delete_dora(circle)

    await count(circle)


async def test_an_imported_member_leaves_no_trace(node: Node, world: World) -> None:
    """A member by import, which the log does not have, is erased as well."""
    await world.users("dora", "ben")
    await group(world, "hikers", "ben", "dora")
    await delete_dora(world)
    await erase_all(node.runtime)

    assert tables_with_value(await rows_of(node, world), "dora") == []
    assert await scopes(world) == {"ben": "participant"}


async def test_a_softly_deleted_user_leaves_messages(circle: World, node: Node) -> None:
    """Her memberships end and her uid is not free, but her messages remain under her name."""
    await circle.delete("/users/dora")
    await erase_all(node.runtime)

    assert "dora" not in await scopes(circle)
    assert await owner(circle, "divers") == "ben"
    taken = "ERR_UID_ALREADY_EXISTS"
    body = {"uid": "dora", "name": "Dora"}
    await circle.refused("POST", "/users", body, status=409, code=taken)
    rows = await circle.get("/messages?sender=dora&category=message", as_="anna")
    assert {row["data"]["entities"]["sender"]["entity"]["name"] for row in rows} == {f"Dora {MARK}"}
    assert len(rows) == 8


async def test_a_softly_deleted_user_is_deleted_permanently(
    node: Node, circle: World, erases: Erasing
) -> None:
    """After a soft and then a permanent deletion nothing is left of her either."""
    await circle.delete("/users/dora")
    await delete_dora(circle)
    await erases()

    after = await rows_of(node, circle)
    assert tables_with_word(after, MARK) == []
    assert tables_with_value(after, "dora") == []


async def test_a_deletion_is_one_event(node: Node, circle: World) -> None:
    """The log has one event of her deletion and its effects; a group's history has none."""
    told, others = (
        await events(node, circle),
        [it for it in await member_actions(circle) if it[1] != "dora"],
    )
    await delete_dora(circle)

    names = [row[2] for row in (await events(node, circle))[len(told) :]]
    assert names.count("user_deleted") == 1
    had_by_all = {"message_read_receipt", "message_delivery_receipt"}
    kinds = {"user_deleted", "group_owner_transferred", "auth_token_revoked"}
    assert set(names) <= kinds | had_by_all
    assert await member_actions(circle) == others

"""Messages that rules block: who sees them, and what a review makes of them."""

from typing import Any

import pytest
from tests.api.messages.talk import group, say, texts, to_group, to_user
from tests.api.people.erasing import rows_of
from tests.clock import ManualClock
from tests.world import Json, Node, World

from hubbub.domain.access.actor import Actor
from hubbub.domain.erasure.erase import erase_all
from hubbub.domain.messages.compose import MessageInput, compose
from hubbub.domain.moderated.apply import judge_draft
from hubbub.domain.moderated.hold import hold_message
from hubbub.domain.search.index import search_consumer

BLOCKED, REVIEWED = "/moderation/blocked-messages", "/moderation/reviewed-messages"
NOT_FOUND: Any = {"status": 404, "code": "ERR_MESSAGE_ID_NOT_FOUND"}
pytestmark = pytest.mark.usefixtures("ruled")


@pytest.fixture
async def pair(world: World) -> World:
    """Anna has sent 1 to Ben, 2 is held, and 3 was sent to Ben; Clara is somebody else."""
    await world.users("anna", "ben", "clara")
    await say(world, "anna", to_user("ben", "One"))
    await say(world, "anna", to_user("ben", "Two is blocked"))
    await say(world, "anna", to_user("ben", "Three"))
    return world


async def review(world: World, id_: int | str, status: str = "approved") -> Json:
    """Review a held message; return the answer."""
    answer: Json = await world.patch(f"{BLOCKED}/{id_}", {"status": status})
    return answer


async def unread(world: World, uid: str, path: str = "/conversations") -> list[str]:
    """Return the unread counts of a user's conversations."""
    return [row.get("unreadMessageCount", "0") for row in await world.get(path, as_=uid)]


async def test_a_blocked_message_is_held(world: World, clock: ManualClock) -> None:
    """Its sender gets the message, pending, as if it had been sent; the app sees why."""
    await world.users("anna", "ben")
    sent = await say(world, "anna", to_user("ben", "It is blocked", muid="m1", tags=["fun"]))

    assert (sent["id"], sent["muid"], sent["sentAt"]) == ("1", "m1", clock.now())
    assert sent["data"]["moderation"] == {"status": "pending"}
    assert sent["data"]["text"] == "It is blocked"
    [row] = await world.get(BLOCKED)
    assert row["message"] == sent
    assert (row["ruleId"], row["revisionId"], row["term"]) == (
        "blocked",
        f"{world.app_id}_blocked_1",
        "blocked",
    )
    assert row["action"] == ["blockMessage"]
    assert row["condition"]["operand"] == "text"
    assert (row["createdAt"], "appeal" in row) == (clock.now(), False)


async def test_only_its_sender_sees_a_held_message(pair: World) -> None:
    """The sender and the app find it by its id; to others it does not exist."""
    shown = await pair.get("/messages/2", as_="anna")

    assert shown == await pair.get("/messages/2")
    assert "deliveredAt" not in shown
    for uid in ("ben", "clara"):
        await pair.refused("GET", "/messages/2", as_=uid, **NOT_FOUND)


@pytest.mark.parametrize("uid", [None, "anna", "ben"])
async def test_a_held_message_is_in_no_list(node: Node, pair: World, uid: str | None) -> None:
    """Histories, searches, threads, counts and lastMessage do without it."""
    await search_consumer(node.runtime).consume_all()

    assert await texts(pair, "/messages", as_=uid) == ["One", "Three"]
    assert await texts(pair, "/messages?searchKey=Two", as_=uid) == []
    assert await texts(pair, "/messages?searchKey=Three", as_=uid) == ["Three"]
    assert await unread(pair, "ben") == ["2"]
    [conversation] = await pair.get("/conversations", as_="ben")
    assert conversation["lastMessage"]["id"] == "3"


async def test_a_first_message_that_is_held_makes_no_conversation(world: World) -> None:
    """Neither of the two has a conversation; once it is approved, both have."""
    await world.users("anna", "ben")
    await say(world, "anna", to_user("ben", "It is blocked"))

    for uid in ("anna", "ben"):
        assert await world.get("/conversations", as_=uid) == []
    await review(world, 1)
    assert await unread(world, "ben") == ["1"]
    [conversation] = await world.get("/conversations", as_="anna")
    assert conversation["lastMessage"]["id"] == "1"


async def test_nothing_is_done_with_a_held_message(pair: World) -> None:
    """It can't be edited, deleted, answered, quoted, reacted to, marked, pinned or flagged."""
    calls: list[tuple[str, str, Any]] = [
        ("PUT", "/messages/2", {"data": {"text": "Other"}}),
        ("DELETE", "/messages/2", None),
        ("POST", "/messages/2/thread", to_user("ben")),
        ("POST", "/messages/2/reactions/x", None),
        ("POST", "/messages/2/pin", None),
        ("POST", "/messages/2/flagged", {}),
        ("POST", "/messages", to_user("ben", quotedMessageId=2)),
    ]
    for uid in ("anna", "ben"):
        for method, path, body in calls:
            await pair.refused(method, path, body, as_=uid, **NOT_FOUND)
    mark = "/users/anna/conversation/read"
    await pair.refused("POST", mark, {"messageId": "2"}, as_="ben", **NOT_FOUND)
    assert await texts(pair, "/messages") == ["One", "Three"]


@pytest.mark.parametrize("first", ["blocked", "fine"])
async def test_a_repeated_muid_gets_the_first_answer(world: World, first: str) -> None:
    """A retry answers with the same message, held or sent, whatever its text; none is added."""
    await world.users("anna", "ben")
    sent = await say(world, "anna", to_user("ben", f"It is {first}", muid="m1"))

    for text in ("It is blocked", "It is dropped", "It is bounced"):
        again = await say(world, "anna", to_user("ben", text, muid="m1"))
        assert again == sent
        assert world.answer.headers["idempotent-replayed"] == "true"
    assert len(await world.get(BLOCKED)) == (first == "blocked")
    if first == "blocked":
        await review(world, 1)
        again = await say(world, "anna", to_user("ben", "It is blocked", muid="m1"))
        assert again["data"]["moderation"] == {"status": "approved"}


async def test_a_retry_beside_a_deletion_is_held_for_its_rules(node: Node, world: World) -> None:
    """If what was held first goes while a retry is judged, the retry is held, and listed."""
    await world.users("anna", "ben")
    await say(world, "anna", to_user("ben", "Hello"))
    body = to_user("ben", "It is blocked", muid="m1")
    await say(world, "anna", body)
    given = MessageInput("ben", "user", "message", "text", body["data"], muid="m1")
    draft = compose(Actor("anna"), given)
    judged = await judge_draft(node.runtime, world.app_id, draft)
    await world.delete("/conversations/anna_user_ben", as_="anna")
    assert judged.is_held
    assert judged.decision is not None
    await hold_message(node.runtime, world.app_id, judged.draft, judged.decision)

    [row] = await world.get(BLOCKED)
    assert (row["message"]["id"], row["ruleId"]) == ("3", "blocked")


async def test_an_idempotency_key_gets_the_first_answer(world: World) -> None:
    """A retry under the same key answers the same, and one message is held."""
    await world.users("anna", "ben")
    how: Any = {"as_": "anna", "headers": {"Idempotency-Key": "k"}}
    first = await world.post("/messages", to_user("ben", "It is blocked"), **how)

    assert await world.post("/messages", to_user("ben", "It is blocked"), **how) == first
    assert [row["message"] for row in await world.get(BLOCKED)] == [first]


async def test_what_may_not_be_sent_is_not_held(pair: World) -> None:
    """A blocked sender is refused as ever."""
    await pair.post("/users/ben/blockedusers", {"blockedUids": ["anna"]})

    await pair.refused(
        "POST",
        "/messages",
        to_user("ben", "It is blocked"),
        as_="anna",
        status=403,
        code="ERR_BLOCKED_SENDER",
    )
    assert [row["message"]["id"] for row in await pair.get(BLOCKED)] == ["2"]


# Reviews


async def test_an_approved_message_is_delivered_at_its_place(
    pair: World, clock: ManualClock
) -> None:
    """It keeps id and time, stands between its neighbours, and is found by everybody."""
    held = await pair.get("/messages/2")
    clock.advance(3600)
    answer = await review(pair, 2)

    assert answer == {"success": True, "message": "Message with ID 2 has been approved."}
    for uid in ("anna", "ben"):
        assert await texts(pair, "/messages", as_=uid) == ["One", "Two is blocked", "Three"]
        shown = await pair.get("/messages/2", as_=uid)
        assert (shown["sentAt"], shown["updatedAt"]) == (held["sentAt"], clock.now())
        assert shown["data"]["moderation"] == {"status": "approved"}
    [conversation] = await pair.get("/conversations", as_="ben")
    assert conversation["lastMessage"]["id"] == "3"
    assert await pair.get(BLOCKED) == []
    [row] = await pair.get(REVIEWED)
    assert (row["message"]["id"], row["status"], row["reviewedBy"]) == (
        "2",
        "approved",
        "app_system",
    )


async def test_an_approved_message_that_is_the_newest_is_the_last_one(world: World) -> None:
    """It becomes the lastMessage, and the next message follows it."""
    await world.users("anna", "ben")
    await say(world, "anna", to_user("ben", "One"))
    await say(world, "anna", to_user("ben", "Two is blocked"))
    await review(world, 2)

    [conversation] = await world.get("/conversations", as_="ben")
    assert conversation["lastMessage"]["id"] == "2"
    assert await unread(world, "ben") == ["2"]
    assert (await say(world, "anna", to_user("ben", "Three")))["id"] == "3"
    assert await unread(world, "ben") == ["3"]


@pytest.mark.parametrize(
    "body", [{"status": "rejected"}, {"status": "disapproved"}, {"reviewed": True}]
)
async def test_a_rejected_message_stays_hidden(pair: World, body: Json) -> None:
    """Its sender still sees it, disapproved; nobody else does, and nothing is counted."""
    answer = await pair.patch(f"{BLOCKED}/2", body)

    assert answer["message"] == "Message with ID 2 has been reviewed successfully."
    shown = await pair.get("/messages/2", as_="anna")
    assert shown["data"]["moderation"] == {"status": "disapproved"}
    await pair.refused("GET", "/messages/2", as_="ben", **NOT_FOUND)
    assert await texts(pair, "/messages") == ["One", "Three"]
    assert await unread(pair, "ben") == ["2"]
    assert await pair.get(BLOCKED) == []
    [row] = await pair.get(REVIEWED)
    assert (row["status"], row["message"]["id"]) == ("disapproved", "2")


@pytest.mark.parametrize("first", ["approved", "rejected"])
@pytest.mark.parametrize("second", ["approved", "rejected"])
async def test_a_held_message_is_reviewed_once(
    pair: World, clock: ManualClock, first: str, second: str
) -> None:
    """A second review is refused with who and when, and changes nothing."""
    await review(pair, 2, first)
    at, before = clock.now(), await texts(pair, "/messages")
    clock.advance(60)

    details = await pair.refused(
        "PATCH", f"{BLOCKED}/2", {"status": second}, status=409, code="ERR_ALREADY_REVIEWED"
    )
    assert details["reviewedAt"] == [str(at)]
    assert await texts(pair, "/messages") == before


async def test_the_two_shapes_of_a_review(pair: World) -> None:
    """A decision is needed; with `reviewed` the answer says that it has been reviewed."""
    for body in ({}, {"reviewed": False}, {"status": "pending"}):
        details = await pair.refused(
            "PATCH", f"{BLOCKED}/2", body, status=400, code="ERR_BAD_REQUEST"
        )
        assert list(details) == ["status"]
    answer = await pair.patch(f"{BLOCKED}/2", {"status": "approved", "reviewed": True})
    assert answer["message"] == "Message with ID 2 has been reviewed successfully."
    for id_ in (1, 99):
        await pair.refused("PATCH", f"{BLOCKED}/{id_}", {"status": "approved"}, **NOT_FOUND)


# Unread counts and receipts


@pytest.mark.parametrize("read_upto", [None, 1, 3])
async def test_an_approved_message_is_unread(pair: World, read_upto: int | None) -> None:
    """The unread count grows by one, however far its receiver has read; reading on clears it."""
    if read_upto is not None:
        await pair.post("/users/anna/conversation/read", {"messageId": str(read_upto)}, as_="ben")
    [before] = await unread(pair, "ben")
    sender = await unread(pair, "anna")
    await review(pair, 2)

    assert await unread(pair, "ben") == [str(int(before) + 1)]
    assert await unread(pair, "anna") == sender
    await say(pair, "anna", to_user("ben", "Four"))
    assert await unread(pair, "ben") == [str(int(before) + 2)]
    await pair.post("/users/anna/conversation/read", {"messageId": "3"}, as_="ben")
    assert await unread(pair, "ben") == ["1"]
    await pair.post("/users/anna/conversation/read", as_="ben")
    assert await unread(pair, "ben") == ["0"]


async def test_reading_a_late_message_makes_it_read(pair: World) -> None:
    """Who had read all before marks the late message, and has read all again."""
    await pair.post("/users/anna/conversation/read", as_="ben")
    await review(pair, 2)
    await pair.post("/users/anna/conversation/read", {"messageId": "2"}, as_="ben")

    assert await unread(pair, "ben") == ["0"]


async def test_reading_a_late_message_with_others_that_were_read(pair: World) -> None:
    """A mark in the middle of what was read before takes the late message away, and no more."""
    for number in range(4, 9):
        await say(pair, "anna", to_user("ben", str(number)))
    await pair.post("/users/anna/conversation/read", as_="ben")
    await review(pair, 2)
    await say(pair, "anna", to_user("ben", "New"))
    assert await unread(pair, "ben") == ["2"]
    await pair.post("/users/anna/conversation/read", {"messageId": "5"}, as_="ben")

    assert await unread(pair, "ben") == ["1"]
    await say(pair, "anna", to_user("ben", "Newer"))
    assert await unread(pair, "ben") == ["2"]


async def test_a_mark_does_not_touch_what_was_not_delivered(
    pair: World, clock: ManualClock
) -> None:
    """Receipts from before the approval say nothing about the message; a later one does."""
    clock.advance(60)
    await pair.post("/users/anna/conversation/read", as_="ben")
    read_at = clock.now()
    clock.advance(60)
    await review(pair, 2)

    shown = await pair.get("/messages/2", as_="anna")
    assert "readAt" not in shown
    assert "deliveredAt" not in shown
    rows = {row["id"]: row for row in await pair.get("/messages", as_="anna")}
    assert [rows[id_].get("readAt") for id_ in ("1", "2", "3")] == [read_at, None, read_at]
    assert await pair.get("/messages/2/receipts", as_="anna") == []


async def test_unread_in_a_group(world: World) -> None:
    """Who was a member, but for the sender, has one more; who joined later has none."""
    await world.users("anna", "ben", "clara", "dora")
    await group(world, "hikers", "anna", "ben", "clara")
    await say(world, "anna", to_group("hikers", "One"))
    await say(world, "anna", to_group("hikers", "Two is blocked"))
    await say(world, "ben", to_group("hikers", "Three"))
    await world.post("/groups/hikers/conversation/read", as_="ben")
    await world.post("/groups/hikers/members", {"participants": ["dora"]})
    before = {uid: await unread(world, uid) for uid in ("anna", "ben", "clara", "dora")}
    await review(world, 2)

    after = {uid: await unread(world, uid) for uid in ("anna", "ben", "clara", "dora")}
    grown = {uid: int(after[uid][0]) - int(before[uid][0]) for uid in after}
    assert grown == {"anna": 0, "ben": 1, "clara": 1, "dora": 0}
    for uid in after:
        await world.post("/groups/hikers/conversation/read", as_=uid)
    await say(world, "anna", to_group("hikers", "Four"))
    await say(world, "ben", to_group("hikers", "Five"))
    counts = {uid: await unread(world, uid) for uid in after}
    assert counts == {"anna": ["1"], "ben": ["1"], "clara": ["2"], "dora": ["2"]}


# Appeals


async def test_the_author_appeals(pair: World, clock: ManualClock) -> None:
    """The reviewers see the remark; another one replaces it, and after a review it is too late."""
    clock.advance(60)
    for remark in ("Really?", "It was a joke"):
        await pair.post("/messages/2/appeal", {"remark": remark}, as_="anna")

    [row] = await pair.get(BLOCKED)
    assert row["appeal"] == {"remark": "It was a joke", "appealedAt": clock.now()}
    assert row["updatedAt"] == clock.now()
    await review(pair, 2, "rejected")
    await pair.refused(
        "POST", "/messages/2/appeal", {}, as_="anna", status=409, code="ERR_ALREADY_REVIEWED"
    )


@pytest.mark.parametrize(("id_", "uid"), [(2, "ben"), (1, "anna"), (99, "anna")])
async def test_nobody_else_appeals(pair: World, id_: int, uid: str) -> None:
    """To others, and for messages that are not held, there is nothing to appeal against."""
    await pair.refused("POST", f"/messages/{id_}/appeal", {}, as_=uid, **NOT_FOUND)

    [row] = await pair.get(BLOCKED)
    assert "appeal" not in row


# What is left


@pytest.mark.parametrize("status", [None, "rejected", "approved"])
@pytest.mark.parametrize("uid", ["anna", "ben"])
async def test_held_messages_go_with_their_users(
    node: Node, pair: World, status: str | None, uid: str
) -> None:
    """Once the sender or the receiver is deleted, nothing of a held message is left."""
    if status is not None:
        await review(pair, 2, status)
    await pair.delete(f"/users/{uid}", {"permanent": True})

    assert await pair.get(BLOCKED) == await pair.get(REVIEWED) == []
    await pair.refused("GET", "/messages/2", **NOT_FOUND)
    await erase_all(node.runtime)
    assert "Two is" not in str(await rows_of(node, pair))
    assert await rows_of(node, pair, ["held_messages", "reviews"]) == {
        "held_messages": [],
        "reviews": [],
    }


async def test_held_messages_go_with_their_group(node: Node, world: World) -> None:
    """Of a deleted group no held message is left, and none comes up in a new one."""
    await world.users("anna", "ben")
    await group(world, "hikers", "anna", "ben")
    await say(world, "anna", to_group("hikers", "It is blocked"))
    await world.delete("/groups/hikers")
    await group(world, "hikers", "anna", "ben")

    assert await world.get(BLOCKED) == []
    await world.refused("PATCH", f"{BLOCKED}/1", {"status": "approved"}, **NOT_FOUND)
    assert "It is" not in str(await rows_of(node, world, ["held_messages"]))


@pytest.mark.parametrize("receiver", ["ben", "hikers"])
async def test_held_messages_go_with_their_history(node: Node, world: World, receiver: str) -> None:
    """With a conversation that is deleted for all, what was held of it is gone; the rest stays."""
    await world.users("anna", "ben")
    await group(world, "hikers", "anna", "ben")
    named = {"ben": to_user("ben", "It is blocked"), "hikers": to_group("hikers", "It is blocked")}
    for body in named.values():
        await say(world, "anna", {**body, "data": {"text": "Hello"}})
        await say(world, "anna", body)
    path = "group_hikers" if receiver == "hikers" else "anna_user_ben"
    await world.delete(f"/conversations/{path}", as_="anna")

    left = [row["message"]["receiver"] for row in await world.get(BLOCKED)]
    assert left == [each for each in ("hikers", "ben") if each != receiver]

"""Messages with `sendAt`: kept, listed, changed, cancelled, and sent at their times."""

from collections.abc import Sequence

import pytest
from tests.api.scheduled.later import ALL, Later
from tests.world import CallOptions, Json

from hubbub.domain.messages.send import send_messages
from hubbub.domain.scheduled import send as sending
from hubbub.domain.scheduled.prune import prune_scheduled
from hubbub.kernel.errors import Refusal
from hubbub.records.messages.model import Draft, MessageView
from hubbub.storage.interface import Transaction

NOT_FOUND = "ERR_SCHEDULED_MESSAGE_NOT_FOUND"


async def test_a_message_is_sent_at_its_time(later: Later) -> None:
    """A message is sent at `sendAt`, once, with the time of then, and is kept nowhere after it."""
    kept = await later.schedule("later", 60)
    await later.send_due(after=59.999)
    before = await later.texts(), await later.waiting()
    await later.send_due(after=0.001)
    await later.send_due(after=1)

    assert before == ([], ["later"])
    assert await later.texts() == ["later"]
    assert await later.waiting() == []
    [message] = await later.world.get("/users/ben/messages", as_="anna")
    assert message["sentAt"] == kept["sendAt"]


async def test_what_is_kept_is_shown(later: Later) -> None:
    """The answer to a send with `sendAt` is what the look-up shows, with all of the message."""
    kept = await later.schedule(
        "later", 60, muid="m1", tags=["a"], data={"text": "later", "metadata": {"a": 1}}
    )

    assert kept == await later.world.get(f"{ALL}/{kept['scheduledId']}", as_="anna")
    assert kept["status"] == "pending"
    assert kept["sendAt"] == later.clock.now() + 60
    assert kept["message"] == {
        "muid": "m1",
        "sender": "anna",
        "receiverType": "user",
        "receiver": "ben",
        "category": "message",
        "type": "text",
        "data": {"text": "later", "metadata": {"a": 1}},
        "tags": ["a"],
    }


async def test_nothing_shows_before_the_time(later: Later) -> None:
    """Until its time a message is in no history, conversation, count or event."""
    await later.schedule("later", 60)

    assert await later.world.get("/messages") == []
    assert await later.world.get("/conversations", as_="ben") == []
    assert await later.world.get("/conversations", as_="anna") == []
    assert await later.events("message_sent") == []


async def test_messages_are_sent_in_the_order_of_their_times(later: Later) -> None:
    """Messages that are due together are sent in the order of the times, and then of the calls."""
    for text, after in [("third", 30), ("first", 10), ("second", 20), ("fourth", 30)]:
        await later.schedule(text, after)
    await later.send_due(after=60)

    assert await later.texts() == ["first", "second", "third", "fourth"]


async def test_users_see_their_own(later: Later) -> None:
    """Users list, change, cancel and send only their own; the app does so with all."""
    kept = await later.schedule("anna's", 60)
    await later.schedule("carla's", 30, as_="carla")
    token, path = await later.world.token("carla"), f"{ALL}/{kept['scheduledId']}"
    ways: tuple[CallOptions, ...] = ({"as_": "carla"}, {"token": token})
    for how in ways:
        for method, end, body in [
            ("GET", "", None),
            ("PATCH", "", {"sendAt": later.clock.now()}),
            ("DELETE", "", None),
            ("POST", "/send", None),
        ]:
            await later.world.refused(method, path + end, body, status=404, code=NOT_FOUND, **how)

    assert await later.waiting("anna") == ["anna's"]
    assert await later.waiting("carla") == ["carla's"]
    assert await later.waiting() == ["carla's", "anna's"]


async def test_lists_have_pages_and_states(later: Later) -> None:
    """The list is in pages, and can be of those that wait, or of those that have failed."""
    for text in ("one", "two", "three"):
        await later.schedule(text, 60)
    await later.schedule("never", 10, receiver="carla")
    await later.world.post("/users/carla/blockedusers", {"blockedUids": ["anna"]})
    await later.send_due(after=20)

    second = await later.world.get(f"{ALL}?perPage=2&page=2&status=pending", as_="anna")
    assert len(second) == 1
    assert later.world.answer.meta["pagination"]["total"] == 3
    failed = await later.world.get(f"{ALL}?status=failed")
    assert [each["message"]["data"]["text"] for each in failed] == ["never"]


async def test_a_change_of_time_and_text(later: Later) -> None:
    """A changed message is sent at the new time with the new data, and not at the old one."""
    kept = await later.schedule("old", 60)
    path = f"{ALL}/{kept['scheduledId']}"
    changed = await later.world.patch(
        path,
        {"sendAt": later.clock.now() + 120, "data": {"text": "new"}, "tags": ["x"]},
        as_="anna",
    )
    await later.send_due(after=90)
    before = await later.texts()
    await later.send_due(after=30)

    assert changed["message"]["tags"] == ["x"]
    assert before == []
    assert await later.texts() == ["new"]


async def test_an_earlier_time(later: Later) -> None:
    """A message whose time is moved ahead is sent then."""
    kept = await later.schedule("soon", 3600)
    await later.send_due()
    await later.world.patch(
        f"{ALL}/{kept['scheduledId']}", {"sendAt": later.clock.now() + 5}, as_="anna"
    )
    await later.send_due(after=5)

    assert await later.texts() == ["soon"]


async def test_a_cancelled_message_is_not_sent(later: Later) -> None:
    """After the answer to a cancellation nothing is sent, and the message is not found."""
    kept = await later.schedule("never", 60)
    path = f"{ALL}/{kept['scheduledId']}"
    await later.world.delete(path, as_="anna")
    await later.send_due(after=61)

    assert await later.texts() == []
    await later.world.refused("GET", path, as_="anna", status=404, code=NOT_FOUND)
    await later.world.refused("DELETE", path, as_="anna", status=404, code=NOT_FOUND)


async def test_sending_now(later: Later) -> None:
    """A message that is sent before its time is sent once, and the answer is the message."""
    kept = await later.schedule("now", 60)
    path = f"{ALL}/{kept['scheduledId']}/send"
    sent = await later.world.post(path, as_="anna")
    await later.send_due(after=60)

    assert sent["data"]["text"] == "now"
    assert await later.texts() == ["now"]
    await later.world.refused("POST", path, as_="anna", status=404, code=NOT_FOUND)


async def test_a_refused_send_now_changes_nothing(later: Later) -> None:
    """A message that may not be sent now waits for its time still."""
    kept = await later.schedule("blocked", 60)
    await later.world.post("/users/ben/blockedusers", {"blockedUids": ["anna"]})
    await later.world.refused(
        "POST",
        f"{ALL}/{kept['scheduledId']}/send",
        as_="anna",
        status=403,
        code="ERR_BLOCKED_SENDER",
    )

    assert (await later.world.get(f"{ALL}/{kept['scheduledId']}"))["status"] == "pending"


async def test_the_rules_of_then_apply(later: Later) -> None:
    """A message of a member who has left is kept as failed, and its author hears the reason."""
    await later.world.post("/groups", {"guid": "hikers", "name": "Hikers", "type": "public"})
    await later.world.post("/groups/hikers/members", {"participants": ["anna"]})
    kept = await later.schedule("gone", 60, receiver="hikers", receiverType="group")
    await later.world.delete("/groups/hikers/members/anna", as_="anna")
    await later.send_due(after=60)

    failed = await later.world.get(f"{ALL}/{kept['scheduledId']}", as_="anna")
    assert failed["status"] == "failed"
    assert failed["failure"]["code"] == "ERR_GROUP_NOT_JOINED"
    assert failed["failure"]["failedAt"] == later.clock.now()
    assert await later.texts("/groups/hikers/messages", None) == []
    [told] = await later.events("scheduled_message_failed")
    assert told["scheduledId"] == kept["scheduledId"]
    assert told["error"]["code"] == "ERR_GROUP_NOT_JOINED"


async def test_a_failed_message_is_tried_again_when_its_time_is_set(later: Later) -> None:
    """A message that has failed is sent at a new time, if it may be sent then."""
    kept = await later.schedule("again", 60)
    await later.world.post("/users/ben/blockedusers", {"blockedUids": ["anna"]})
    await later.send_due(after=60)
    await later.world.delete("/users/ben/blockedusers", {"blockedUids": ["anna"]})
    changed = await later.world.patch(
        f"{ALL}/{kept['scheduledId']}", {"sendAt": later.clock.now() + 1}, as_="anna"
    )
    await later.send_due(after=1)

    assert changed["status"] == "pending"
    assert "failure" not in changed
    assert await later.texts() == ["again"]


async def test_failed_messages_are_kept_for_30_days(later: Later) -> None:
    """A message that has failed is deleted 30 days later; those that wait are not."""
    await later.schedule("failed", 60)
    await later.schedule("waits", 60 * 86_400, receiver="carla")
    await later.world.post("/users/ben/blockedusers", {"blockedUids": ["anna"]})
    await later.send_due(after=60)
    later.clock.advance(29 * 86_400)
    await prune_scheduled(later.runtime)
    before = await later.waiting()
    later.clock.advance(86_401)
    await prune_scheduled(later.runtime)

    assert before == ["failed", "waits"]
    assert await later.waiting() == ["waits"]


async def test_what_could_not_be_sent_now_is_refused(later: Later) -> None:
    """A message that its sender may not send now is not kept."""
    await later.world.post("/users/ben/blockedusers", {"blockedUids": ["anna"]})
    body: Json = {"receiver": "ben", "receiverType": "user", "data": {"text": "a"}}
    body["sendAt"] = later.clock.now() + 60
    await later.world.refused(
        "POST", "/messages", body, as_="anna", status=403, code="ERR_BLOCKED_SENDER"
    )
    unknown = {**body, "receiver": "nobody"}
    await later.world.refused(
        "POST", "/messages", unknown, as_="anna", status=404, code="ERR_UID_NOT_FOUND"
    )

    assert await later.waiting() == []


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"sendAt": -1}, "sendAt"),
        ({"sendAt": "soon"}, "sendAt"),
        ({"sendAt": 1.5}, "sendAt"),
        ({"sendAt": 1_000}, "sendAt"),
        ({"sendAt": 99_999_999_999}, "sendAt"),
        ({"growing": True}, "growing"),
        ({"receiver": None, "multipleReceivers": {"uids": ["ben"]}}, "multipleReceivers"),
        ({"data": {"text": ""}}, "data.text"),
    ],
)
async def test_what_is_wrong_is_refused(later: Later, fields: Json, named: str) -> None:
    """A time that has passed, and what can't be sent later, is refused by its field."""
    body = {
        "receiver": "ben",
        "receiverType": "user",
        "data": {"text": "a"},
        "sendAt": later.clock.now() + 60,
        **fields,
    }
    answer = await later.world.ask("POST", "/messages", body, as_="anna")

    assert answer.status == 400
    assert list(answer.error["details"]) == [named]
    assert await later.waiting() == []


async def test_the_farthest_time(later: Later) -> None:
    """A message may be scheduled for up to 366 days ahead, and for this second."""
    most = 366 * 86_400
    await later.schedule("a year", most)
    await later.schedule("now", 0)
    await later.send_due()

    assert await later.waiting() == ["a year"]
    assert await later.texts() == ["now"]


async def test_a_muid_is_scheduled_once(later: Later) -> None:
    """A repeated call with a muid gets the first message, before it is sent and after."""
    first = await later.schedule("one", 60, muid="m1")
    again = await later.schedule("two", 90, muid="m1")
    await later.send_due(after=60)
    sent = await later.schedule("three", 60, muid="m1")
    await later.send_due(after=60)

    assert again == first
    assert sent["data"]["text"] == "one"
    assert await later.texts() == ["one"]


async def test_the_limit_of_a_user(later: Later) -> None:
    """A user has no more than `limits.scheduledMessages`; bots and the app have no limit."""
    await later.world.put("/settings", {"settings": {"limits.scheduledMessages": 1}})
    await later.schedule("one")
    body = {
        "receiver": "ben",
        "receiverType": "user",
        "data": {"text": "two"},
        "sendAt": later.clock.now() + 60,
    }
    details = await later.world.refused(
        "POST", "/messages", body, as_="anna", status=400, code="ERR_LIMIT_EXCEEDED"
    )
    await later.schedule("carla's", as_="carla")
    await later.world.post("/bots", {"uid": "robot", "name": "Robot"})
    for _ in range(2):
        await later.world.post("/messages", body)
        await later.world.post("/bots/robot/messages", body)

    assert list(details) == ["sendAt"]
    assert len(await later.waiting()) == 6


async def test_replies_are_scheduled_too(later: Later) -> None:
    """A reply with `sendAt` is sent in the thread at its time."""
    to_ben = {"receiver": "ben", "receiverType": "user"}
    parent = await later.world.post("/messages", {**to_ben, "data": {"text": "a"}}, as_="anna")
    reply = {"data": {"text": "reply"}, "sendAt": later.clock.now() + 60}
    thread = f"/messages/{parent['id']}/thread"
    kept = await later.world.post(thread, reply, as_="ben")
    before = await later.texts(thread, "anna")
    await later.send_due(after=60)

    assert kept["message"]["receiver"] == "anna"
    assert kept["message"]["parentId"] == parent["id"]
    assert before == []
    assert await later.texts(thread, "anna") == ["reply"]


async def test_a_revoked_token_changes_nothing(later: Later) -> None:
    """A message that a user has scheduled with a token is sent after they have logged out."""
    token = await later.world.token("anna")
    body = {
        "receiver": "ben",
        "receiverType": "user",
        "data": {"text": "later"},
        "sendAt": later.clock.now() + 60,
    }
    await later.world.post("/messages", body, token=token)
    await later.world.delete("/users/anna/auth_tokens")
    await later.send_due(after=60)

    assert await later.texts() == ["later"]


async def test_the_rates_of_a_user(later: Later) -> None:
    """Messages scheduled with tokens count towards rates: the rest is sent a minute later."""
    token = await later.world.token("anna")
    at = later.clock.now() // 60 * 60 + 600
    for text in ("one", "two", "three"):
        body = {"receiver": "ben", "receiverType": "user", "data": {"text": text}, "sendAt": at}
        await later.world.post("/messages", body, token=token)
    await later.world.put("/settings", {"settings": {"limits.userSendsPerMinute": 2}})
    await later.send_due(after=at - later.clock.now())
    before = await later.texts()
    await later.send_due(after=60)

    assert before == ["one", "two"]
    assert await later.texts() == ["one", "two", "three"]


async def test_a_deleted_user_leaves_nothing(later: Later) -> None:
    """With a user that is deleted for good, what they have scheduled goes, and what is for them."""
    await later.schedule("anna's", 60, receiver="carla")
    kept = await later.schedule("for anna", 60, as_="carla", receiver="anna")
    await later.world.delete("/users/anna", {"permanent": True})
    await later.world.users("anna")
    await later.send_due(after=60)

    assert await later.waiting() == []
    assert await later.world.get("/messages") == []
    [told] = await later.events("scheduled_message_failed")
    assert told["scheduledId"] == kept["scheduledId"]
    assert told["error"]["code"] == "ERR_UID_NOT_FOUND"


async def test_a_deleted_group_leaves_nothing(later: Later) -> None:
    """A message that is scheduled for a group goes with it, and its author hears of that."""
    club = {"guid": "hikers", "name": "Hikers", "type": "public"}
    await later.world.post("/groups", club)
    await later.world.post("/groups/hikers/members", {"participants": ["anna"]})
    await later.schedule("gone", 60, receiver="hikers", receiverType="group")
    await later.world.delete("/groups/hikers")
    await later.world.post("/groups", club)
    await later.send_due(after=60)

    assert await later.waiting() == []
    [told] = await later.events("scheduled_message_failed")
    assert told["error"]["code"] == "ERR_GUID_NOT_FOUND"


async def test_a_message_with_a_defect_holds_up_no_other(
    later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A message that the server fails on is kept as failed; those with it are sent."""
    really_send = send_messages

    async def send(
        tx: Transaction, drafts: Sequence[Draft], now: int
    ) -> list[MessageView | Refusal]:
        assert not any("poison" in draft.data for draft in drafts)
        return await really_send(tx, drafts, now)

    monkeypatch.setattr(sending, "send_messages", send)
    for text in ("one", "poison", "two"):
        await later.schedule(text, 60)
    await later.send_due(after=60)

    assert await later.texts() == ["one", "two"]
    [failed] = await later.world.get(f"{ALL}?status=failed")
    assert failed["message"]["data"]["text"] == "poison"


async def test_clocks_that_are_set(later: Later) -> None:
    """A clock that is set back sends nothing early; all is sent at its time."""
    await later.send_due()
    await later.schedule("one", 60)
    await later.send_due(after=30)
    later.clock.set_back(3600)
    await later.send_due()
    await later.send_due(after=3600 + 29.999)
    before = await later.texts()
    await later.send_due(after=0.001)

    assert before == []
    assert await later.texts() == ["one"]

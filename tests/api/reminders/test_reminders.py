"""Reminders of messages: set, listed, removed, told once at their times."""

from contextlib import suppress

import pytest
from structlog.testing import capture_logs
from tests.api.scheduled.later import Later
from tests.world import Json

from hubbub.domain.access import conversations as access
from hubbub.domain.erasure.erase import erase_all
from hubbub.domain.reminders import due

REMINDERS = "/reminders"


async def say(later: Later, text: str = "Hello", *, to: str = "ben", as_: str = "anna") -> str:
    """Send a message, and return its id."""
    body = {"receiver": to, "receiverType": "user", "data": {"text": text}}
    message: str = (await later.world.post("/messages", body, as_=as_))["id"]
    return message


async def remind(later: Later, message: str, after: float = 60, *, as_: str = "ben") -> Json:
    """Set a reminder of a message, so many seconds from now."""
    body = {"at": later.clock.now() + round(after)}
    kept: Json = await later.world.post(f"/messages/{message}/reminders", body, as_=as_)
    return kept


async def told(later: Later) -> list[str]:
    """Return the texts of the messages of which somebody was reminded."""
    events = await later.events("user_reminded")
    return [each["message"]["data"]["text"] for each in events]


async def test_a_user_is_reminded_at_the_time(later: Later) -> None:
    """A user is told of the message once, at the time and not a millisecond before."""
    message = await say(later)
    kept = await remind(later, message)
    await later.send_due(after=59.999)
    before = await told(later), await later.world.get(REMINDERS, as_="ben")
    await later.send_due(after=0.001)
    await later.send_due(after=1)

    assert before == ([], [kept])
    assert kept["messageId"] == message
    [event] = await later.events("user_reminded")
    assert event["at"] == kept["at"]
    assert event["message"]["id"] == message
    assert await later.world.get(REMINDERS, as_="ben") == []


async def test_a_later_call_changes_the_time(later: Later) -> None:
    """A user has one reminder of a message: a call again changes its time, earlier or later."""
    message = await say(later)
    await remind(later, message, 60)
    await remind(later, message, 120)
    await later.send_due(after=60)
    between = await told(later)
    await remind(later, message, 10)
    await later.send_due(after=10)

    assert between == []
    assert await told(later) == ["Hello"]
    await later.send_due(after=120)
    assert await told(later) == ["Hello"]


async def test_a_removed_reminder_is_not_told(later: Later) -> None:
    """After its removal a user is not reminded; removing it again changes nothing."""
    message = await say(later)
    await remind(later, message)
    for _ in range(2):
        await later.world.delete(f"/messages/{message}/reminders", as_="ben")
    await later.send_due(after=60)

    assert await told(later) == []
    assert await later.world.get(REMINDERS, as_="ben") == []


async def test_each_has_their_own(later: Later) -> None:
    """Reminders of several users of one message are apart, each listed by their times."""
    first, second = await say(later, "first"), await say(later, "second")
    await remind(later, first, 60)
    await remind(later, second, 30)
    await remind(later, first, 90, as_="anna")

    assert [each["messageId"] for each in await later.world.get(REMINDERS, as_="ben")] == [
        second,
        first,
    ]
    assert [each["messageId"] for each in await later.world.get(REMINDERS, as_="anna")] == [first]
    assert await later.world.get(REMINDERS, as_="carla") == []
    await later.send_due(after=90)
    assert await told(later) == ["second", "first", "first"]


@pytest.mark.parametrize("what", ["deleted", "erased", "deactivated", "gone"])
async def test_what_can_not_be_seen_any_more(later: Later, what: str) -> None:
    """Nobody is reminded of a message that they can't see by then; the reminder ends."""
    message = await say(later)
    await remind(later, message)
    match what:
        case "deleted":
            await later.world.delete(f"/messages/{message}", as_="anna")
        case "erased":
            await later.world.delete(f"/messages/{message}?permanent=true", as_="anna")
        case "deactivated":
            await later.world.delete("/users", {"uidsToDeactivate": ["ben"]})
        case "gone":
            await later.world.delete("/users/ben", {"permanent": True})
            await erase_all(later.runtime)
    await later.send_due(after=60)

    assert await told(later) == []
    if what == "gone":
        await later.world.users("ben")
    if what != "deactivated":
        assert await later.world.get(REMINDERS, as_="ben") == []


async def test_who_has_left_is_not_reminded(later: Later) -> None:
    """Who is no member any more is not reminded of the group's messages."""
    group = {"guid": "hikers", "name": "H", "type": "public", "owner": "anna"}
    await later.world.post("/groups", group)
    await later.world.post("/groups/hikers/members", {"participants": ["ben"]}, as_="anna")
    body = {"receiver": "hikers", "receiverType": "group", "data": {"text": "Hello"}}
    message = (await later.world.post("/messages", body, as_="anna"))["id"]
    await remind(later, message)
    await remind(later, message, as_="anna")
    await later.world.delete("/groups/hikers/members/ben", as_="ben")
    await later.send_due(after=60)

    [event] = await later.events("user_reminded")
    assert event["message"]["id"] == message
    assert await later.world.get(REMINDERS, as_="ben") == []


async def test_refused_reminders(later: Later) -> None:
    """Times in the past or far ahead, messages of others and actions are refused by name."""
    message, now, world = await say(later), later.clock.now(), later.world
    path = f"/messages/{message}/reminders"
    for body in ({"at": now - 1}, {"at": now + 367 * 86_400}, {}, {"at": "tomorrow"}):
        details = await world.refused(
            "POST", path, body, status=400, code="ERR_BAD_REQUEST", as_="ben"
        )
        assert list(details) == ["at"], body
    at = {"at": now + 60}
    for uid, where in [("carla", path), ("ben", "/messages/999999/reminders")]:
        await world.refused("POST", where, at, status=404, code="ERR_MESSAGE_ID_NOT_FOUND", as_=uid)
    await world.delete(f"/messages/{message}", as_="anna")
    refused = "ERR_MESSAGE_ACTION_NOT_ALLOWED"
    await world.refused("POST", path, at, status=403, code=refused, as_="ben")
    assert await world.get(REMINDERS, as_="ben") == []


async def test_reminders_are_limited(later: Later) -> None:
    """A user has at most `limits.reminders`; a change of one of them is no further one."""
    await later.world.put("/settings", {"settings": {"limits.reminders": 1}})
    first, second = await say(later, "first"), await say(later, "second")
    await remind(later, first)
    await remind(later, first, 90)
    at, path = {"at": later.clock.now() + 60}, f"/messages/{second}/reminders"
    await later.world.refused("POST", path, at, status=400, code="ERR_LIMIT_EXCEEDED", as_="ben")

    await remind(later, second, as_="anna")


async def test_a_defect_holds_up_no_other_reminder(
    later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reminder that meets a defect is tried again in a while; the others are told."""
    good, bad = await say(later, "good"), await say(later, "bad")
    await remind(later, bad)
    await remind(later, good)
    find_seen = access.find_seen

    async def fail(snapshot, person, message_ids):  # type: ignore[no-untyped-def]
        if int(bad) in message_ids:
            raise RuntimeError("a defect")
        return await find_seen(snapshot, person, message_ids)

    with monkeypatch.context() as patched, capture_logs() as logs, suppress(RuntimeError):
        patched.setattr(due, "find_seen", fail)
        await later.send_due(after=60)
    first = await told(later)
    await later.send_due(after=60)

    assert first == ["good"]
    assert await told(later) == ["good", "bad"]
    assert "reminders_failed" in {each["event"] for each in logs}

"""Deliveries: what happens in an app is told to the webhooks that are attached, in order."""

import asyncio
from dataclasses import replace
from email.utils import formatdate
from typing import Any

import pytest
from tests.api.webhooks.deliveries.conftest import RETRIES, Teller
from tests.monitoring.scrape import scrape
from tests.receiver import HANG, RESET, Received, Receiver
from tests.world import Node, World

from hubbub.config import Settings
from hubbub.domain.deliveries.deliver import MOST_PARTITIONS, delivery_runs
from hubbub.domain.deliveries.outcome import STEPS_ASIDE_AFTER

HANGS_SECONDS = 3.0
"""The time limit where a call hangs; the others are answered sooner on a slow machine, too."""


async def attach(world: World, url: str, *triggers: str, id_: str = "hook", **fields: Any) -> str:
    """Create a webhook with these triggers; return its secret."""
    made = await world.post("/webhooks", {"id": id_, "name": id_, "webhookURL": url, **fields})
    await world.post(
        f"/webhooks/{id_}/triggers", {"triggerIds": list(triggers or ["message_sent"])}
    )
    secret: str = made["secret"]
    return secret


async def say(world: World, text: str, *, sender: str = "anna", receiver: str = "ben") -> None:
    """Send a text message."""
    body = {"receiver": receiver, "receiverType": "user", "data": {"text": text}}
    await world.post("/messages", {**body, "category": "message", "type": "text"}, as_=sender)


async def test_a_message_is_delivered(town: World, teller: Teller, receiver: Receiver) -> None:
    """A delivery is a signed POST of the envelope, with the event's id."""
    secret = await attach(town, receiver.url("/chat?x=1"))
    await say(town, "Hello")

    await teller.tell()

    (call,) = receiver.received
    call.check_signature(secret)
    content = call.content
    assert call.headers["content-type"] == "application/json"
    assert call.headers["webhook-id"] == content["id"]
    assert content["data"]["message"]["data"]["text"] == "Hello"
    assert {name: content[name] for name in content if name not in {"data", "id"}} == {
        "trigger": "message_sent",
        "appId": town.app_id,
        "region": "us",
        "webhook": "hook",
        "sentAt": teller.clock.now(),
    }


async def test_a_message_with_a_mention_is_told_twice(
    town: World, teller: Teller, receiver: Receiver
) -> None:
    """Each trigger of an event has a delivery, with an id of its own."""
    await attach(town, receiver.url(), "message_sent", "user_mentioned")
    await say(town, "Hello <@uid:ben>")

    await teller.tell()

    told = {call.content["trigger"]: call.content["id"] for call in receiver.received}
    assert told.keys() == {"message_sent", "user_mentioned"}
    assert told["user_mentioned"] == f"{told['message_sent']}-1"


async def test_each_is_delivered_once(town: World, teller: Teller, receiver: Receiver) -> None:
    """Deliveries that succeeded are not made again."""
    await attach(town, receiver.url())
    await say(town, "Hello")

    await teller.tell()
    await teller.tell(after=1000)

    assert receiver.texts == ["Hello"]


async def test_several_webhooks_are_told_the_same(
    town: World, teller: Teller, receiver: Receiver
) -> None:
    """Each webhook is told, in a body that differs in its own id only."""
    await attach(town, receiver.url("/one"), id_="one")
    await attach(town, receiver.url("/two"), id_="two")
    await say(town, "Hello")

    await teller.tell()

    contents = {call.path: call.content for call in receiver.received}
    assert [contents[path].pop("webhook") for path in ("/one", "/two")] == ["one", "two"]
    assert contents["/one"] == contents["/two"]


async def test_other_triggers_are_not_told(town: World, teller: Teller, receiver: Receiver) -> None:
    """A webhook is told of its triggers only."""
    await attach(town, receiver.url(), "group_created")
    await say(town, "Hello")

    await teller.tell()

    assert receiver.received == []


async def test_attachment_counts_from_its_answer(
    town: World, teller: Teller, receiver: Receiver
) -> None:
    """A webhook is told of all events between its attachment and its detachment, and of no others.

    It does not matter that none of it was planned at that time.
    """
    await town.post("/webhooks", {"id": "hook", "name": "h", "webhookURL": receiver.url()})
    await say(town, "too early")
    await town.post("/webhooks/hook/triggers", {"triggerIds": ["message_sent"]})
    await say(town, "in time")
    await town.delete("/webhooks/hook/triggers", {"triggerIds": ["message_sent"]})
    await say(town, "too late")
    await town.post("/webhooks/hook/triggers", {"triggerIds": ["message_sent"]})
    await say(town, "again in time")

    await teller.tell()

    assert receiver.texts == ["in time", "again in time"]


async def test_a_disabled_webhook_is_told_nothing(
    town: World, teller: Teller, receiver: Receiver
) -> None:
    """Nothing is sent to it, what is pending included; what happens meanwhile is never sent."""
    await attach(town, receiver.url())
    await say(town, "pending")
    await teller.plan()
    await say(town, "not planned")
    await town.put("/webhooks/hook", {"enabled": False})
    await say(town, "meanwhile")
    await teller.tell()
    assert receiver.received == []

    await town.put("/webhooks/hook", {"enabled": True})
    await say(town, "later")
    await teller.tell()

    assert receiver.texts == ["pending", "not planned", "later"]


async def test_disabling_counts_from_its_answer(
    town: World, teller: Teller, receiver: Receiver
) -> None:
    """After the answer no further call is begun, also of a conversation that is being delivered."""
    receiver.gate = asyncio.Event()
    await attach(town, receiver.url())
    for text in ("under way", "too late"):
        await say(town, text)
    await teller.plan()
    delivering = asyncio.create_task(teller.deliver())
    await receiver.called.wait()
    await town.put("/webhooks/hook", {"enabled": False})
    receiver.gate.set()
    await delivering

    assert receiver.texts == ["under way"]
    (told,) = await town.get("/webhooks/hook/deliveries?state=delivered")
    assert len(told["attempts"]) == 1


async def test_a_new_url_gets_what_is_pending(
    town: World, teller: Teller, receiver: Receiver
) -> None:
    """Pending deliveries go to the webhook's new address."""
    await attach(town, receiver.url("/old"))
    await say(town, "Hello")
    await teller.plan()
    await town.put("/webhooks/hook", {"webhookURL": receiver.url("/new")})

    await teller.tell()

    assert [call.path for call in receiver.received] == ["/new"]


async def test_a_deleted_webhook_is_told_nothing(
    town: World, teller: Teller, receiver: Receiver
) -> None:
    """Deleting a webhook ends its deliveries; a new one of the same id does not get them."""
    await attach(town, receiver.url())
    await say(town, "planned")
    await teller.plan()
    await say(town, "not planned")
    await town.delete("/webhooks/hook")
    await attach(town, receiver.url())
    await say(town, "new")

    await teller.tell()

    assert receiver.texts == ["new"]


@pytest.mark.parametrize(
    ("failure", "webhook_timeout"),
    [(400, 60), (500, 60), (302, 60), (HANG, HANGS_SECONDS), (RESET, 60)],
)
async def test_without_retry_one_failure_is_final(
    town: World, teller: Teller, receiver: Receiver, failure: int
) -> None:
    """A webhook that does not retry makes one attempt; the next deliveries are made."""
    receiver.reply = lambda call: failure if call.text == "lost" else 200
    await attach(town, receiver.url())
    await say(town, "lost")
    await say(town, "told")

    await teller.tell()
    await teller.tell(after=10_000)

    assert receiver.texts == ["told"]
    assert len(receiver.received) == 2
    failed = await town.get("/webhooks/hook/deliveries?state=failed")
    assert [len(each["attempts"]) for each in failed] == [1]


async def test_retries_are_equal_and_in_order(
    town: World, teller: Teller, receiver: Receiver
) -> None:
    """After 10 s and 30 s a delivery is made again, byte by byte; its conversation waits for it."""
    receiver.reply = lambda _: 500
    await attach(town, receiver.url(), retryOnFailure=True)
    await say(town, "first")
    await say(town, "second")
    await say(town, "elsewhere", receiver="cora")

    await teller.tell()
    assert sorted(call.text for call in receiver.received) == ["elsewhere", "first"]
    await teller.tell(after=RETRIES[0] - 1)
    assert len(receiver.received) == 2, "not yet"
    await teller.tell(after=1)
    assert len(receiver.received) == 4
    receiver.reply = lambda _: 200
    await teller.tell(after=RETRIES[1])

    assert [text for text in receiver.texts if text != "elsewhere"] == ["first", "second"]
    bodies = {call.body for call in receiver.received if call.text == "first"}
    assert len(bodies) == 1


async def test_the_third_failure_steps_aside(
    town: World, teller: Teller, receiver: Receiver
) -> None:
    """After the third failure the conversation goes on; the delivery is made later, by itself."""
    receiver.reply = lambda call: 500 if call.text == "stuck" else 200
    await attach(town, receiver.url(), retryOnFailure=True)
    await say(town, "stuck")
    await say(town, "next")
    for pause in (0, *RETRIES[:2]):
        assert receiver.texts == []
        await teller.tell(after=pause)
    assert receiver.texts == ["next"]

    receiver.reply = lambda _: 200
    await say(town, "newest")
    await teller.tell()
    await teller.tell(after=1.2 * RETRIES[2])

    assert receiver.texts == ["next", "newest", "stuck"]


async def test_a_failure_is_stored_before_the_next_call(
    town: World, teller: Teller, receiver: Receiver
) -> None:
    """The node that goes on after a kill knows which delivery has stepped aside for later ones."""
    gate = asyncio.Event()

    def reply(call: Received) -> int:
        if call.text == "next":
            return 200
        receiver.called.clear()
        receiver.gate = gate if len(receiver.received) == STEPS_ASIDE_AFTER else None
        return 500

    receiver.reply = reply
    await attach(town, receiver.url(), retryOnFailure=True)
    await say(town, "stuck")
    await say(town, "next")
    await teller.tell()
    await teller.tell(after=RETRIES[0])
    telling = asyncio.create_task(teller.tell(after=RETRIES[1]))
    while receiver.received[-1].text != "next":
        await receiver.called.wait()

    stuck = (await town.get("/webhooks/hook/deliveries"))[-1]
    gate.set()
    await telling
    assert [each["status"] for each in stuck["attempts"]] == [500] * STEPS_ASIDE_AFTER
    assert receiver.texts == ["next"]


async def test_dead_letters(town: World, teller: Teller, receiver: Receiver) -> None:
    """When all attempts have failed the delivery is a dead letter, which can be replayed."""
    receiver.reply = lambda _: 503
    receiver.answer = "not now: ü".encode()
    await attach(town, receiver.url(), retryOnFailure=True)
    await say(town, "Hello")
    for pause in (0, *RETRIES, 10_000):
        await teller.tell(after=1.2 * pause)

    (dead,) = await town.get("/webhooks/hook/deliveries?state=failed")
    assert [each["status"] for each in dead["attempts"]] == [503] * (len(RETRIES) + 1)
    assert dead["attempts"][0]["answer"] == "not now: ü"
    receiver.reply = lambda _: 200
    await town.post(f"/webhooks/hook/deliveries/{dead['id']}/replay")
    await teller.tell()

    assert {call.headers["webhook-id"] for call in receiver.received} == {dead["id"]}
    assert receiver.texts == ["Hello"]


@pytest.mark.parametrize("is_date", [False, True])
async def test_retry_after_is_obeyed(
    town: World, teller: Teller, receiver: Receiver, is_date: bool
) -> None:
    """A receiver that asks for a longer pause, or for a time, is called after it."""
    asked = formatdate(teller.clock.now() + 100, usegmt=True) if is_date else "100"
    receiver.reply, receiver.headers = lambda _: 429, {"Retry-After": asked}
    await attach(town, receiver.url(), retryOnFailure=True)
    await say(town, "Hello")

    await teller.tell()
    await teller.tell(after=99)
    assert len(receiver.received) == 1
    await teller.tell(after=1)

    assert len(receiver.received) == 2


@pytest.mark.parametrize("webhook_timeout", [HANGS_SECONDS])
async def test_conversations_are_told_at_once(
    town: World, teller: Teller, receiver: Receiver
) -> None:
    """A conversation whose delivery hangs holds up no other one."""
    receiver.reply = lambda call: HANG if call.text == "slow" else 200
    await attach(town, receiver.url())
    await say(town, "slow", receiver="cora")
    for number in range(3):
        await say(town, f"{number}")

    await teller.tell()

    assert receiver.texts == ["0", "1", "2"]


async def test_six_hours_down(town: World, teller: Teller, receiver: Receiver) -> None:
    """A receiver that was down for six hours gets all of it, those of a conversation in order.

    Those that stepped aside meanwhile are told apart, each once.
    """
    usual = replace(teller.runtime.settings, webhook_retries=Settings().webhook_retries)
    teller.runtime = replace(teller.runtime, settings=usual)
    receiver.reply = lambda _: RESET
    await attach(town, receiver.url(), retryOnFailure=True)
    said: list[str] = []
    for hour in range(6):
        for minute in range(4):
            said.append(f"{hour}:{15 * minute}")
            await say(town, said[-1])
            await teller.tell(after=900)
    tried = {call.text for call in receiver.received}
    receiver.reply = lambda _: 200
    for _ in range(24):
        await teller.tell(after=3600)

    assert sorted(receiver.texts) == sorted(said)
    in_order = [text for text in receiver.texts if text not in tried]
    assert in_order == [text for text in said if text not in tried]


async def test_pausing(own_node: Node, town: World, teller: Teller, receiver: Receiver) -> None:
    """A webhook that has failed for a day is paused: others are told, its backlog is kept."""
    receiver.reply = lambda call: 500 if call.path == "/down" else 200
    await attach(town, receiver.url("/down"), retryOnFailure=True)
    await attach(town, receiver.url("/up"), "webhook_paused", id_="watcher")
    await say(town, "Hello")
    await teller.tell()
    teller.clock.advance(86_400)
    await teller.tell()
    attempts = len(receiver.received)
    await say(town, "more")
    await teller.tell(after=100_000)

    paused = await town.get("/webhooks/hook")
    assert paused["pausedAt"]
    (told,) = receiver.accepted
    assert told.content["trigger"] == "webhook_paused"
    assert told.content["data"]["webhook"]["id"] == "hook"
    assert len(receiver.received) == attempts + 1, "only the watcher"
    receiver.reply = lambda _: 200
    await town.put("/webhooks/hook", {"enabled": True})
    await teller.tell(after=100_000)

    assert "pausedAt" not in await town.get("/webhooks/hook")
    assert [call.text for call in receiver.accepted[1:]] == ["Hello", "more"]


async def test_few_calls_at_once(town: World, teller: Teller, receiver: Receiver) -> None:
    """A webhook is called for so many conversations at once, and not for more."""
    senders = [f"sender-{number}" for number in range(2 * MOST_PARTITIONS)]
    await town.users(*senders)
    await attach(town, receiver.url())
    for sender in senders:
        await say(town, sender, sender=sender)

    await teller.tell()

    assert sorted(receiver.texts) == sorted(senders)
    assert receiver.most_calling <= MOST_PARTITIONS


async def test_a_node_that_ends_tells_nothing_twice(
    town: World, teller: Teller, receiver: Receiver
) -> None:
    """A node that is stopped waits for the calls under way, and begins no others."""
    receiver.gate = asyncio.Event()
    await attach(town, receiver.url())
    for text in ("first", "second"):
        await say(town, text)
    await teller.plan()
    runs = delivery_runs(teller.runtime)
    await runs.start_due()
    await receiver.called.wait()

    ended = asyncio.create_task(runs.close())
    await asyncio.sleep(0)  # so that it has begun to end
    receiver.gate.set()
    await ended
    assert receiver.texts == ["first"]
    await teller.tell()

    assert receiver.texts == ["first", "second"]


async def test_attempts_are_measured(
    own_node: Node, town: World, teller: Teller, receiver: Receiver
) -> None:
    """The metrics count attempts by their outcome, and webhooks by their state."""
    receiver.reply = lambda call: {"fine": 200, "bad": 500, "lost": RESET}[call.text]
    await attach(town, receiver.url())
    await town.post("/webhooks", {"id": "off", "name": "Off", "webhookURL": receiver.url()})
    await town.put("/webhooks/off", {"enabled": False})
    for text in ("fine", "bad", "lost"):
        await say(town, text)
        await teller.tell()

    found = await scrape(own_node.sender)

    attempts = "hubbub_webhook_attempts_total"
    assert {each: found.value(attempts, outcome=each) for each in ("accepted", "refused")} == {
        "accepted": 1,
        "refused": 1,
    }
    assert found.value(attempts, outcome="lost") == 1
    assert found.value("hubbub_webhook_attempt_duration_seconds_count") == 3
    states = ("working", "failing", "paused", "disabled")
    assert [found.value("hubbub_webhooks", state=each) for each in states] == [0, 1, 0, 1]

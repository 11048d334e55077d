"""Kill the server while what was scheduled becomes due: each is done once, and none early."""

import asyncio
import itertools
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pytest
from tests.crash.conftest import Victim
from tests.crash.talk import ask
from tests.world import World

ENVIRONMENT = {"HUBBUB_LOG_REQUESTS": "false"}
PEOPLE = [f"person-{number}" for number in range(12)]
SENDERS = 8
CHANCE = random.Random(17)
WAIT_SECONDS = 120
KNOWN_MESSAGES = 10
"""Those of which people are reminded."""


@dataclass(frozen=True, slots=True)
class Size:
    """The extent of a run."""

    messages: int
    kills: int
    seconds: int
    """The messages are due within so many seconds."""


@dataclass(slots=True)
class Ledger:
    """What was asked for, by the text of the message, as far as it was answered."""

    due: dict[str, int] = field(default_factory=dict)
    cancelled: set[str] = field(default_factory=set)
    reminders: dict[tuple[str, str], int] = field(default_factory=dict)
    """The times of reminders, by the text of the message and the user."""
    unknown: set[str] = field(default_factory=set)
    """Those whose time passed before the call was answered: they may have been kept."""


async def test_scheduled_messages_after_kills(victim: Victim) -> None:
    """With some kills, each message is sent once, not before its time, and not if cancelled.

    Each reminder is told once, not before its time.
    """
    await kill_and_check(victim, Size(messages=200, kills=3, seconds=15))


@pytest.mark.campaign
async def test_many_scheduled_messages_after_many_kills(victim: Victim) -> None:
    """The same holds for many messages, with many kills."""
    await kill_and_check(victim, Size(messages=5_000, kills=30, seconds=90))


async def kill_and_check(victim: Victim, size: Size) -> None:
    """Schedule and cancel messages, kill the node meanwhile, and check what was sent."""
    world = await victim.node.world()
    await world.users(*PEOPLE)
    known = [await say(world, f"known-{number}") for number in range(KNOWN_MESSAGES)]
    await world.get("/events")
    cursor = world.answer.meta["cursor"]
    ledger, serial = Ledger(), itertools.count(1)
    killer = asyncio.create_task(kill_often(victim, size))
    await asyncio.gather(
        *(schedule_all(victim, world.key, serial, ledger, size, known) for _ in range(SENDERS))
    )
    await killer
    expected = ledger.due.keys() - ledger.cancelled
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        sent = {
            text: times
            for text, times in (await list_sent(victim, world.key)).items()
            if not text.startswith("known-")
        }
        told = await list_told(victim, world.key, cursor)
        is_done = expected <= sent.keys() and len(told) >= len(ledger.reminders)
        if is_done or time.monotonic() > deadline:
            break
        await asyncio.sleep(0.2)

    assert sent.keys() & ledger.cancelled == set()
    assert expected == sent.keys() - ledger.unknown
    assert {text for text, times in sent.items() if len(times) > 1} == set()
    early = {text for text, times in sent.items() if times[0] < ledger.due.get(text, 0)}
    assert early == set()
    assert sorted(told) == sorted((text, at) for (text, _), at in ledger.reminders.items())


async def say(world: World, text: str) -> str:
    """Send a message to a group of all people; return its id."""
    group = {"guid": text, "name": text, "type": "public", "owner": PEOPLE[0]}
    await world.post("/groups", group)
    await world.post(f"/groups/{text}/members", {"participants": PEOPLE[1:]}, as_=PEOPLE[0])
    body = {"receiver": text, "receiverType": "group", "data": {"text": text}}
    message: str = (await world.post("/messages", body, as_=PEOPLE[0]))["id"]
    return message


async def list_told(victim: Victim, key: str, cursor: str) -> list[tuple[str, int]]:
    """Return the texts and times of the reminders that were told; none may be told early."""
    told: list[tuple[str, int]] = []
    while True:
        path = f"/events?since={cursor}&limit=1000"
        status, answer = await ask(victim.node, key, "GET", path, None, None)
        assert status == 200, answer
        for event in answer["data"]:
            if event["event"] == "user_reminded":
                assert event["at"] >= event["data"]["at"]
                told.append((event["data"]["message"]["data"]["text"], event["data"]["at"]))
        cursor = answer["meta"]["cursor"]
        if len(answer["data"]) < 1000:
            return told


async def schedule_all(
    victim: Victim,
    key: str,
    serial: Iterator[int],
    ledger: Ledger,
    size: Size,
    known: Sequence[str],
) -> None:
    """Schedule messages until there are enough, and cancel some; repeat what is not answered."""
    while (number := next(serial)) <= size.messages:
        if number <= len(PEOPLE) * len(known):
            place, person = divmod(number - 1, len(PEOPLE))
            await set_reminder(victim, key, ledger, size, (place, known[place], PEOPLE[person]))
        text = f"text-{number}"
        sender, receiver = CHANCE.sample(PEOPLE, 2)
        due_at = int(time.time()) + 2 + CHANCE.randrange(size.seconds)
        body = {
            "muid": text,
            "receiver": receiver,
            "receiverType": "user",
            "data": {"text": text},
            "sendAt": due_at,
        }
        status, answer = await ask(victim.node, key, "POST", "/messages", body, sender)
        if status == 400:  # the time has passed while the node was away
            ledger.unknown.add(text)
            continue
        assert status == 200, answer
        ledger.due[text] = due_at
        if number % 5 == 0 and "scheduledId" in answer["data"]:
            path = f"/scheduled-messages/{answer['data']['scheduledId']}"
            await cancel(victim, key, path, text, ledger)


async def set_reminder(
    victim: Victim, key: str, ledger: Ledger, size: Size, of: tuple[int, str, str]
) -> None:
    """Have a person reminded of a message; if the time passes before that is answered, later."""
    place, message, uid = of
    status = 400
    while status == 400:
        at = int(time.time()) + 10 + CHANCE.randrange(size.seconds)
        path = f"/messages/{message}/reminders"
        status, answer = await ask(victim.node, key, "POST", path, {"at": at}, uid)
    assert status == 200, answer
    ledger.reminders[f"known-{place}", uid] = at


async def cancel(victim: Victim, key: str, path: str, text: str, ledger: Ledger) -> None:
    """Cancel a message; if the answer was lost, it is looked up whether it was sent."""
    status, _ = await ask(victim.node, key, "DELETE", path, None, None)
    if status == 200:
        ledger.cancelled.add(text)
    else:  # an earlier try, whose answer was lost, has cancelled it; or it was sent
        assert status == 404
        if text not in await list_sent(victim, key):
            ledger.cancelled.add(text)


async def list_sent(victim: Victim, key: str) -> dict[str, list[int]]:
    """Return the times of all messages that were sent, by text."""
    sent: dict[str, list[int]] = {}
    after = 0
    while True:
        begin = f"id={after}" if after else "sentAt=1"
        path = f"/messages?category=message&limit=1000&affix=append&{begin}"
        status, answer = await ask(victim.node, key, "GET", path, None, None)
        assert status == 200, answer
        for message in answer["data"]:
            sent.setdefault(message["data"]["text"], []).append(message["sentAt"])
            after = max(after, int(message["id"]))
        if len(answer["data"]) < 1000:
            return sent


async def kill_often(victim: Victim, size: Size) -> None:
    """Kill the node, and start it, at random moments while messages become due."""
    for _ in range(size.kills):
        await asyncio.sleep(CHANCE.random() * 2 * size.seconds / (size.kills + 1))
        await asyncio.to_thread(victim.node.kill)
        await asyncio.to_thread(victim.node.start)

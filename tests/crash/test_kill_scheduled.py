"""Kill the server while messages that were scheduled become due: each is sent once, none early."""

import asyncio
import itertools
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.crash.conftest import Victim
from tests.crash.talk import LOST, Talk

ENVIRONMENT = {"HUBBUB_LOG_REQUESTS": "false"}
PEOPLE = [f"person-{number}" for number in range(12)]
SENDERS = 8
CHANCE = random.Random(17)
WAIT_SECONDS = 120


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
    unknown: set[str] = field(default_factory=set)
    """Those whose time passed before the call was answered: they may have been kept."""


async def test_scheduled_messages_after_kills(victim: Victim) -> None:
    """With some kills, each message is sent once, not before its time, and not if cancelled."""
    await kill_and_check(victim, Size(messages=200, kills=3, seconds=15))


@pytest.mark.campaign
async def test_many_scheduled_messages_after_many_kills(victim: Victim) -> None:
    """The same holds for many messages, with many kills."""
    await kill_and_check(victim, Size(messages=5_000, kills=30, seconds=90))


async def kill_and_check(victim: Victim, size: Size) -> None:
    """Schedule and cancel messages, kill the node meanwhile, and check what was sent."""
    world = await victim.node.world()
    await world.users(*PEOPLE)
    ledger, serial = Ledger(), itertools.count(1)
    killer = asyncio.create_task(kill_often(victim, size))
    await asyncio.gather(
        *(schedule_all(victim, world.key, serial, ledger, size) for _ in range(SENDERS))
    )
    await killer
    expected = ledger.due.keys() - ledger.cancelled
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        sent = await list_sent(victim, world.key)
        if expected <= sent.keys() or time.monotonic() > deadline:
            break
        await asyncio.sleep(0.2)

    assert sent.keys() & ledger.cancelled == set()
    assert expected == sent.keys() - ledger.unknown
    assert {text for text, times in sent.items() if len(times) > 1} == set()
    early = {text for text, times in sent.items() if times[0] < ledger.due.get(text, 0)}
    assert early == set()


async def schedule_all(
    victim: Victim, key: str, serial: Iterator[int], ledger: Ledger, size: Size
) -> None:
    """Schedule messages until there are enough, and cancel some; repeat what is not answered."""
    while (number := next(serial)) <= size.messages:
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
        status, answer = await ask(victim, key, "POST", "/messages", body, sender)
        if status == 400:  # the time has passed while the node was away
            ledger.unknown.add(text)
            continue
        assert status == 200, answer
        ledger.due[text] = due_at
        if number % 5 == 0 and "scheduledId" in answer["data"]:
            path = f"/scheduled-messages/{answer['data']['scheduledId']}"
            await cancel(victim, key, path, text, ledger)


async def cancel(victim: Victim, key: str, path: str, text: str, ledger: Ledger) -> None:
    """Cancel a message; if the answer was lost, it is looked up whether it was sent."""
    status, _ = await ask(victim, key, "DELETE", path, None, None)
    if status == 200:
        ledger.cancelled.add(text)
    else:  # an earlier try, whose answer was lost, has cancelled it; or it was sent
        assert status == 404
        if text not in await list_sent(victim, key):
            ledger.cancelled.add(text)


async def ask(
    victim: Victim, key: str, method: str, path: str, body: object, as_: str | None
) -> tuple[int, Any]:
    """Make a call until it is answered."""
    while True:
        try:
            async with Talk(victim.node.port, key) as talk:
                status, answer = await talk.ask(method, path, body, as_=as_)
        except LOST:
            await asyncio.sleep(0.05)  # the node is starting again
            continue
        assert status != 500, victim.node.output[-4000:]
        if status != 503:
            return status, answer


async def list_sent(victim: Victim, key: str) -> dict[str, list[int]]:
    """Return the times of all messages that were sent, by text."""
    sent: dict[str, list[int]] = {}
    after = 0
    while True:
        path = f"/messages?limit=1000&affix=append{f'&id={after}' if after else '&sentAt=1'}"
        status, answer = await ask(victim, key, "GET", path, None, None)
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

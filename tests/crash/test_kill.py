"""Kill the server, or PostgreSQL, again and again under load: everything answered is stored."""

import asyncio
import itertools
import random
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.crash.conftest import Victim
from tests.crash.stores import check
from tests.crash.talk import LOST, Talk

SEED = 20
CONNECTIONS = 24
PEOPLE = [f"person-{number}" for number in range(12)]
MOST_ANSWERS = 500
WORK_SECONDS = 60
POSTGRES_KILLED_IN_EACH = 5
PAGE = 1_000
MOST_PAGES = 200
RETRY_SECONDS = 30


@dataclass(slots=True)
class Ledger:
    """Messages sent, and answers, over all rounds."""

    answered: dict[str, str] = field(default_factory=dict)
    """The id in the answer, by muid."""
    unanswered: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Bodies without an answer so far, by muid: whether they are stored is not known."""
    _goal: int = 0
    _reached: asyncio.Event = field(default_factory=asyncio.Event)

    def note_answer(self, muid: str, id_: str) -> None:
        """Record the answer to a message."""
        del self.unanswered[muid]
        self.answered[muid] = id_
        if len(self.answered) >= self._goal:
            self._reached.set()

    async def wait_for(self, answers: int) -> None:
        """Wait until a number of messages have been answered."""
        self._goal = answers
        self._reached.clear()
        await self._reached.wait()


@dataclass(frozen=True, slots=True)
class Sender:
    """Sends messages as fast as they are answered, until the server is gone."""

    port: int
    api_key: str
    ledger: Ledger
    chance: random.Random
    serial: "itertools.count[int]"

    async def run(self) -> None:
        """Send until the connection breaks or the store is not reachable."""
        try:
            async with Talk(self.port, self.api_key) as talk:
                while await self._send(talk, self._message()):
                    pass
        except LOST:
            return

    async def _send(self, talk: Talk, message: dict[str, Any]) -> bool:
        muid = message["muid"]
        self.ledger.unanswered[muid] = message
        status, answer = await send(talk, message)
        if status != 200:
            assert status == 503, answer
            return False
        self.ledger.note_answer(muid, answer["data"]["id"])
        return True

    def _message(self) -> dict[str, Any]:
        sender, receiver = self.chance.sample(PEOPLE, 2)
        muid = f"muid-{next(self.serial)}"
        return {"muid": muid, "sender": sender, "body": text_message(receiver, muid)}


async def send(talk: Talk, message: dict[str, Any]) -> tuple[int, Any]:
    """Send a message of the ledger."""
    return await talk.ask("POST", "/messages", message["body"], as_=message["sender"])


def text_message(receiver: str, muid: str) -> dict[str, Any]:
    """Return a text message of random words."""
    return {
        "muid": muid,
        "receiver": receiver,
        "receiverType": "user",
        "category": "message",
        "type": "text",
        "data": {"text": f"This is {muid}, and it must not be lost."},
    }


async def test_answered_messages_survive_every_kill(victim: Victim) -> None:
    """Some kills under load lose and duplicate nothing, and leave no gaps."""
    await kill_and_check(victim, kills=5)


@pytest.mark.campaign
async def test_answered_messages_survive_many_kills(victim: Victim) -> None:
    """The same for 40 kills."""
    await kill_and_check(victim, kills=40)


async def kill_and_check(victim: Victim, *, kills: int) -> None:
    """Kill under load, and check after each kill what is stored and what is answered."""
    world = await victim.node.world()
    await world.users(*PEOPLE)
    ledger, chance, serial = Ledger(), random.Random(SEED), itertools.count(1)

    for turn in range(1, kills + 1):
        answers = len(ledger.answered) + chance.randint(1, MOST_ANSWERS)
        killed = asyncio.create_task(kill_at(answers, ledger, victim, turn))
        senders = [
            Sender(victim.node.port, world.key, ledger, random.Random(chance.random()), serial)
            for _ in range(CONNECTIONS)
        ]
        await asyncio.gather(*(sender.run() for sender in senders), killed)
        check(await victim.store.read(world.app_id))
        async with Talk(victim.node.port, world.key) as talk:
            check_history(await read_history(talk), ledger)
            await retry(talk, ledger)
            check(await victim.store.read(world.app_id))

    async with Talk(victim.node.port, world.key) as talk:
        history = await read_history(talk)
    check_history(history, ledger)
    assert len(history) == len(ledger.answered), "all that is there was answered in the end"


async def kill_at(answers: int, ledger: Ledger, victim: Victim, turn: int) -> None:
    """Kill the server under load, or in some rounds PostgreSQL, and start it again."""
    async with asyncio.timeout(WORK_SECONDS):
        await ledger.wait_for(answers)
    if victim.postgres is not None and turn % POSTGRES_KILLED_IN_EACH == 0:
        await asyncio.to_thread(victim.postgres.kill)
        await asyncio.to_thread(victim.postgres.start)
        return
    await asyncio.to_thread(victim.node.kill)
    await asyncio.to_thread(victim.node.start)


async def read_history(talk: Talk) -> list[dict[str, Any]]:
    """Return all messages of the app, as the interface lists them."""
    found: list[dict[str, Any]] = []
    cursor = ""
    for _ in range(MOST_PAGES):
        status, answer = await talk.ask("GET", f"/messages?limit={PAGE}&affix=append{cursor}")
        assert status == 200, answer
        found.extend(answer["data"])
        following = answer["meta"].get("next")
        if following is None:
            return found
        cursor = f"&sentAt={following['sentAt']}&id={following['id']}"
    raise AssertionError("the history has no end")


def check_history(history: list[dict[str, Any]], ledger: Ledger) -> None:
    """Check that the history has each answered message once, in order, and no others."""
    ids = [int(message["id"]) for message in history]
    by_muid = {message["muid"]: message["id"] for message in history}

    assert ids == list(range(1, len(ids) + 1)), "dense, and in the order of (sentAt, id)"
    assert len(by_muid) == len(history), "none is there twice"
    assert ledger.answered.items() <= by_muid.items(), "each has the id that was answered"
    assert by_muid.keys() <= ledger.answered.keys() | ledger.unanswered.keys()


async def retry(talk: Talk, ledger: Ledger) -> None:
    """Send messages without an answer again: each is stored now, and only once."""
    for muid, message in list(ledger.unanswered.items()):
        async with asyncio.timeout(RETRY_SECONDS):
            status, answer = await send(talk, message)
            while status == 503:  # the server may still be reconnecting to the restarted store
                status, answer = await send(talk, message)
        assert status == 200, answer
        ledger.note_answer(muid, answer["data"]["id"])

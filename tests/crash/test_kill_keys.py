"""Kill the server, or PostgreSQL, while clients repeat writes with keys until they are done."""

import asyncio
import itertools
import random
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.crash.conftest import Victim
from tests.crash.stores import check
from tests.crash.talk import LOST, Talk
from tests.crash.test_kill import read_history, text_message
from tests.world import World

POSTGRES_KILLED_IN = 2
SEED = 24
CLIENTS = 12
MOST_ANSWERS = 120
WORK_SECONDS = 60
PAUSE_SECONDS = 0.02
PEOPLE = [f"person-{number}" for number in range(12)]


@dataclass(frozen=True, slots=True)
class Write:
    """A write that must be done once; without a `muid` a repetition would be a second message."""

    number: int
    person: str
    receiver: str

    @property
    def text(self) -> str:
        return f"muid-{self.number}"

    @property
    def uid(self) -> str:
        return f"user-{self.number}"

    @property
    def kind(self) -> str:
        return ("message", "user", "token")[self.number % 3]

    async def ask(self, talk: Talk) -> tuple[int, Any]:
        """Make the request, with its key."""
        key = f"key {self.number}"
        if self.kind == "user":
            return await talk.ask("POST", "/users", {"uid": self.uid, "name": "U"}, key=key)
        if self.kind == "token":
            path = f"/users/{self.person}/auth_tokens"
            return await talk.ask("POST", path, {"force": True}, key=key)
        body = {**text_message(self.receiver, self.text), "muid": None}
        return await talk.ask("POST", "/messages", body, as_=self.person, key=key)


@dataclass(slots=True)
class Clients:
    """Clients that make one write after the other, and repeat each until it is answered."""

    world: World
    port: int
    chance: random.Random
    answers: dict[Write, Any] = field(default_factory=dict)
    are_done: bool = False
    _numbers: "itertools.count[int]" = field(default_factory=itertools.count)
    _goal: int = 0
    _reached: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self) -> None:
        """Run one client until all writes are done."""
        while not self.are_done:
            write = Write(next(self._numbers), *self.chance.sample(PEOPLE, 2))
            times = self.chance.choice((1, 1, 2))  # an impatient client repeats it
            answers = await asyncio.gather(*(self._insist(write) for _ in range(times)))
            assert answers == [answers[0]] * times
            self._note(write, answers[0])

    async def _insist(self, write: Write) -> Any:
        async with asyncio.timeout(WORK_SECONDS):
            while True:
                try:
                    async with Talk(self.port, self.world.key) as talk:
                        status, answer = await write.ask(talk)
                except LOST:
                    status, answer = 503, None
                if status != 503:
                    assert status == 200, answer
                    return answer["data"]
                await asyncio.sleep(PAUSE_SECONDS)

    def _note(self, write: Write, answer: Any) -> None:
        self.answers[write] = answer
        if len(self.answers) >= self._goal:
            self._reached.set()

    async def wait_for_some(self) -> None:
        """Wait until a few more writes have been answered."""
        self._goal = len(self.answers) + self.chance.randint(1, MOST_ANSWERS)
        self._reached.clear()
        async with asyncio.timeout(WORK_SECONDS):
            await self._reached.wait()

    def answered(self, kind: str) -> dict[Write, Any]:
        """Return the answers to writes of a kind."""
        return {write: data for write, data in self.answers.items() if write.kind == kind}


async def test_repetitions_with_a_key_are_done_once(victim: Victim) -> None:
    """With any repetitions and kills, each write is done exactly once."""
    await kill_and_check(victim, kills=2)


@pytest.mark.campaign
async def test_repetitions_are_done_once_after_many_kills(victim: Victim) -> None:
    """The same for 20 kills."""
    await kill_and_check(victim, kills=20)


async def kill_and_check(victim: Victim, *, kills: int) -> None:
    """Kill while clients repeat their writes, and check what is stored in the end."""
    world = await victim.node.world()
    await world.users(*PEOPLE)
    clients = Clients(world, victim.node.port, random.Random(SEED))

    async with asyncio.TaskGroup() as running:
        for _ in range(CLIENTS):
            running.create_task(clients.run())
        for turn in range(1, kills + 1):
            await clients.wait_for_some()
            await asyncio.to_thread(kill, victim, turn)
        await clients.wait_for_some()
        clients.are_done = True

    check(await victim.store.read(world.app_id))
    async with Talk(victim.node.port, world.key) as talk:
        await check_done(talk, clients)


def kill(victim: Victim, turn: int) -> None:
    """Kill the server under load, or in one round PostgreSQL, and start it again."""
    if victim.postgres is not None and turn == POSTGRES_KILLED_IN:
        victim.postgres.kill()
        victim.postgres.start()
        return
    victim.node.kill()
    victim.node.start()


async def check_done(talk: Talk, clients: Clients) -> None:
    """Check that the store has exactly what was answered."""
    history = await read_history(talk)
    said = clients.answered("message")
    assert len(history) == len(said)
    assert {message["data"]["text"]: message["id"] for message in history} == {
        write.text.join(("This is ", ", and it must not be lost.")): data["id"]
        for write, data in said.items()
    }
    _, users = await talk.ask("GET", "/users?perPage=1000")
    made = {write.uid for write in clients.answered("user")}
    assert {user["uid"] for user in users["data"]} == made | set(PEOPLE)
    tokens = clients.answered("token")
    for person in PEOPLE:
        _, stored = await talk.ask("GET", f"/users/{person}/auth_tokens?perPage=1000")
        issued = {data["authToken"] for write, data in tokens.items() if write.person == person}
        assert {token["authToken"] for token in stored["data"]} == issued
        assert len(stored["data"]) == sum(write.person == person for write in tokens)

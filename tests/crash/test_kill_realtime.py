"""Cut clients at random, and kill nodes, while a group talks: each hears everything once."""

import asyncio
import json
import random
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.crash.conftest import Victim
from tests.live import LiveNode
from tests.world import World
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from hubbub.config import Settings

SEED = 14
PEOPLE = [f"person-{number}" for number in range(6)]
SENDERS = 3
PATIENCE_SECONDS = 60
AWAY = (ConnectionClosed, InvalidHandshake, OSError)
PAUSE_SECONDS = 0.05


@dataclass(slots=True)
class Nodes:
    """The nodes of the installation; clients go to those that run."""

    running: list[LiveNode]
    chance: random.Random

    @property
    def address(self) -> str:
        node = self.chance.choice(self.running)
        return f"ws://127.0.0.1:{node.port}/v3/realtime"


@dataclass(slots=True)
class Listener:
    """A client that comes back with its cursor whenever it loses its connection."""

    nodes: Nodes
    token: str
    ids: list[str] = field(default_factory=list)
    """The ids of the events that it was told."""
    messages: list[str] = field(default_factory=list)
    cursor: str = ""
    connects: int = 0
    socket: ClientConnection | None = None
    is_welcome: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self) -> None:
        """Listen, until cancelled."""
        while True:
            with suppress(*AWAY):
                async with connect(self.nodes.address, compression=None) as self.socket:
                    await self._listen(self.socket)
            await asyncio.sleep(PAUSE_SECONDS)

    async def _listen(self, socket: ClientConnection) -> None:
        since = {"since": self.cursor} if self.cursor else {}
        await socket.send(json.dumps({"op": "connect", "authToken": self.token, **since}))
        async for text in socket:
            frame = json.loads(text)
            if frame["op"] == "connected":
                assert frame["resumed"] is bool(self.cursor), "everything must be loaded anew"
                self.connects += 1
                self.is_welcome.set()
            if "cursor" in frame:
                self.cursor = frame["cursor"]
            if frame["op"] == "event" and frame["event"] == "message_sent":
                self.ids.append(frame["id"])
                self.messages.append(frame["data"]["message"]["id"])

    def cut(self) -> None:
        """Lose the connection."""
        if self.socket is not None:
            self.socket.transport.abort()


@dataclass(slots=True)
class Sender:
    """A client that sends, and sends again what was not answered."""

    nodes: Nodes
    token: str
    name: str
    sent: int = 0
    is_done: bool = False

    async def run(self) -> None:
        """Send, until it is to be done."""
        while not self.is_done:
            with suppress(*AWAY):
                async with connect(self.nodes.address, compression=None) as socket:
                    await socket.send(json.dumps({"op": "connect", "authToken": self.token}))
                    await self._talk(socket)
            await asyncio.sleep(PAUSE_SECONDS)

    async def _talk(self, socket: ClientConnection) -> None:
        while not self.is_done:
            params = {"receiver": "team", "receiverType": "group", "category": "message"}
            params |= {"type": "text", "muid": f"{self.name}-{self.sent}"}
            params["data"] = {"text": f"Message {self.sent}"}  # type: ignore[assignment]
            call = {"op": "call", "ref": "1", "method": "send_message", "params": params}
            await socket.send(json.dumps(call))
            while (frame := json.loads(await socket.recv()))["op"] != "reply":
                pass
            self.sent += "data" in frame


@dataclass(slots=True)
class Talk:
    """A group that talks all the time."""

    world: World
    listeners: list[Listener]
    senders: list[Sender]

    async def until_sent(self, number: int) -> None:
        """Wait until so many further messages were sent."""
        goal = sum(each.sent for each in self.senders) + number
        async with asyncio.timeout(PATIENCE_SECONDS):
            while sum(each.sent for each in self.senders) < goal:  # noqa: ASYNC110
                await asyncio.sleep(0.002)

    async def check(self) -> int:
        """Stop sending; everybody has heard every message once, in order. Return how many."""
        for sender in self.senders:
            sender.is_done = True
        await asyncio.sleep(0.5)
        expected = await self._history()
        async with asyncio.timeout(PATIENCE_SECONDS):
            for listener in self.listeners:
                while listener.messages[-1:] != expected[-1:]:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
        assert len(expected) == sum(each.sent for each in self.senders)
        for listener in self.listeners:
            assert listener.messages == expected
            assert listener.ids == self.listeners[0].ids
        return len(expected)

    async def _history(self) -> list[str]:
        found: list[str] = []
        while True:
            after = f"&id={found[-1]}&affix=append" if found else "&id=1&affix=append"
            path = f"/groups/team/messages?limit=1000&category=message{after}"
            page: list[Any] = await self.world.get(path)
            if not page:
                return found
            found += sorted((each["id"] for each in page), key=int)


@contextmanager
def nodes_of(victim: Victim) -> Iterator[list[LiveNode]]:
    """Yield the nodes of an installation: two on PostgreSQL."""
    if victim.postgres is None:
        yield [victim.node]
        return
    first = victim.node
    with LiveNode(Settings(data=first.data, database_url=first.database_url)) as second:
        yield [first, second]


async def begin(stack: AsyncExitStack, victim: Victim, nodes: Nodes) -> Talk:
    """Begin a talk, in which the first listener is never cut."""
    world = await victim.node.world()
    await world.users(*PEOPLE)
    group = {"guid": "team", "name": "Team", "type": "public", "owner": PEOPLE[0]}
    await world.post("/groups", group)
    await world.post("/groups/team/members", {"participants": PEOPLE[1:]})
    tokens = [await world.token(uid) for uid in PEOPLE]
    listeners = [Listener(nodes, token) for token in tokens]
    senders = [Sender(nodes, tokens[number], f"{number}") for number in range(SENDERS)]
    tasks = [asyncio.create_task(each.run()) for each in listeners]
    async with asyncio.timeout(PATIENCE_SECONDS):
        for listener in listeners:
            await listener.is_welcome.wait()
    tasks += [asyncio.create_task(each.run()) for each in senders]
    for task in tasks:
        stack.callback(task.cancel)
    return Talk(world, listeners, senders)


async def cut_at_random(victim: Victim, cuts: int) -> None:
    """Cut listeners at random moments."""
    chance = random.Random(SEED)
    async with AsyncExitStack() as stack:
        running = stack.enter_context(nodes_of(victim))
        talk = await begin(stack, victim, Nodes(running, chance))
        for _ in range(cuts):
            await talk.until_sent(chance.randrange(6))
            await asyncio.sleep(chance.random() / 100)
            chance.choice(talk.listeners[1:]).cut()
        await talk.until_sent(10)

        assert await talk.check() > cuts
        assert talk.listeners[0].connects == 1


async def kill_at_random(victim: Victim, kills: int) -> None:
    """Kill the nodes in turn."""
    chance = random.Random(SEED)
    async with AsyncExitStack() as stack:
        every = stack.enter_context(nodes_of(victim))
        nodes = Nodes(list(every), chance)
        talk = await begin(stack, victim, nodes)
        for number in range(kills):
            await talk.until_sent(20 + chance.randrange(50))
            node = every[number % len(every)]
            await asyncio.to_thread(node.kill)
            if len(every) > 1:
                nodes.running = [each for each in every if each is not node]
                await talk.until_sent(20)
            await asyncio.to_thread(node.start)
            nodes.running = list(every)
        await talk.until_sent(20)

        assert await talk.check() > 20 * kills


async def test_clients_are_cut(victim: Victim) -> None:
    """A client that is cut while others write ends with the stream of one that never was."""
    await cut_at_random(victim, cuts=8)


@pytest.mark.campaign
async def test_clients_are_cut_often(victim: Victim) -> None:
    """The same for 200 cuts."""
    await cut_at_random(victim, cuts=200)


async def test_nodes_are_killed(victim: Victim) -> None:
    """After SIGKILL clients resume, on another node if there is one: nothing is lost or doubled."""
    await kill_at_random(victim, kills=2)


@pytest.mark.campaign
async def test_nodes_are_killed_often(victim: Victim) -> None:
    """The same for 20 kills."""
    await kill_at_random(victim, kills=20)


async def test_the_database_restarts(victim: Victim) -> None:
    """While PostgreSQL restarts sends are refused; no session ends, and none misses anything."""
    if victim.postgres is None:
        pytest.skip("SQLite has no server.")
    async with AsyncExitStack() as stack:
        talk = await begin(stack, victim, Nodes([victim.node], random.Random(SEED)))
        await talk.until_sent(20)
        await asyncio.to_thread(victim.postgres.stop)
        refused = await talk.world.ask("GET", "/users/person-0")
        await asyncio.to_thread(victim.postgres.start)
        await talk.until_sent(20)

        assert refused.status == 503
        assert await talk.check() >= 40
        assert {each.connects for each in talk.listeners} == {1}

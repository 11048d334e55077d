"""A node with users who have tokens, and their sockets."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property

import msgspec
import psutil
from tests.live import LiveNode

from bench.load.client import Client, create_app
from bench.load.requests import Load
from bench.load.scenarios import Trial
from bench.load.scene import Group, Scene
from bench.load.sends import timed_texts
from bench.realtime.sockets import AT_ONCE, Count, Socket, close_sockets, open_sockets

PATH = "/v3/realtime"
WARM_UP_SECONDS = 0.5
THREADS = 8
RECEIVERS, CROWD, LARGE_CROWD = 200, 300, 1_000


@dataclass(frozen=True, slots=True)
class Person:
    """A user with a token."""

    uid: str
    token: str

    @property
    def connect_frame(self) -> bytes:
        """Return the frame that connects them."""
        return msgspec.json.encode({"op": "connect", "authToken": self.token})


class Stage:
    """Nodes on one store, and the people of an app on them."""

    def __init__(self, nodes: Sequence[LiveNode], seconds: float) -> None:
        self.node = node = nodes[0]
        app_id, key = create_app(node)
        self._headers = {"apikey": key}
        self.scene = Scene(Client(node.port, self._headers), app_id, key)
        self.trial = Trial(nodes, self.scene, WARM_UP_SECONDS, seconds, nullcontext())
        assert node.process is not None
        self.process = psutil.Process(node.process.pid)

    @cached_property
    def receivers(self) -> Sequence[str]:
        """Return the users who are written to by others."""
        return self.scene.make_users("receiver", RECEIVERS)

    @cached_property
    def crowd(self) -> Group:
        return self.scene.make_group("online", CROWD)

    @cached_property
    def large_crowd(self) -> Group:
        return self.scene.make_group("many", LARGE_CROWD)

    def people(self, uids: Sequence[str]) -> Sequence[Person]:
        """Return users with a new token each, which no request has shown yet."""
        size = -(-len(uids) // THREADS)
        parts = [uids[at : at + size] for at in range(0, len(uids), size)]
        with ThreadPoolExecutor(THREADS) as threads:
            return [each for some in threads.map(self._make_tokens, parts) for each in some]

    def _make_tokens(self, uids: Sequence[str]) -> list[Person]:
        client = Client(self.node.port, self._headers)
        made = [client.post(f"/users/{uid}/auth_tokens", {"force": True}) for uid in uids]
        client.close()
        return [Person(each["uid"], each["authToken"]) for each in made]

    async def connect(self, people: Sequence[Person], count: Count) -> "Sockets":
        """Connect users, and wait until the node has nothing to do; their events are counted."""
        await self.settle()
        sockets = await self.open(people, count)
        await self.settle()
        return sockets

    async def settle(self) -> None:
        """Wait until the node has done what is left to do."""
        await asyncio.to_thread(self.trial.settle)

    async def open(
        self, people: Sequence[Person], count: Count, at_once: int = AT_ONCE
    ) -> "Sockets":
        """Connect users, spread over the nodes."""
        firsts, ports = [each.connect_frame for each in people], self.trial.ports
        opened = await asyncio.gather(
            *(
                open_sockets(port, PATH, firsts[place :: len(ports)], count, at_once)
                for place, port in enumerate(ports)
            )
        )
        return Sockets([socket for some in opened for socket in some])

    def to_receivers(self) -> Load:
        """Return texts from users who are not connected."""
        return timed_texts(self.scene, self.scene.senders, self.receivers, "user")

    def to_group(self, group: Group) -> Load:
        """Return texts to a group by its members."""
        return timed_texts(self.scene, group.members, [group.guid], "group")

    def memory(self) -> int:
        """Return the bytes of memory that the node has."""
        return int(self.process.memory_info().rss)


@dataclass(frozen=True, slots=True)
class Sockets:
    """Sockets, closed at the end of the block."""

    open: Sequence[Socket]

    def __enter__(self) -> Sequence[Socket]:
        return self.open

    def __exit__(self, *_: object) -> None:
        close_sockets(self.open)

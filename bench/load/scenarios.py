"""What can be measured on running nodes, by name."""

import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial

import uvloop
from tests.live import LiveNode

from bench import profile
from bench.load import reads, sends
from bench.load.generator import Measured, measure, measure_during
from bench.load.requests import Load
from bench.load.scene import MEMBERS, PAGE, Scene
from bench.load.sends import CONNECTIONS, IMPORT_CONNECTIONS, ROWS

SETTLING_SECONDS, IDLE_SHARE, MOST_SETTLING_SECONDS = 0.3, 0.1, 30.0


@dataclass(frozen=True, slots=True)
class Trial:
    """Nodes on one store, and how long to measure them; `meter` counts what they use meanwhile."""

    nodes: Sequence[LiveNode]
    scene: Scene
    warm_up_seconds: float
    seconds: float
    meter: AbstractContextManager[object]

    def run(self, load: Load) -> Measured:
        """Send a load to the nodes, its connections spread over them."""
        with self.metered():
            return uvloop.run(self.measure(load))

    @contextmanager
    def metered(self) -> Iterator[None]:
        """Meter a load, and the work that it leaves to do, but none that earlier ones have left."""
        self.settle()
        with self.meter:
            yield
            self.settle()

    async def measure(self, load: Load) -> Measured:
        """Do the same within an event loop, unmetered."""
        return await measure(
            self.ports, load, warm_up_seconds=self.warm_up_seconds, seconds=self.seconds
        )

    async def measure_during(self, load: Load, work: Callable[[], Awaitable[object]]) -> Measured:
        """Send a load while work is done, unmetered."""
        return await measure_during(self.ports, load, work, warm_up_seconds=self.warm_up_seconds)

    @property
    def ports(self) -> Sequence[int]:
        """Return the ports of the nodes."""
        return [node.port for node in self.nodes]

    def settle(self) -> None:
        """Wait until nodes have done what is left to do, such as entries of the search index."""
        deadline = time.monotonic() + MOST_SETTLING_SECONDS
        busy = SETTLING_SECONDS
        while busy > IDLE_SHARE * SETTLING_SECONDS and time.monotonic() < deadline:
            before = self._spent()
            time.sleep(SETTLING_SECONDS)
            busy = self._spent() - before

    def _spent(self) -> float:
        """Return the CPU seconds of the nodes so far."""
        pids = [node.process.pid for node in self.nodes if node.process is not None]
        return sum(profile.cpu_seconds(pid).total() for pid in pids)


@dataclass(frozen=True, slots=True)
class Scenario:
    """A measurement; `unit` is what its rate counts, `per_answer` of them in each answer."""

    name: str
    about: str
    unit: str
    run: Callable[[Trial], Measured]
    per_answer: int = 1


def _repeating(make: Callable[[Scene], Load]) -> Callable[[Trial], Measured]:
    return lambda trial: trial.run(make(trial.scene))


ONE = Scenario("one", "1 connection", "sends", _repeating(partial(sends.one_to_one, connections=1)))
SENDS = Scenario("sends", f"{CONNECTIONS} connections", "sends", _repeating(sends.one_to_one))
IMPORTS = Scenario(
    "import",
    f"import, {ROWS} rows a request, {IMPORT_CONNECTIONS} connections",
    "rows",
    _repeating(sends.imports),
    ROWS,
)


def _sending(name: str, about: str, make: Callable[[Scene], Load]) -> Scenario:
    return Scenario(name, f"{CONNECTIONS} connections, {about}", "sends", _repeating(make))


def _reading(name: str, about: str, make: Callable[[Scene], Load]) -> Scenario:
    about = f"{PAGE} {about}, {reads.CONNECTIONS} connections"
    return Scenario(name, about, "pages", _repeating(make))


REPEATED = (
    ONE,
    SENDS,
    _sending("muid", "each with a muid", sends.with_muid),
    _sending("group", f"to a group of {MEMBERS}", sends.to_group),
    _sending("mention", "each with a mention", sends.with_mention),
    _sending("thread", "replies in threads", sends.in_thread),
    _sending("token", "by the sender's own token", sends.by_token),
    IMPORTS,
    _reading("newest", "newest messages, one-to-one", reads.newest),
    _reading("middle", "messages in the middle, one-to-one", reads.middle),
    _reading("room-newest", "newest messages of a lively group", reads.newest_of_room),
    _reading("room-middle", "messages of a lively group in the middle", reads.middle_of_room),
    _reading("conversations", "conversations of a user", reads.conversations),
)
"""Scenarios that repeat requests, each connection one after the other."""

"""The clock of nodes on PostgreSQL is that of the database, whatever that of the machine shows."""

import math
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs
from tests.clock import ManualClock
from tests.postgres import PostgresServer
from tests.wire import Asked, InProcess
from tests.world import Node, World

from hubbub.bootstrap import open_runtime
from hubbub.config import Settings
from hubbub.domain.apps.manage import make_management_credentials, store_first_credentials
from hubbub.http.app import make_app
from hubbub.kernel.clock import ClockReading, SharedClock, SystemClock
from hubbub.rest.operations import OPERATIONS

TOLERANCE_SECONDS = 2


class Machine(SystemClock):
    """The clock of a machine, which somebody sets."""

    def __init__(self, ahead: float = 0) -> None:
        self.ahead = ahead

    def now(self) -> int:
        return self.milliseconds() // 1000

    def milliseconds(self) -> int:
        return super().milliseconds() + round(1000 * self.ahead)


class TwoNodes:
    """Two nodes on one database: the machine of the first one is right."""

    def __init__(self, right: Node, other: Node, machine: Machine, world: World) -> None:
        self.right = right
        self.other = other
        self.machine = machine
        self._world = world

    async def send(self, node: Node, text: str) -> Any:
        """Send a message from anna to ben over a node."""
        body = {
            "receiver": "ben",
            "receiverType": "user",
            "category": "message",
            "type": "text",
            "data": {"text": text},
        }
        world = World(node.sender, self._world.app_id, self._world.key, self._world.auth_key)
        return await world.post("/messages", body, as_="anna")

    async def look(self) -> None:
        """Have the other node ask for the time, as it does every few seconds."""
        keeper = self.other.runtime.timekeeper
        assert keeper is not None
        await keeper.set_clock()


@pytest.fixture
async def nodes(
    postgres_server: PostgresServer, tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[TwoNodes]:
    """Two nodes; the parameter is by how much the clock of the second machine is ahead."""
    name = f"clock_{tmp_path.name}".lower()[:60].replace("-", "_")
    postgres_server.create_database(name)
    url = postgres_server.url(name)
    settings = Settings(data=tmp_path, database_url=url, log_requests=False)
    machine = Machine(getattr(request, "param", 0))
    async with AsyncExitStack() as stack:
        runtimes = [
            await stack.enter_async_context(open_runtime(settings, machine=each))
            for each in (Machine(), machine)
        ]
        credentials = make_management_credentials(runtimes[0].ids)
        assert await store_first_credentials(runtimes[0], credentials)
        management = {"key": credentials.key, "secret": credentials.secret}
        right, other = (
            Node(runtime, ManualClock(), InProcess(make_app(runtime, OPERATIONS)), management)
            for runtime in runtimes
        )
        world = await right.world()
        await world.users("anna", "ben")
        yield TwoNodes(right, other, machine, world)


async def ready(node: Node) -> tuple[int, str]:
    """Return the status of the health check, and the reason why the node is not ready."""
    answer = await node.sender.send(Asked("GET", "/health/ready"))
    return answer.status, answer.json.get("reason", "")


def is_now(seconds: int, began: float) -> bool:
    """Return whether it is a time since `began`; times are in whole seconds."""
    return began - TOLERANCE_SECONDS < seconds < time.time() + TOLERANCE_SECONDS


@pytest.mark.parametrize("nodes", [60, -60, 86_400], indirect=True)
async def test_a_machine_whose_clock_is_wrong(nodes: TwoNodes) -> None:
    """Its node sends the right times, moves those of no other node, and is not ready."""
    began = time.time()
    sent = [
        await nodes.send(node, f"{number}")
        for number, node in enumerate([nodes.other, nodes.right, nodes.other, nodes.right])
    ]

    assert all(is_now(message["sentAt"], began) for message in sent)
    assert [message["sentAt"] for message in sent] == sorted(message["sentAt"] for message in sent)
    assert [int(message["id"]) for message in sent] == sorted(int(each["id"]) for each in sent)
    assert await ready(nodes.right) == (200, "")
    status, reason = await ready(nodes.other)
    assert status == 503
    direction = "ahead of" if nodes.machine.ahead > 0 else "behind"
    assert f"s {direction} that of the database" in reason


@pytest.mark.parametrize("nodes", [4, -4], indirect=True)
async def test_a_machine_whose_clock_is_nearly_right(nodes: TwoNodes) -> None:
    """A difference of up to five seconds is no fault, and makes no wrong time."""
    began = time.time()
    assert is_now((await nodes.send(nodes.other, "hello"))["sentAt"], began)
    assert await ready(nodes.other) == (200, "")


@pytest.mark.parametrize("ahead", [60, -60])
async def test_a_clock_that_is_set_while_the_node_runs(nodes: TwoNodes, ahead: float) -> None:
    """Times stay right, the node is not ready until the clock is right, and the log says both."""
    began = time.time()
    before = await nodes.send(nodes.other, "before")
    with capture_logs() as lines:
        nodes.machine.ahead = ahead
        at_once = await ready(nodes.other)
        await nodes.look()
        await nodes.look()
        meanwhile = await nodes.send(nodes.other, "meanwhile")
        of_another = await nodes.send(nodes.right, "of another node")
        nodes.machine.ahead = 0
        await nodes.look()
        await nodes.look()

    times = [message["sentAt"] for message in (before, meanwhile, of_another)]
    assert times == sorted(times)
    assert all(is_now(each, began) for each in times)
    assert at_once[0] == 503
    assert await ready(nodes.other) == (200, "")
    assert [line["event"] for line in lines] == ["clock_wrong", "clock_right"]


async def test_a_clock_that_is_given(postgres_server: PostgresServer, tmp_path: Path) -> None:
    """A node that is given a clock has that time; else it is the machine's on SQLite."""
    clock = Machine(1_000)
    async with open_runtime(Settings(data=tmp_path), clock) as runtime:
        assert runtime.clock is clock
        assert runtime.timekeeper is None
    began = time.time()
    async with open_runtime(Settings(data=tmp_path), machine=Machine(1_000)) as runtime:
        assert is_now(runtime.clock.now() - 1_000, began)
        assert await runtime.database.read_clock() is None


def test_time_stands_still_rather_than_go_back() -> None:
    """A clock that is ahead waits; one that is far ahead is set back."""
    machine = ManualClock(1_000)
    clock = SharedClock(machine)
    clock.correct(ClockReading(5_000_000, machine.monotonic(), 0))
    assert clock.milliseconds() == 5_000_000
    clock.correct(ClockReading(4_999_000, machine.monotonic(), 0))
    assert clock.milliseconds() == 5_000_000
    machine.advance(1.5)
    assert clock.milliseconds() == 5_000_500
    clock.correct(ClockReading(4_000_000, machine.monotonic(), 0))
    assert clock.milliseconds() == 4_000_000


@given(
    readings=st.lists(
        st.tuples(st.integers(0, 5_000), st.integers(0, 2_000), st.integers(0, 2_000)), min_size=1
    )
)
def test_readings_over_a_slow_connection(readings: list[tuple[int, int, int]]) -> None:
    """Time rises, however long question and answer take, and no reading misleads for long.

    The clock is right by at least the best half of a round trip that it has seen.
    """
    machine = ManualClock(1_000)
    clock, ahead_ms, best, latest = SharedClock(machine), 77_000_000, math.inf, 0
    for pause, way, way_back in readings:
        machine.advance(pause / 1000)
        began = machine.monotonic()
        machine.advance(way / 1000)
        shown = machine.milliseconds() + ahead_ms
        machine.advance(way_back / 1000)
        ended = machine.monotonic()
        within = 500 * (ended - began)
        clock.correct(ClockReading(shown, (began + ended) / 2, within))
        best = min(best, within)
        error = -1000 * clock.skew_seconds - ahead_ms

        assert abs(error) <= 2 * best + 1
        assert clock.milliseconds() >= latest
        latest = clock.milliseconds()

"""A cheap load generator: prebuilt requests on keep-alive connections, answers scanned.

It parses only the status of an answer, its `Content-Length` and a required piece of text: an HTTP
library would cost more than the server that is measured.
"""

import asyncio
import itertools
import random
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from bench.load.requests import HOST, SERIAL_PLACE, TIME_PLACE, Load

TICK_SECONDS = 0.001
SERIAL, TIME = b"%012d", b"%016d"
SHOWN_BYTES = 200
AT_ONCE = 64
"""So many requests are chosen together."""
LAST_ANSWER_SECONDS = 30
_END_OF_HEAD = b"\r\n\r\n"
_LENGTH = b"content-length: "
_serials = itertools.count(1)


class WrongAnswer(Exception):
    """An answer was not as the scenario expects; the message shows its beginning."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The results of a load in an interval."""

    rate: float
    """The answers in a second."""
    latencies: Sequence[float] = ()
    """Ascending."""
    answers: int = 0
    """All answers, including those outside the interval."""
    generator: float = 0.0
    """The share of a core that the load generator used."""

    def percentile(self, percent: float) -> float:
        """Return the latency, in seconds, that this percentage of the answers did not exceed."""
        if not self.latencies:
            return float("nan")
        place = min(len(self.latencies) - 1, int(len(self.latencies) * percent / 100))
        return self.latencies[place]


@dataclass(slots=True)
class Tally:
    """Answers: their times of arrival and latencies, in seconds."""

    arrived_at: list[float] = field(default_factory=list)
    latencies: list[float] = field(default_factory=list)

    def add(self, since: float) -> None:
        now = time.perf_counter()
        self.arrived_at.append(now)
        self.latencies.append(now - since)

    def between(self, start: float, end: float, cpu_seconds: float) -> Measured:
        """Return the answers that arrived in an interval; the generator used CPU in it."""
        pairs = zip(self.arrived_at, self.latencies, strict=True)
        latencies = sorted(latency for at, latency in pairs if start <= at < end)
        seconds = end - start
        rate = len(latencies) / seconds
        return Measured(rate, latencies, len(self.latencies), cpu_seconds / seconds)


class Connection(asyncio.Protocol):
    """Sends one request at a time; `answered` is called when its answer has arrived."""

    def __init__(
        self,
        load: Load,
        requests: Iterator[bytes],
        tally: Tally,
        answered: "Callable[[Connection], None]",
    ) -> None:
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._load = load
        self._requests = requests
        self._tally = tally
        self._answered = answered
        self._received = b""
        self._whole = 0
        self._since = 0.0
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.WriteTransport", transport)  # uvloop's is none by name

    def send(self, since: float, *, told: float | None = None) -> None:
        """Send the next request; its latency counts from `since`, or for receivers from `told`."""
        assert self._transport is not None
        self._since = since
        request = next(self._requests).replace(TIME_PLACE, TIME % int((told or since) * 1e6))
        self._transport.write(request.replace(SERIAL_PLACE, SERIAL % next(_serials)))

    def data_received(self, data: bytes) -> None:
        received = self._received = self._received + data if self._received else data
        if not self._whole:
            end = received.find(_END_OF_HEAD)
            if end == -1:
                return
            head = received[:end].lower() + b"\r"
            at = head.find(_LENGTH) + len(_LENGTH)
            self._whole = end + len(_END_OF_HEAD) + int(head[at : head.find(b"\r", at)])
        if len(received) < self._whole:
            return
        self._tally.add(self._since)
        self._received, self._whole = b"", 0
        if received[9:12] != b"200" or received.count(self._load.expected) != self._load.times:
            self._end(WrongAnswer(self._describe(received)))
        else:
            self._answered(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._end(exc or ConnectionResetError("the server closed the connection"))

    def end(self) -> None:
        """Close the connection; no request may be under way."""
        self._end(None)

    def _describe(self, answer: bytes) -> str:
        head, _, body = answer.partition(_END_OF_HEAD)
        status, expected = head[9:12].decode(), self._load.expected.decode()
        shown = body[:SHOWN_BYTES].decode("utf-8", "replace")
        return f"{status}, {expected} is not there {self._load.times} times: {shown}"

    def _end(self, failure: Exception | None) -> None:
        if self.ended.done():
            return
        if failure is None:
            self.ended.set_result(None)
        else:
            self.ended.set_exception(failure)
        assert self._transport is not None
        self._transport.close()


class Pace(Protocol):
    """Decides when connections send."""

    def start(self, connections: Sequence[Connection]) -> None: ...
    def answered(self, connection: Connection) -> None: ...
    def stop(self) -> None: ...


class Closed:
    """Each connection sends its next request as soon as the last one is answered."""

    def __init__(self) -> None:
        self._is_stopping = False

    def start(self, connections: Sequence[Connection]) -> None:
        for connection in connections:
            connection.send(time.perf_counter())

    def answered(self, connection: Connection) -> None:
        if self._is_stopping:
            connection.end()
        else:
            connection.send(time.perf_counter())

    def stop(self) -> None:
        self._is_stopping = True


class Open:
    """Requests are due at a fixed rate, whatever the server does.

    One that finds all connections busy waits for the first that is free. Latencies count from the
    time at which a request was due, so that a server that stalls is charged for all that waited.
    """

    def __init__(self, rate: float) -> None:
        self._interval = 1 / rate
        self._due_at = 0.0
        self._free: deque[Connection] = deque()
        self._waiting: deque[float] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._is_stopping = False

    def start(self, connections: Sequence[Connection]) -> None:
        self._free.extend(connections)
        self._due_at = time.perf_counter()
        self._tick()

    def answered(self, connection: Connection) -> None:
        if self._is_stopping:
            connection.end()
        elif self._waiting:
            connection.send(self._waiting.popleft())
        else:
            self._free.append(connection)

    def stop(self) -> None:
        self._is_stopping = True
        if self._timer is not None:
            self._timer.cancel()
        for connection in self._free:
            connection.end()

    def _tick(self) -> None:
        """Send what is due, and look again in a millisecond, the precision of the loop."""
        now = time.perf_counter()
        while self._due_at <= now:
            if self._free:
                # Receivers of the message don't count the generator's own delay of up to a tick.
                told = min(now, self._due_at + TICK_SECONDS)
                self._free.popleft().send(self._due_at, told=told)
            else:
                self._waiting.append(self._due_at)
            self._due_at += self._interval
        self._timer = asyncio.get_running_loop().call_later(TICK_SECONDS, self._tick)


async def measure(
    ports: Sequence[int], load: Load, *, warm_up_seconds: float, seconds: float
) -> Measured:
    """Send `load` to servers for a time; answers during the warm-up do not count.

    Raises:
        WrongAnswer: a server's answer is not as expected.
        OSError: a server closed a connection.
    """
    return await measure_during(
        ports, load, lambda: asyncio.sleep(seconds), warm_up_seconds=warm_up_seconds
    )


async def measure_during(
    ports: Sequence[int],
    load: Load,
    work: Callable[[], Awaitable[object]],
    *,
    warm_up_seconds: float,
) -> Measured:
    """Send `load` to servers while work is done, which begins after the warm-up.

    Raises:
        WrongAnswer: a server's answer is not as expected.
        OSError: a server closed a connection.
    """
    tally, requests = Tally(), _in_random_order(load.requests)
    pace: Pace = Closed() if load.rate is None else Open(load.rate)
    connections = [
        await _connect(port, Connection(load, requests, tally, pace.answered))
        for port in itertools.islice(itertools.cycle(ports), load.connections)
    ]
    ended = asyncio.gather(*(connection.ended for connection in connections))
    pace.start(connections)
    await _run_beside(ended, asyncio.sleep(warm_up_seconds))
    start, used = time.perf_counter(), time.process_time()
    await _run_beside(ended, work())
    end, used = time.perf_counter(), time.process_time() - used
    pace.stop()
    await asyncio.wait_for(ended, LAST_ANSWER_SECONDS)
    return tally.between(start, end, used)


def _in_random_order(requests: Sequence[bytes]) -> Iterator[bytes]:
    """Yield each request once, in order, and then at random for ever.

    Repeated in order, they would be about rows in the order in which these were made: the next one
    is mostly on the page of the one before, which takes the server's writer much less time.
    """
    yield from requests
    chance = random.Random(1)
    while True:
        yield from chance.choices(requests, k=AT_ONCE)


async def _connect(port: int, connection: Connection) -> Connection:
    await asyncio.get_running_loop().create_connection(lambda: connection, HOST, port)
    return connection


async def _run_beside(ended: "asyncio.Future[list[None]]", work: Awaitable[object]) -> None:
    """Do some work; a connection that fails meanwhile fails the measurement at once."""
    task = asyncio.ensure_future(work)
    both: list[asyncio.Future[Any]] = [ended, task]
    await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    if ended.done():
        task.cancel()
        ended.result()
    await task

"""A cheap load generator: prebuilt HTTP/1.1 requests on keep-alive connections, answers scanned.

It parses only the status of an answer, its `Content-Length` and a required piece of text: an HTTP
library would cost more than the server that is measured.
"""

import asyncio
import itertools
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import cast

HOST = "127.0.0.1"
SERIAL = b"%012d"
SERIAL_PLACE = b"<serial---->"
"""A placeholder for a number that is different each time a request is sent: for muids."""

_END_OF_HEAD = b"\r\n\r\n"
_LENGTH = b"content-length: "
SHOWN_BYTES = 500
LAST_ANSWER_SECONDS = 30


class WrongAnswer(Exception):
    """An answer was not as the scenario expects; the message shows its beginning."""


def encode_request(target: str, headers: Mapping[str, str], body: bytes) -> bytes:
    """Return a POST as bytes on the wire."""
    lines = [
        f"POST {target} HTTP/1.1",
        f"Host: {HOST}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        *(f"{name}: {text}" for name, text in headers.items()),
    ]
    return "\r\n".join(lines).encode() + _END_OF_HEAD + body


@dataclass(frozen=True, slots=True)
class Load:
    """Requests to repeat, and what each answer must contain."""

    requests: list[bytes]
    expected: bytes
    times: int = 1
    """The number of times that an answer contains `expected`."""
    connections: int = 1


@dataclass(slots=True)
class Tally:
    """Answers: their times of arrival and latencies, in seconds."""

    arrived_at: list[float] = field(default_factory=list)
    latencies: list[float] = field(default_factory=list)

    def add(self, sent_at: float) -> None:
        now = time.perf_counter()
        self.arrived_at.append(now)
        self.latencies.append(now - sent_at)

    def between(self, start: float, end: float) -> list[float]:
        """Return the latencies of answers that arrived in an interval, ascending."""
        pairs = zip(self.arrived_at, self.latencies, strict=True)
        return sorted(latency for at, latency in pairs if start <= at < end)


class Connection(asyncio.Protocol):
    """Sends the next request as soon as the last one is answered, until it is stopped."""

    def __init__(self, load: Load, tally: Tally) -> None:
        self.stopped: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._load = load
        self._tally = tally
        self._is_stopping = False
        self._received = b""
        self._whole = 0
        self._sent_at = 0.0
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.WriteTransport", transport)  # uvloop's is none by name
        self._send()

    def data_received(self, data: bytes) -> None:
        received = self._received = self._received + data if self._received else data
        if not self._whole:
            head = received.find(_END_OF_HEAD)
            if head == -1:
                return
            at = received.lower().find(_LENGTH, 0, head) + len(_LENGTH)
            length = int(received[at : received.find(b"\r", at)])
            self._whole = head + len(_END_OF_HEAD) + length
        if len(received) < self._whole:
            return
        self._tally.add(self._sent_at)
        self._received, self._whole = b"", 0
        if received[9:12] != b"200" or received.count(self._load.expected) != self._load.times:
            self._stop(WrongAnswer(received[:SHOWN_BYTES].decode("utf-8", "replace")))
        elif self._is_stopping:
            self._stop(None)
        else:
            self._send()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop(exc or ConnectionResetError("the server closed the connection"))

    def stop(self) -> None:
        """Send nothing more; `stopped` is done when the last answer has arrived."""
        self._is_stopping = True

    def _send(self) -> None:
        assert self._transport is not None
        self._sent_at = time.perf_counter()
        self._transport.write(take_request(self._load))

    def _stop(self, failure: Exception | None) -> None:
        if self.stopped.done():
            return
        if failure is None:
            self.stopped.set_result(None)
        else:
            self.stopped.set_exception(failure)
        assert self._transport is not None
        self._transport.close()


_serials = itertools.count(1)


def take_request(load: Load) -> bytes:
    """Return the next request of a load, with a unique number."""
    serial = next(_serials)
    return load.requests[serial % len(load.requests)].replace(SERIAL_PLACE, SERIAL % serial)


@dataclass(frozen=True, slots=True)
class Measured:
    """The results of a load in an interval."""

    seconds: float
    latencies: list[float]
    """Ascending."""

    @property
    def rate(self) -> float:
        """Return the answers in a second."""
        return len(self.latencies) / self.seconds

    def percentile(self, percent: float) -> float:
        """Return the latency, in seconds, that this percentage of the answers did not exceed."""
        place = min(len(self.latencies) - 1, int(len(self.latencies) * percent / 100))
        return self.latencies[place]


async def measure(port: int, load: Load, *, warm_up_seconds: float, seconds: float) -> Measured:
    """Send `load` to a server for a time; answers during the warm-up do not count.

    Raises:
        WrongAnswer: the server's answer is not as expected.
        OSError: the server closed a connection.
    """
    tally = Tally()
    loop = asyncio.get_running_loop()
    connections = [Connection(load, tally) for _ in range(load.connections)]
    for connection in connections:
        await loop.create_connection(partial(_itself, connection), HOST, port)
    stopped = asyncio.gather(*(connection.stopped for connection in connections))
    await _wait(stopped, warm_up_seconds)
    start = time.perf_counter()
    await _wait(stopped, seconds)
    end = time.perf_counter()
    for connection in connections:
        connection.stop()
    await asyncio.wait_for(stopped, LAST_ANSWER_SECONDS)
    return Measured(end - start, tally.between(start, end))


def _itself(connection: Connection) -> Connection:
    return connection


async def _wait(stopped: "asyncio.Future[list[None]]", seconds: float) -> None:
    """Wait; a connection that fails meanwhile fails the measurement at once."""
    done, _ = await asyncio.wait([stopped], timeout=seconds)
    if done:
        stopped.result()

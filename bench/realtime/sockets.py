"""Cheap clients of WebSocket servers: they count frames, and read at most the time in them.

A library would cost more for each message than the server that is measured.
"""

import asyncio
import re
import time
from collections.abc import Iterable, Sequence
from typing import cast

from bench.load.requests import HOST

AT_ONCE = 100
"""The sockets that are usually being opened at a time."""
HEAD_END = b"\r\n\r\n"
SMALL, MEDIUM = 126, 127
MASKED, TEXT, CLOSE = 0x80, 0x81, 0x88
_SENT = re.compile(rb"at-(\d{16})")


class Closed(Exception):
    """The server closed a socket; the message has the frame that says why."""


class Count:
    """The frames that sockets have received, but for the first of each."""

    def __init__(self) -> None:
        self.frames = 0
        self._wanted = 0
        self._reached: asyncio.Future[None] | None = None

    def add(self, frames: int, data: bytes) -> None:
        """Count frames that have arrived."""
        self.frames += frames
        if self._reached is not None and self.frames >= self._wanted:
            self._reached.set_result(None)
            self._reached = None

    async def reach(self, frames: int) -> None:
        """Wait until so many frames have arrived."""
        if self.frames < frames:
            self._wanted = frames
            self._reached = asyncio.get_running_loop().create_future()
            await self._reached


class Latencies(Count):
    """The same, and how long ago the messages in the frames were sent, in seconds."""

    def __init__(self) -> None:
        super().__init__()
        self.count_from = 0.0
        """Messages that were sent earlier don't count, in seconds of `time.perf_counter`."""
        self._found: list[tuple[bytes, float]] = []
        """The times at which messages were sent, and at which each was received."""

    def add(self, frames: int, data: bytes) -> None:
        now = time.perf_counter()
        self._found += [(sent, now) for sent in _SENT.findall(data)]
        super().add(frames, data)

    def all(self) -> list[float]:
        """Return the latencies of all frames, ascending."""
        found = ((int(sent) / 1e6, now) for sent, now in self._found)
        return sorted(now - sent for sent, now in found if sent >= self.count_from)

    def of_last(self) -> list[float]:
        """Return the latencies of the last frames of each message, ascending."""
        last = dict(self._found)
        return sorted(now - int(sent) / 1e6 for sent, now in last.items())


class Socket(asyncio.Protocol):
    """A socket, which sends one message when it is open."""

    __slots__ = (
        "_count",
        "_first",
        "_is_open",
        "_opening",
        "_path",
        "_rest",
        "connected",
        "transport",
    )

    def __init__(self, path: str, first: bytes, count: Count) -> None:
        self._path = path
        self._first = first
        self._count = count
        self._opening: bytes | None = b""
        self._is_open = False
        self._rest = b""
        self.connected: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)  # uvloop's is no subclass
        self.transport.write(
            f"GET {self._path} HTTP/1.1\r\nHost: {HOST}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n".encode()
        )

    def say(self, text: bytes) -> None:
        """Send a message."""
        self.transport.write(encode_masked(text))

    def data_received(self, data: bytes) -> None:
        if self._opening is not None:
            data = self._shake_hands(self._opening + data)
            if not data:
                return
        if self._rest:
            data = self._rest + data
        frames, at = _count_frames(data)
        self._rest = data[at:]
        if not self._is_open and frames:
            self._is_open = True
            self.connected.set_result(None)
            frames -= 1
        if frames:
            self._count.add(frames, data)

    def _shake_hands(self, data: bytes) -> bytes:
        """Return what follows the handshake."""
        head, end, rest = data.partition(HEAD_END)
        if not end:
            self._opening = data
            return b""
        if b" 101 " not in head:
            raise Closed(data[:200].decode("utf-8", "replace"))
        self._opening = None
        self.say(self._first)
        return rest

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.connected.done():
            self.connected.set_exception(exc or Closed("the server closed a connection"))


def _count_frames(data: bytes) -> tuple[int, int]:
    """Return the number of whole frames, and where they end."""
    frames = at = 0
    length = len(data)
    while at + 4 <= length:
        size = data[at + 1]
        if size < SMALL:
            end = at + 2 + size
        elif size < MEDIUM:
            end = at + 4 + (data[at + 2] << 8 | data[at + 3])
        else:
            end = at + 10 + int.from_bytes(data[at + 2 : at + 10])
        if data[at] == CLOSE:
            raise Closed(data[at:].decode("utf-8", "replace"))
        if end > length:
            break
        frames, at = frames + 1, end
    return frames, at


def encode_masked(text: bytes) -> bytes:
    """Return a text as a frame of a client, masked with zeros."""
    size = len(text)
    if size < SMALL:
        return bytes((TEXT, MASKED | size, 0, 0, 0, 0)) + text
    return bytes((TEXT, MASKED | SMALL)) + size.to_bytes(2) + bytes(4) + text


async def open_sockets(
    port: int, path: str, firsts: Iterable[bytes], count: Count, at_once: int = AT_ONCE
) -> Sequence[Socket]:
    """Open a socket for each first message; they are open when a frame has answered it."""
    waiting = iter(firsts)
    sockets: list[Socket] = []
    loop = asyncio.get_running_loop()

    async def open_some() -> None:
        for first in waiting:
            socket = Socket(path, first, count)
            await loop.create_connection(lambda: socket, HOST, port)  # noqa: B023  # called at once
            await socket.connected
            sockets.append(socket)

    await asyncio.gather(*(open_some() for _ in range(at_once)))
    return sockets


def close_sockets(sockets: Iterable[Socket]) -> None:
    """Close sockets."""
    for socket in sockets:
        socket.transport.abort()

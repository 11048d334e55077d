"""WebSocket on a connection (RFC 6455): whole messages in, frames out, bounded both ways.

The library `websockets` has the rules of the protocol, without I/O. A frame is encoded once and
written to any number of connections.
"""

import asyncio
import base64
import binascii
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from websockets.exceptions import InvalidState
from websockets.frames import Frame, Opcode
from websockets.protocol import OPEN, SERVER
from websockets.protocol import Protocol as Frames
from websockets.utils import accept_key

from hubbub.http.answer import Answer
from hubbub.http.request import Request
from hubbub.kernel.errors import BadInput

HIGH_WATER = 64 * 1024
"""From so many unsent bytes on, frames wait in the queue of the connection."""
SLICE = 4096
"""The bytes that are parsed at once."""
MOST_LATE = 64 * 1024
"""The bytes that are parsed after the end, to find the client's answer to it."""
MOST_PARTS = 256
"""The frames that a message may come in."""
CLOSE_SECONDS = 2.0
"""The time for a client to answer the end of the connection."""
LONGEST_REASON = 120
KEY_BYTES = 16
BAD_FRAME = 4400
SLOW_CONSUMER = 4409
SERVICE_RESTART = 1012


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a connection may take: of memory, and of its client's patience."""

    largest_message: int = 64 * 1024
    """The bytes of a message of the client."""
    most_queued: int = 1_000
    """The frames that wait for a client that reads slowly."""
    most_queued_bytes: int = 4 * 1024 * 1024


DEFAULT_BOUNDS = Bounds()


class SocketReceiver(Protocol):
    """What is done with the messages of a connection."""

    def begin(self, socket: "WebSocket") -> None:
        """Begin: the connection is open."""
        ...

    def receive(self, message: bytes) -> None:
        """Receive a text message, in UTF-8 if the client is honest."""
        ...

    def hear(self) -> None:
        """Note a sign of life: a ping or a pong."""
        ...

    def stop(self) -> None:
        """Close the connection as soon as what has arrived is answered: the server stops."""
        ...

    def end(self) -> None:
        """End: nothing can be sent any more."""
        ...


def encode_text(message: bytes) -> bytes:
    """Return a text message as a frame."""
    size = len(message)
    if size < 126:
        return b"\x81%c%b" % (size, message)
    if size < 65_536:
        return b"\x81\x7e%b%b" % (size.to_bytes(2), message)
    return b"\x81\x7f%b%b" % (size.to_bytes(8), message)


class WebSocket(asyncio.Protocol):
    """A connection after its handshake."""

    __slots__ = (
        "_bounds",
        "_connections",
        "_drained",
        "_frames",
        "_is_ended",
        "_is_paused",
        "_late_bytes",
        "_parts",
        "_queue",
        "_queued_bytes",
        "_receiver",
        "_timer",
        "closed_with",
        "transport",
    )

    transport: asyncio.Transport

    def __init__(self, receiver: SocketReceiver, bounds: Bounds = DEFAULT_BOUNDS) -> None:
        self._receiver = receiver
        self._bounds = bounds
        self._frames = Frames(SERVER, state=OPEN, max_size=bounds.largest_message)
        self._parts: list[bytes] | None = None
        """The parts so far of a message in several frames."""
        self._queue: deque[bytes] | None = None
        self._queued_bytes = self._late_bytes = 0
        self._is_paused = self._is_ended = False
        self.closed_with = 0
        """The code with which the server has closed the connection; 0 if it has not."""
        self._drained: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def take_over(
        self, transport: asyncio.Transport, received: bytes, connections: set[Any]
    ) -> None:
        """Go on with the connection of an HTTP request, as one of the server's `connections`."""
        self.transport = transport
        self._connections = connections
        connections.add(self)
        transport.set_write_buffer_limits(high=HIGH_WATER)
        transport.set_protocol(self)
        if not transport.is_reading():
            transport.resume_reading()
        self._receiver.begin(self)
        if received:
            self.data_received(received)

    # What the connection tells

    def data_received(self, data: bytes) -> None:
        frames = self._frames
        for at in range(0, len(data), SLICE):  # so that too many frames end it before the rest
            if self._is_ended:
                self._late_bytes += SLICE
                if self._late_bytes > MOST_LATE:
                    break
            frames.receive_data(data[at : at + SLICE])
            for frame in frames.events_received():
                if not self._is_ended and isinstance(frame, Frame):
                    self._receive(frame)
        self._flush_control()

    def eof_received(self) -> None:
        self._close_transport()

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.discard(self)
        if self._timer is not None:
            self._timer.cancel()
        self._queue = None
        self.resume_writing()
        self._end()

    def pause_writing(self) -> None:
        self._is_paused = True

    def resume_writing(self) -> None:
        self._is_paused = False
        queue = self._queue
        while queue and not self._is_paused:
            frame = queue.popleft()
            self._queued_bytes -= len(frame)
            self.transport.write(frame)
        if not self._is_paused and self._drained is not None:
            if not self._drained.done():
                self._drained.set_result(None)
            self._drained = None

    def shutdown(self) -> None:
        """End the connection since the server stops; the client comes back to another node."""
        self._receiver.stop()

    # What the receiver may do

    @property
    def is_ended(self) -> bool:
        """Return whether nothing can be sent any more."""
        return self._is_ended

    def send(self, frame: bytes) -> None:
        """Send a frame; a client that reads too slowly for its queue is cut."""
        if self._is_ended:
            return
        if self._is_paused:
            self._enqueue(frame)
        else:
            self.transport.write(frame)

    def send_all(self, frames: Iterable[bytes], joined: bytes) -> None:
        """Send frames, also given as one; in the queue they stay apart, to be counted."""
        if self._is_paused:
            for frame in frames:
                self.send(frame)
        elif not self._is_ended:
            self.transport.write(joined)

    def _enqueue(self, frame: bytes) -> None:
        if self._queue is None:
            self._queue = deque()
        self._queue.append(frame)
        self._queued_bytes += len(frame)
        bounds = self._bounds
        if len(self._queue) > bounds.most_queued or self._queued_bytes > bounds.most_queued_bytes:
            self.close(SLOW_CONSUMER, "The client reads too slowly.")

    async def drain(self) -> None:
        """Wait until the client has read most of what was sent, or is gone."""
        if self._is_paused and not self._is_ended:
            if self._drained is None:
                self._drained = asyncio.get_running_loop().create_future()
            await self._drained

    def close(self, code: int, reason: str = "") -> None:
        """End the connection: drop what is queued, tell the client why, and wait a moment."""
        if self._is_ended:
            return
        self.closed_with = code
        self._queue = None
        with suppress(InvalidState):  # the client closes at the same time
            self._frames.send_close(code, _shorten(reason))
        self._end()
        self._flush_control()
        self._abort_soon()

    def _close_transport(self) -> None:
        self.transport.close()
        self._abort_soon()

    def _abort_soon(self) -> None:
        """Give the client a moment to read the rest; one that reads nothing keeps no connection."""
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(CLOSE_SECONDS, self.transport.abort)

    def _receive(self, frame: Frame) -> None:
        if frame.opcode is Opcode.TEXT or frame.opcode is Opcode.CONT:
            self._receive_text(frame)
        elif frame.opcode is Opcode.BINARY:
            self.close(BAD_FRAME, "Frames are JSON text.")
        elif frame.opcode is Opcode.CLOSE:
            self._end()
        else:
            self._receiver.hear()

    def _receive_text(self, frame: Frame) -> None:
        if frame.fin and self._parts is None:
            self._receiver.receive(bytes(frame.data))
            return
        if self._parts is None:
            self._parts = []
        self._parts.append(bytes(frame.data))
        if len(self._parts) > MOST_PARTS:
            self.close(BAD_FRAME, f"A message comes in at most {MOST_PARTS} parts.")
        elif frame.fin:
            message, self._parts = b"".join(self._parts), None
            self._receiver.receive(message)

    def _flush_control(self) -> None:
        """Send pongs and closes; close the connection if the protocol is at its end."""
        for data in self._frames.data_to_send():
            if self.transport.is_closing():
                return
            if data and self._is_paused and not self._is_ended:
                self._enqueue(data)  # a client that sends pings and does not read
            elif data:
                self.transport.write(data)
            else:
                self._end()
                self._close_transport()

    def _end(self) -> None:
        if not self._is_ended:
            self._is_ended = True
            self._receiver.end()


def _shorten(reason: str) -> str:
    """Return a reason that fits into a frame; only whole characters are left."""
    return reason.encode(errors="replace")[:LONGEST_REASON].decode(errors="ignore")


def accept_websocket(
    request: Request, receiver: SocketReceiver, bounds: Bounds = DEFAULT_BOUNDS
) -> Answer:
    """Return the answer 101 to the handshake of a client (RFC 6455, section 4.2).

    Raises:
        BadInput: the request is no handshake of version 13.
    """
    key = _checked_key(request)
    answer = Answer(status=101)
    answer.set_header("Upgrade", "websocket")
    answer.set_header("Connection", "Upgrade")
    answer.set_header("Sec-WebSocket-Accept", accept_key(key))
    answer.upgraded = WebSocket(receiver, bounds)
    return answer


def _checked_key(request: Request) -> str:
    connection = (request.header(b"connection") or "").lower()
    upgrade = (request.header(b"upgrade") or "").lower()
    if upgrade != "websocket" or "upgrade" not in connection.replace(" ", "").split(","):
        raise BadInput("Open a WebSocket here: this address speaks nothing else.")
    if request.header(b"sec-websocket-version") != "13":
        raise BadInput("The WebSocket protocol must be version 13.")
    key = request.header(b"sec-websocket-key") or ""
    try:
        is_key = len(base64.b64decode(key, validate=True)) == KEY_BYTES
    except binascii.Error:
        is_key = False
    if not is_key:
        raise BadInput("The header Sec-WebSocket-Key is not 16 bytes in base64.")
    return key

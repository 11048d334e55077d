"""A request on a connection and its answer, and a body that is read while it arrives."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Protocol, Self

import structlog

from hubbub.http.answer import Answer, Upgraded
from hubbub.http.request import BodyIncomplete, Request
from hubbub.http.server.flow import Flow

log = structlog.get_logger()

HIGH_WATER = 64 * 1024
READS = frozenset({"GET", "HEAD"})
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class Dispatcher(Protocol):
    """Answers requests: the app, or what is put around it."""

    async def answer(self, request: Request) -> Answer:
        """Return the answer to a request."""
        ...


class ClientConnection(Protocol):
    """What an exchange needs of its connection."""

    app: Dispatcher
    transport: asyncio.Transport
    flow: Flow
    tasks: set[asyncio.Task[None]]
    is_over: bool
    """Whether no further answer can be sent."""

    def on_answered(self, exchange: "Exchange") -> None:
        """Go on with the next request."""

    def hand_over(self, upgraded: Upgraded) -> None:
        """Leave the connection to another connection."""


class ArrivingBody:
    """The pieces of a body. The connection is read on only when the next one is wanted."""

    def __init__(self, connection: ClientConnection, *, awaits_continue: bool) -> None:
        self._connection = connection
        self._awaits_continue = awaits_continue
        self._arrived = asyncio.Event()
        self._data = bytearray()
        self.is_whole = False
        self._is_cut_off = False

    def add(self, data: bytes) -> None:
        """Add what has arrived."""
        self._data += data
        if len(self._data) > HIGH_WATER:
            self._connection.flow.pause_reading()
        self._arrived.set()

    def end(self) -> None:
        """Note that all of it has arrived."""
        self.is_whole = True
        self._arrived.set()

    def cut_off(self) -> bool:
        """Note that the rest will not arrive; return whether there is a rest."""
        self._is_cut_off = not self.is_whole
        self._arrived.set()
        return self._is_cut_off

    def wake(self) -> None:
        """Wake the reader, as the connection has ended."""
        self._arrived.set()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        while not self._data:
            if self.is_whole:
                raise StopAsyncIteration
            if self._is_cut_off or self._connection.is_over:
                raise BodyIncomplete
            if self._awaits_continue:
                self._awaits_continue = False
                self._connection.transport.write(CONTINUE)
            self._connection.flow.resume_reading()
            self._arrived.clear()
            await self._arrived.wait()
        data, self._data = bytes(self._data), bytearray()
        return data


class Exchange:
    """A request and its answer."""

    __slots__ = (
        "arriving",
        "connection",
        "is_answered",
        "is_malformed",
        "keep_alive",
        "parts",
        "request",
        "task",
    )

    def __init__(self, connection: ClientConnection, request: Request, *, keep_alive: bool) -> None:
        self.connection = connection
        self.request = request
        self.keep_alive = keep_alive
        self.is_answered = False
        self.is_malformed = False
        """Whether its body turned out to be no HTTP: the refusal of that is its answer."""
        self.parts: list[bytes] = []
        """The body so far, if the request is dispatched when all of it has arrived."""
        self.arriving: ArrivingBody | None = None
        """The body, if the request is dispatched before."""
        self.task: asyncio.Task[None] | None = None

    def cut_off(self) -> bool:
        """Note that nothing more arrives; return whether that cuts off its body."""
        return self.arriving is not None and self.arriving.cut_off()

    def leave(self) -> None:
        """End what only reads, as nobody waits for it any more; a change is carried out."""
        if self.task is not None and self.request.method in READS:
            self.task.cancel()

    async def run(self) -> None:
        """Dispatch the request, and send the answer if the client still waits for it."""
        connection = self.connection
        try:
            answer = await connection.app.answer(self.request)
            if connection.flow.write_paused:
                await connection.flow.drain()
            if connection.is_over:
                return
            if not self.is_malformed:  # otherwise the connection sends the refusal of that
                self._write(answer)
                if answer.upgraded is not None:
                    connection.hand_over(answer.upgraded)
                    return
                if answer.pieces is not None and not await self._send_pieces(answer.pieces):
                    return
            self.is_answered = True
            connection.on_answered(self)
        except asyncio.CancelledError:  # the client has left, or the server waits no longer
            log.info("request_cancelled", request_id=self.request.id)
            connection.transport.close()
            raise
        finally:
            connection.tasks.discard(self.task)

    def _write(self, answer: Answer) -> None:
        """Write the head of an answer, and its body unless that comes in pieces."""
        is_last = not self.keep_alive and answer.upgraded is None
        head, body = answer.encode_head(is_last=is_last), answer.body
        if self.request.method == "HEAD":
            body = b""
        if len(body) <= HIGH_WATER:
            self.connection.transport.write(head + body)
            return
        self.connection.transport.write(head)  # a large body is not copied
        self.connection.transport.write(body)

    async def _send_pieces(self, pieces: AsyncGenerator[bytes, None]) -> bool:
        """Send a body as fast as the client reads it; return whether that was all of it."""
        connection = self.connection
        try:
            async with aclosing(pieces):
                async for piece in pieces:
                    connection.transport.write(piece)
                    if connection.flow.write_paused:
                        await connection.flow.drain()
                    if connection.is_over:
                        return False
        except Exception as failure:  # the client sees that the body is too short
            log.error("answer_broken_off", request_id=self.request.id, exc_info=failure)
            connection.transport.close()
            return False
        return True

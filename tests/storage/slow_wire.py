"""A TCP proxy that delays answers of a server, or breaks a connection at a chosen moment."""

import asyncio
from contextlib import suppress
from types import TracebackType
from typing import Self

HOST = "127.0.0.1"
PIECE_BYTES = 65_536
PIECES_UNDER_WAY = 1_024
END = b""


class Wire:
    """A proxy for a server on this machine; clients connect to its `port` on 127.0.0.1.

    Answers arrive `delay_seconds` later, as over a longer cable: each round trip takes that
    much longer, and the throughput is the same. The delay may be set at any time and is precise
    to a millisecond.
    """

    def __init__(self, server_port: int, *, delay_seconds: float = 0) -> None:
        self.delay_seconds = delay_seconds
        self.breaks = 0  # how many connections `break_when` has broken
        self.is_forwarding = False
        self._needle = b""
        self._server_port = server_port
        self._listener: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    @property
    def port(self) -> int:
        if self._listener is None:
            raise RuntimeError("a wire has a port only within its `async with`")
        return int(self._listener.sockets[0].getsockname()[1])

    def break_when(self, needle: bytes, *, forward: bool) -> None:
        """Break the next connection on which a client sends `needle` in one piece; once.

        With `forward` the server still receives that piece and acts on it. In both cases no more
        answers arrive, and the client sees the end only after the server has closed the connection
        on its side: the state that a test finds then is final.
        """
        self._needle, self.is_forwarding = needle, forward

    def breaks_on(self, piece: bytes) -> bool:
        """Return whether `break_when` waits for this piece; if so, it waits no longer."""
        if not self._needle or self._needle not in piece:
            return False
        self._needle = b""
        self.breaks += 1
        return True

    async def __aenter__(self) -> Self:
        self._listener = await asyncio.start_server(self._accept, HOST, 0)
        return self

    async def __aexit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._listener is not None
        self._listener.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await self._listener.wait_closed()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = asyncio.create_task(self._connect(Side(reader, writer)))
        self._connections.add(connection)
        connection.add_done_callback(self._connections.discard)

    async def _connect(self, client: "Side") -> None:
        async with client:
            try:
                server = Side(*await asyncio.open_connection(HOST, self._server_port))
            except OSError:
                return
            async with server:
                await Connection(self, client, server).carry()


class Side:
    """The client's or the server's side of a connection; it is closed when its block ends."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        writer.transport.set_write_buffer_limits(high=0)  # so that `send` waits until it is sent

    async def receive(self) -> bytes:
        """Wait for a piece; return `END` after the last one."""
        return await self._reader.read(PIECE_BYTES)

    async def send(self, piece: bytes) -> None:
        """Send a piece; `END` closes the sending direction."""
        if piece == END:
            self._writer.write_eof()
        else:
            self._writer.write(piece)
            await self._writer.drain()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._writer.transport.abort()
        with suppress(OSError):
            await self._writer.wait_closed()


class Connection:
    """A client's connection through a wire."""

    def __init__(self, wire: Wire, client: Side, server: Side) -> None:
        self._wire = wire
        self._client = client
        self._server = server
        self._is_broken = False
        self._answers: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(PIECES_UNDER_WAY)

    async def carry(self) -> None:
        """Forward pieces until both sides have ended, or one is lost."""
        try:
            async with asyncio.TaskGroup() as ways:
                ways.create_task(self._carry_requests())
                ways.create_task(self._receive_answers())
                ways.create_task(self._deliver_answers())
        except* OSError:
            pass  # the other side is closed at the end of its block

    async def _carry_requests(self) -> None:
        while not self._is_broken and (piece := await self._client.receive()):
            self._is_broken = self._wire.breaks_on(piece)
            if not self._is_broken or self._wire.is_forwarding:
                await self._server.send(piece)
        await self._server.send(END)

    async def _receive_answers(self) -> None:
        piece = None
        while piece != END:
            piece = await self._server.receive()
            await self._answers.put((now() + self._wire.delay_seconds, piece))

    async def _deliver_answers(self) -> None:
        piece = None
        while piece != END:
            due_at, piece = await self._answers.get()
            await asyncio.sleep(due_at - now())
            if not self._is_broken:
                await self._client.send(piece)


def now() -> float:
    """Return the time of the clock that measures delays."""
    return asyncio.get_running_loop().time()

"""The bus of a node over the hub of its machine."""

import asyncio
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import cast

from hubbub.bus.frames import BadBusFrame, FrameKind, FrameReader, encode_frame
from hubbub.bus.interface import LARGEST_MESSAGE
from hubbub.bus.reconnecting import Deliver, NotConnected, ReconnectingBus

CLOSE_SECONDS = 1.0
ANSWER_SECONDS = 5.0
_LOST = "the connection is lost"


def open_hub(path: Path) -> ReconnectingBus:
    """Return a bus that connects to the hub at `path`."""

    async def dial(deliver: Deliver) -> HubConnection:
        try:
            _, connection = await asyncio.get_running_loop().create_unix_connection(
                lambda: HubConnection(deliver), str(path)
            )
        except OSError as failure:
            raise NotConnected(f"{path}: {failure.strerror}") from failure
        return connection

    return ReconnectingBus(dial, LARGEST_MESSAGE)


class HubConnection(asyncio.Protocol):
    """A connection to a hub."""

    largest_message = LARGEST_MESSAGE

    def __init__(self, deliver: Deliver) -> None:
        self._deliver = deliver
        self._reader = FrameReader()
        self._transport: asyncio.Transport | None = None
        self._is_writable = asyncio.Event()
        self._lost = asyncio.Event()
        self._reason = _LOST
        self._pongs: list[asyncio.Future[None]] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._is_writable.set()

    def connection_lost(self, failure: Exception | None) -> None:
        self._transport = None
        self._is_writable.set()
        self._lost.set()
        for pong in self._pongs:
            if not pong.done():
                pong.set_exception(NotConnected(self._reason))
        self._pongs.clear()

    def pause_writing(self) -> None:
        self._is_writable.clear()

    def resume_writing(self) -> None:
        self._is_writable.set()

    def data_received(self, data: bytes) -> None:
        try:
            for kind, subject, message in self._reader.read(data):
                self._take(kind, subject, message)
        except BadBusFrame as fault:
            self._reason = str(fault)
            self._abort()

    async def publish(self, subject: str, message: bytes) -> None:
        self._write(encode_frame(FrameKind.PUBLISH, subject, message))
        await self._is_writable.wait()

    async def subscribe(self, subjects: Collection[str]) -> None:
        for subject in subjects:
            self._write(encode_frame(FrameKind.SUBSCRIBE, subject))
        await self._ping()

    async def unsubscribe(self, subject: str) -> None:
        self._write(encode_frame(FrameKind.UNSUBSCRIBE, subject))

    async def wait_lost(self) -> str:
        await self._lost.wait()
        return self._reason

    async def close(self) -> None:
        if self._transport is not None:
            self._transport.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._lost.wait()
        self._abort()

    async def _ping(self) -> None:
        pong: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._pongs.append(pong)
        self._write(encode_frame(FrameKind.PING))
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                await pong
        except TimeoutError:
            self._reason = "it does not answer"
            self._abort()
            raise NotConnected(self._reason) from None

    def _write(self, frame: bytes) -> None:
        if self._transport is None or self._transport.is_closing():
            raise NotConnected(self._reason)
        self._transport.write(frame)

    def _take(self, kind: FrameKind, subject: str, message: bytes) -> None:
        if kind is FrameKind.PUBLISH:
            self._deliver(subject, message)
        elif kind is FrameKind.PONG and self._pongs:
            pong = self._pongs.pop(0)
            if not pong.done():
                pong.set_result(None)

    def _abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()

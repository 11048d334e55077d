"""The hub passes messages between the nodes of one machine, over a socket that only they open."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import structlog

from hubbub.bus.frames import BadBusFrame, FrameKind, FrameReader, encode_frame
from hubbub.config import BadSetting

log = structlog.get_logger()

MOST_BYTES = 16 * 1024 * 1024
"""A node that leaves so much unread is cut off; it connects again and reads the log."""


class Hub:
    """The nodes that are connected, by the subjects that they subscribed to."""

    def __init__(self) -> None:
        self.nodes: set[HubProtocol] = set()
        self._subscribers: dict[str, set[HubProtocol]] = {}

    def subscribe(self, node: "HubProtocol", subject: str) -> None:
        self._subscribers.setdefault(subject, set()).add(node)

    def unsubscribe(self, node: "HubProtocol", subject: str) -> None:
        among = self._subscribers.get(subject, set())
        among.discard(node)
        if not among:
            self._subscribers.pop(subject, None)

    def publish(self, sender: "HubProtocol", subject: str, message: bytes) -> None:
        """Send a message to all nodes that subscribed, but for its sender."""
        frame = encode_frame(FrameKind.PUBLISH, subject, message)
        for node in tuple(self._subscribers.get(subject, ())):
            if node is not sender:
                node.send(frame)


class HubProtocol(asyncio.Protocol):
    """The connection of a node."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._reader = FrameReader()
        self._subjects: set[str] = set()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._hub.nodes.add(self)

    def connection_lost(self, failure: Exception | None) -> None:
        self._transport = None
        self._hub.nodes.discard(self)
        for subject in self._subjects:
            self._hub.unsubscribe(self, subject)

    def data_received(self, data: bytes) -> None:
        try:
            for kind, subject, message in self._reader.read(data):
                self._take(kind, subject, message)
        except BadBusFrame as fault:
            self.cut(str(fault))

    def send(self, frame: bytes) -> None:
        """Send a frame, or cut the node off if it does not read."""
        if self._transport is None:
            return
        if self._transport.get_write_buffer_size() > MOST_BYTES:
            self.cut("it does not read")
            return
        self._transport.write(frame)

    def close(self) -> None:
        """Close the connection after what is still to be sent."""
        if self._transport is not None:
            self._transport.close()

    def cut(self, reason: str) -> None:
        """Close the connection at once."""
        if self._transport is not None and not self._transport.is_closing():
            log.warning("bus_cut", reason=reason)
            self._transport.abort()

    def _take(self, kind: FrameKind, subject: str, message: bytes) -> None:
        match kind:
            case FrameKind.PUBLISH:
                self._hub.publish(self, subject, message)
            case FrameKind.SUBSCRIBE:
                self._subjects.add(subject)
                self._hub.subscribe(self, subject)
            case FrameKind.UNSUBSCRIBE:
                self._subjects.discard(subject)
                self._hub.unsubscribe(self, subject)
            case FrameKind.PING:
                self.send(encode_frame(FrameKind.PONG))
            case FrameKind.PONG:
                pass


@asynccontextmanager
async def running_hub(path: Path) -> AsyncIterator[Hub]:
    """Run a hub inside the block, on a socket at `path` that only the owner can open.

    Raises:
        BadSetting: another one runs there, or there can be no socket.
    """
    await _refuse_second(path)
    _remove(path)
    hub = Hub()
    mask = os.umask(0o177)
    try:
        server = await asyncio.get_running_loop().create_unix_server(
            lambda: HubProtocol(hub), str(path)
        )
    except OSError as failure:
        raise BadSetting(f"The socket {path} can't be made: {failure}.") from failure
    finally:
        os.umask(mask)
    try:
        yield hub
    finally:
        server.close()
        for node in tuple(hub.nodes):
            node.close()
        _remove(path)


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)


async def _refuse_second(path: Path) -> None:
    try:
        _, writer = await asyncio.open_unix_connection(str(path))
    except OSError:  # nobody listens, so what is there was left by a process that was killed
        return
    writer.close()
    raise BadSetting(f"Another hubbub serve --workers runs on the data folder {path.parent}.")

"""Clients that are cut and come back, and remember all events that they were told."""

import asyncio
import json
from contextlib import suppress
from dataclasses import dataclass, field

from tests.realtime.audience_model import AudienceModel
from tests.realtime.chat import PATIENCE_SECONDS, Frame, Hall
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

TOKEN_REFUSED = 4401
Heard = tuple[int, str, str]
"""The number, the id and the name of an event."""


@dataclass(slots=True)
class Listener:
    """A client of a user, over all its sockets."""

    hall: Hall
    uid: str
    is_slow: bool = False
    """Whether it reads nothing before it is asked to."""
    start: int = -1
    """The position at which it began; -1: it never has."""
    heard: list[Heard] = field(default_factory=list)
    cursor: str = ""
    heads: list[int] = field(default_factory=list)
    """The ends of the log at times when everything up to them had been sent to the client."""
    tokens: list[str] = field(default_factory=list)
    cuts: int = 0
    is_busy: bool = False
    """Whether it is being opened or cut."""
    _socket: ClientConnection | None = None
    _reading: asyncio.Task[None] | None = None
    _may_read: asyncio.Event = field(default_factory=asyncio.Event)
    _connected: asyncio.Event = field(default_factory=asyncio.Event)
    joined: int = 0
    """The position at which its last socket was welcomed."""
    _close_code: int | None = None
    _heard_pong: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def is_open(self) -> bool:
        """Return whether its socket was not ended."""
        return self._reading is not None and not self._reading.done()

    async def begin(self, token: str) -> None:
        """Open a socket, from the cursor on if there is one."""
        self.tokens.append(token)
        self._connected.clear()
        self._may_read.set()
        options = {"compression": None, "ping_interval": None, "max_queue": 4}
        self._socket = await connect(self.hall.address, **options)  # type: ignore[arg-type]
        since = {"since": self.cursor} if self.cursor else {}
        with suppress(ConnectionClosed):
            await self._socket.send(json.dumps({"op": "connect", "authToken": token, **since}))
        self._reading = asyncio.create_task(self._read(self._socket))

    async def wait_until_connected(self) -> None:
        """Wait until the server has welcomed the client, or refused it; then be slow."""
        assert self._reading is not None
        waiting = asyncio.create_task(self._connected.wait())
        async with asyncio.timeout(PATIENCE_SECONDS):
            await asyncio.wait({waiting, self._reading}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if self.is_slow:
            self._may_read.clear()

    async def cut(self) -> None:
        """Lose the connection, as in a tunnel."""
        if self._socket is not None and self._reading is not None:
            self.cuts += 1
            self._socket.transport.abort()
            self._may_read.set()
            await self._reading
            self._socket = None

    async def sync(self, head: int) -> None:
        """Read all that was sent up to an event; a slow client does so at another time."""
        if self.is_open and not self.is_slow:
            await self._read_up()
            if self.is_open:
                self.heads.append(head)

    async def read_on(self) -> None:
        """Be slow no longer."""
        self.is_slow = False
        self._may_read.set()
        if self.is_open:
            await self._read_up()

    async def _read_up(self) -> None:
        assert self._socket is not None
        assert self._reading is not None
        self._heard_pong.clear()
        with suppress(ConnectionClosed):
            await self._socket.send('{"op":"ping"}')
        waiting = asyncio.create_task(self._heard_pong.wait())
        async with asyncio.timeout(PATIENCE_SECONDS):
            await asyncio.wait({waiting, self._reading}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()

    async def _read(self, socket: ClientConnection) -> None:
        with suppress(ConnectionClosed):
            while True:
                await self._may_read.wait()
                self._take(json.loads(await socket.recv()))
        self._close_code = socket.close_code

    def _take(self, frame: Frame) -> None:
        if frame["op"] == "connected":
            self._welcome(frame)
        elif frame["op"] == "pong":
            self._heard_pong.set()
        elif "id" in frame:
            epoch, number = frame["cursor"].split("-")
            assert frame["id"] == f"{epoch}-{number}"
            self.cursor = frame["cursor"]
            self.heard.append((int(number), frame["id"], frame["event"]))

    def _welcome(self, frame: Frame) -> None:
        assert frame["resumed"] is bool(self.cursor), frame
        if self.start < 0:
            self.start = int(frame["cursor"].split("-")[1])
        self.cursor = frame["cursor"]
        self.joined = int(self.cursor.split("-")[1])
        self._connected.set()

    def check(self, model: AudienceModel) -> int:
        """Compare what was heard with the model; return how many events were excused."""
        if self.start < 0:
            return 0
        expected = [each for each in model.streams.get(self.uid, []) if each.number > self.start]
        upto = self._end(model)
        expected = [each for each in expected if each.number <= upto]
        numbers = {number for number, _, _ in self.heard}
        missing = [each for each in expected if each.number not in numbers]
        excused = [
            each for each in missing if model.may_be_missing(each, self._sent_by(each.number))
        ]
        left = [(each.number, each.id, each.name) for each in expected if each not in excused]
        assert self.heard == left, f"{self.uid} from {self.start}: {_differences(self.heard, left)}"
        return len(excused)

    def _end(self, model: AudienceModel) -> int:
        """Return the last event that the client is to have heard of."""
        if self.is_open:
            return model.head
        heard = self.heard[-1][0] if self.heard else self.start
        if self._close_code != TOKEN_REFUSED or not self._connected.is_set():
            return heard
        keys = (self.uid, self.hall.gateway.runtime.sealer.hash(self.tokens[-1]))
        first = max(heard, self.joined + 1)
        return min(number for number, key in model.refusals if key in keys and number >= first)

    def _sent_by(self, number: int) -> int:
        """Return the end of the log when an event had been sent to the client."""
        return next((head for head in self.heads if head >= number), 2**62)


def _differences(heard: list[Heard], expected: list[Heard]) -> str:
    only_heard = [each for each in heard if each not in expected]
    only_expected = [each for each in expected if each not in heard]
    return f"too much {only_heard}, missing {only_expected}, doubled {len(heard) - len(set(heard))}"

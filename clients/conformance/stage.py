"""The stage of a scenario: a driver with the author's client, and the server for it."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, TypeVar

from conformance import frames
from conformance.driver import Driver, Line
from conformance.frames import Frame
from conformance.server import Server, Socket
from conformance.verdict import Broken, NoDriver

T = TypeVar("T")
CONNECT_SECONDS = 10.0
LONGEST_WAIT = 20.0
START_SECONDS = 60.0
UNHURRIED = 600
"""A heartbeat, in seconds, that no scenario lives to see."""
STATES = {"idle", "connecting", "connected", "waiting", "ended"}


class Skipped(Exception):
    """The driver lacks capabilities."""

    def __init__(self, lacks: frozenset[str]) -> None:
        super().__init__(", ".join(sorted(lacks)))
        self.lacks = lacks


class Scene:
    """A socket of the client that is connected, and what the server does with it."""

    def __init__(self, stage: "Stage", socket: Socket, first: Frame) -> None:
        self._stage, self.socket, self.first = stage, socket, first

    async def say(self, **frame: Any) -> None:
        """Send any frame."""
        await self.socket.say(**frame)

    async def tell(self, *ids: str) -> None:
        """Tell events of the log; the number in an id is also that of its message."""
        for id_ in ids:
            message = frames.message(id_.rpartition("-")[2])
            await self.say(**frames.event(id_, {"message": message}))

    async def hear(self, expected: str = "a call") -> Frame:
        """Return the next frame of the client that is no sign of life."""

        def take() -> Frame | None:
            while self.socket.frames:
                frame = self.socket.frames.pop(0)
                if frame["op"] == "call":
                    return frame
            self._check_open(expected)
            return None

        return await self._stage.until(take, expected, "no frame", longer=LONGEST_WAIT)

    def _check_open(self, expected: str) -> None:
        if self.socket.closed_at:
            raise Broken(expected, "the client has closed the socket")

    async def reply(self, call: Frame, data: Any = None, *, error: str = "") -> None:
        """Reply to a call."""
        refusal = {"code": error, "message": "The scenario says so."}
        answer = {"error": refusal} if error else {"data": data}
        await self.say(op="reply", ref=call["ref"], **answer)

    async def store(self, call: Frame, id_: str) -> None:
        """Reply to the sending of a message with the message as it was stored."""
        await self.reply(call, frames.stored(call, id_))

    async def close(self, code: int) -> None:
        """Close the socket with a code."""
        await self.socket.close(code)
        await self.left("the client's answer to the close")

    async def left(self, expected: str, *, longer: float = 0) -> float:
        """Wait until the client has closed the socket; return when."""
        return await self._stage.until(
            lambda: self.socket.closed_at, expected, "the socket stays open", longer=longer
        )

    async def pong(self) -> None:
        """Send a ping and wait for its answer: what was sent before has arrived."""

        def take() -> bool:
            for frame in self.socket.frames:
                if frame["op"] == "pong":
                    self.socket.frames.remove(frame)
                    return True
            self._check_open("a pong")
            return False

        await self.say(op="ping")
        await self._stage.until(take, "a pong", "none")

    def calls(self) -> list[Frame]:
        """Return the calls that have arrived and were not taken yet."""
        return [frame for frame in self.socket.frames if frame["op"] == "call"]


class Stage:
    """What a scenario uses; it ends with `async with`."""

    def __init__(self, command: Sequence[str], speed: float, patience: float) -> None:
        self._command, self.speed, self._patience = command, speed, patience
        self.trace: list[str] = []
        self._began = time.monotonic()
        self._something = asyncio.Event()
        self._faults: list[str] = []
        self.server = Server(self._note, self._blame, self._something.set)
        self._driver: Driver | None = None
        self._heard: dict[str, deque[Line]] = {}
        self._taken_sockets = 0
        self.capabilities = frozenset[str]()
        self.tokens = 0
        """How many tokens were asked for."""
        self._tokens_owed = 0
        self.gives_tokens = True
        """Whether tokens are given at once."""

    async def __aenter__(self) -> Self:
        await self.server.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        failure: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._driver is not None:
            await self._driver.stop()
        await self.server.__aexit__(kind, failure, traceback)

    async def start(self, needs: frozenset[str]) -> None:
        """Start the driver.

        Raises:
            NoDriver: it is none.
            Skipped: it has not the capabilities that are needed.
        """
        self._driver = await Driver.start(self._command, self._hear)
        try:
            [ready] = await self.until(
                lambda: self._lines("ready"), '"ready"', "no line", at_least=START_SECONDS
            )
        except Broken:
            raise NoDriver(self._driver.fault or 'The driver does not say "ready".') from None
        self.capabilities = frozenset(ready.get("capabilities", ()))
        if not needs <= self.capabilities:
            raise Skipped(needs - self.capabilities)
        await self.do("start", url=self.server.url, rest=self.server.rest, speed=self.speed)

    async def do(self, what: str, **more: Any) -> None:
        """Have the driver do something."""
        assert self._driver is not None
        if what == "connect":
            self.server.acted_at = time.monotonic()
        self._note(f"suite:  {what} {more or ''}")
        await self._driver.say({"do": what, **more})

    async def send(self, *keys: str) -> None:
        """Have the client send messages; the text of each is its key."""
        for key in keys:
            message = {"receiver": "ben", "receiverType": "user", "data": {"text": key}}
            await self.do("send", key=key, **message)

    async def connect(self, **how: Any) -> Scene:
        """Have the client connect, and take it."""
        await self.do("connect")
        return await self.accept(**how)

    async def accept(
        self,
        *,
        cursor: str = "1-0",
        resumed: bool = True,
        heartbeat: int = UNHURRIED,
        since: str | None = None,
        delay: float = 0,
        settles: bool = True,
    ) -> Scene:
        """Take the next socket of the client, answer `connect`, and wait until it is connected.

        `since` is what the client must resume from, if it is given; `delay`, by its clock, comes
        before the answer. A client that rightly gave up meanwhile, after 10 s, is taken again.
        """
        free_since = self.server.acted_at
        while True:
            socket = await self.next_socket()
            scene = await self._first_frame(socket)
            if scene is not None:
                self._check_connect(scene.first, since)
                await asyncio.sleep(delay / self.speed)
                self._lines("state").clear()
                greeting = frames.connected(cursor, resumed=resumed, heartbeat=heartbeat)
                await socket.say(**greeting)
                if not settles or await self._is_taken(socket):
                    return scene
            self._check_patient(socket.closed_at - free_since)
            free_since = socket.closed_at

    async def next_socket(self) -> Socket:
        """Return the next socket that the client opens."""

        def take() -> Socket | None:
            if len(self.server.sockets) > self._taken_sockets:
                return self.server.sockets[self._taken_sockets]
            if ended := [line for line in self._lines("state") if line["state"] == "ended"]:
                raise Broken("the client connects", f"it has ended, {ended[0]}")
            return None

        socket = await self.until(
            take, "the client connects", "it does not", longer=LONGEST_WAIT + CONNECT_SECONDS
        )
        self._taken_sockets += 1
        return socket

    async def _first_frame(self, socket: Socket) -> Scene | None:
        """Return a scene with the first frame; None: the client has left before."""
        await self.until(
            lambda: socket.frames or socket.closed_at, "the first frame", "none", longer=10
        )
        return Scene(self, socket, socket.frames.pop(0)) if socket.frames else None

    def _check_connect(self, first: Frame, since: str | None) -> None:
        if first.get("authToken") != f"token-{self.tokens}":
            expected = f'the token that was fetched last, "token-{self.tokens}"'
            raise Broken(expected, f"the first frame {first}")
        if since is not None and first.get("since") != since:
            raise Broken(f'the first frame has `since` "{since}"', f"the first frame {first}")

    async def _is_taken(self, socket: Socket) -> bool:
        def is_connected() -> bool:
            states = [line["state"] for line in self._lines("state")]
            if "ended" in states:
                raise Broken("the client is connected", "it has ended")
            return "connected" in states or bool(socket.closed_at)

        await self.until(is_connected, 'the state "connected"', "no such state")
        if socket.closed_at:
            return False
        await self.state("connected")
        return True

    def _check_patient(self, seconds: float) -> None:
        """Check that a client which gave up has waited for 10 s."""
        waited = seconds * self.speed
        if waited < CONNECT_SECONDS:
            raise Broken(
                "the client waits 10 s for `connected`, and uses the socket",
                f"it has closed the socket after {waited:.2f} s at most",
            )

    async def until(
        self,
        find: Callable[[], T | None],
        expected: str,
        came: str,
        *,
        longer: float = 0,
        at_least: float = 0,
    ) -> T:
        """Wait until `find` returns something, and return that.

        `longer` is how long the client may rightly wait, by its own clock; `at_least` is waited
        also if the patience is less.

        Raises:
            Broken: it did not in time, or the client has done something that is always wrong.
        """
        limit = max(at_least, self._patience + longer / self.speed)
        with suppress(TimeoutError):
            async with asyncio.timeout(limit):
                while True:
                    self._something.clear()
                    self.check_faults(expected)
                    if found := find():
                        return found
                    await self._something.wait()
        raise Broken(expected, f"{came} within {limit:.0f} s")

    def check_faults(self, expected: str) -> None:
        """Check that the client has done nothing that is always wrong, and its driver is there."""
        if self._faults:
            raise Broken(expected, self._faults[0])
        if self._driver is not None and self._driver.fault:
            raise Broken(expected, self._driver.fault)

    async def state(self, name: str, *, longer: float = LONGEST_WAIT) -> Line:
        """Wait until the client is in a state; states on the way there are passed over."""

        def find() -> Line | None:
            lines = self._lines("state")
            while lines:
                line = lines.popleft()
                if line["state"] == name:
                    return line
                if line["state"] == "ended" or (name == "ended" and line["state"] == "waiting"):
                    raise Broken(f'the state "{name}"', f'the state "{line["state"]}"')
            return None

        return await self.until(find, f'the state "{name}"', "no such state", longer=longer)

    async def line(self, saw: str, expected: str, **fields: Any) -> Line:
        """Return the next line of a kind, which must have these fields."""

        def find() -> Line | None:
            lines = self._lines(saw)
            return lines.popleft() if lines else None

        found = await self.until(find, expected, f'no "{saw}"', longer=LONGEST_WAIT)
        if any(found.get(name) != value for name, value in fields.items()):
            raise Broken(expected, str(found))
        return found

    async def shown(self, *ids: str) -> None:
        """Check that the next events which the client shows are these, in order."""
        for id_ in ids:
            await self.line("event", f"the event {id_} is shown next", id=id_)

    async def sent(self, key: str, id_: str) -> None:
        """Check that the next message that is settled is this one."""
        await self.line("sent", f"the message {key} is settled with the id {id_}", key=key, id=id_)

    def said(self, saw: str) -> list[Line]:
        """Return the lines of a kind that were said and not taken yet."""
        return list(self._lines(saw))

    async def quiet(self, seconds: float, expected: str) -> None:
        """Check that the client asks for no socket for so long, by its clock."""
        tries = len(self.server.tries)
        await asyncio.sleep(seconds / self.speed)
        self.check_faults(expected)
        if len(self.server.tries) > tries:
            raise Broken(expected, "the client has asked for a socket")

    async def give_token(self, **answer: str) -> None:
        """Answer the token that the client has asked for: with the next one, or an error."""
        self._tokens_owed -= 1
        await self.do("token", **(answer or {"token": f"token-{self.tokens}"}))

    async def token_asked(self) -> None:
        """Wait until the client asks for a token."""
        await self.line("token", "the client asks for a token")

    def _lines(self, saw: str) -> deque[Line]:
        return self._heard.setdefault(saw, deque())

    def _hear(self, line: Line) -> None:
        self._note(f"driver: {line}"[:400])
        self._something.set()
        if not line:
            return
        self._lines(line["saw"]).append(line)
        if line["saw"] == "state" and line.get("state") not in STATES:
            self._blame(f"a state that there is not: {line}")
        if line["saw"] == "token":
            self._be_asked()

    def _be_asked(self) -> None:
        self.tokens += 1
        self._tokens_owed += 1
        if self._tokens_owed > 1:
            self._blame("the client asks for a token while it is being given one")
        if self.gives_tokens:
            self._giving = asyncio.create_task(self.give_token())

    def _note(self, text: str) -> None:
        self.trace.append(f"{time.monotonic() - self._began:8.3f}  {text}")

    def _blame(self, fault: str) -> None:
        self._faults.append(fault)
        self._something.set()

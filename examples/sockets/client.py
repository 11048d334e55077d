"""A client as docs/reference/client.md has it: it goes on after a cut, and shows each event once.

    client = Client("ws://127.0.0.1:8080/v3/realtime", fetch_token, load, show)
    running = asyncio.create_task(client.run())
    message = await client.send("ben", "user", {"text": "Hello, Ben!"})

It needs the library `websockets` alone. The queue is in memory; a client with a store has it there.
"""

import asyncio
import json
import random
import uuid
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

Frame = dict[str, Any]
TOKEN_REFUSED = 4401
ENDS = {1002, 1009, 4400, 4403}
"""Close codes after which another try would end in the same way."""
NO_REFUSALS = {"ERR_TOO_MANY_REQUESTS", "ERR_OPERATION_FAILED"}
REPEATABLE = ("list_", "mark_", "send_message")
"""How the methods begin that change nothing the second time; messages have a `muid`."""
CONNECT_SECONDS = 10.0
LONGEST_WAIT = 20.0
PER_SECOND, AT_ONCE = 45, 180
"""Frames; a server takes 50 and 200. What is on its way arrives together, so some are left."""
REMEMBERED = 1_000


class Ended(Exception):
    """The client does not try again; `code` is that of the close."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"{code} {reason}")
        self.code = code


class Refused(Exception):
    """The server has refused a call; `code` is that of the error."""

    def __init__(self, error: Frame) -> None:
        super().__init__(error["message"])
        self.code: str = error["code"]


class OutcomeUnknown(Exception):
    """The socket was cut before the reply: the call may have been carried out."""


class Client:
    """A person's socket, and what they have sent that is not settled yet."""

    def __init__(
        self,
        url: str,
        fetch_token: Callable[[], Awaitable[str]],
        load: Callable[[], Awaitable[str]],
        show: Callable[[Frame], None],
        *,
        tell_state: Callable[[str, float], None] = lambda state, seconds: None,
        speed: float = 1.0,
    ) -> None:
        """Make a client.

        `load` loads the lists that are shown, and returns `meta.eventCursor` of the first one;
        `show` gets each event. Both and `fetch_token` may raise `OSError`: they are tried again.
        `tell_state` is told each state, and how long it waits. All waits are divided by `speed`.
        """
        self._url, self._speed, self._tell_state = url, speed, tell_state
        self._fetch_token, self._load, self._show = fetch_token, load, show
        self._token: str | None = None
        self._cursor: str | None = None
        self._shown: deque[str] = deque(maxlen=REMEMBERED)
        self._queue: dict[str, tuple[Frame, asyncio.Future[Frame]]] = {}
        """By the `muid`, in the order in which they were sent."""
        self._has_more, self._is_online = asyncio.Event(), asyncio.Event()
        self._socket: ClientConnection | None = None
        self._has_socket = asyncio.Event()
        self._replies: dict[str, asyncio.Future[Frame]] = {}
        self._sent_until = 0.0
        self._tries = 0
        self._is_token_second = False
        self._fetching: asyncio.Task[str] | None = None
        self._renewing: asyncio.Task[None] | None = None

    async def send(self, receiver: str, receiver_type: str, data: Frame) -> Frame:
        """Send a message, at once or when there is a network; return it as it was stored.

        Raises:
            Refused: the server does not take it.
        """
        muid = uuid.uuid4().hex
        message = {"receiver": receiver, "receiverType": receiver_type, "data": data, "muid": muid}
        settled: asyncio.Future[Frame] = asyncio.get_running_loop().create_future()
        self._queue[muid] = message, settled
        self._has_more.set()
        return await settled

    async def call(self, method: str, params: Frame) -> Any:
        """Call a method once there is a socket; return the data of the reply.

        Raises:
            Refused: the server does not do it.
            OutcomeUnknown: the socket was cut, and it may not be done twice.
        """
        while True:
            await self._has_socket.wait()
            try:
                reply = await self._ask(method, params)
            except OutcomeUnknown:
                if not method.startswith(REPEATABLE):
                    raise
                continue
            if "error" in reply:
                raise Refused(reply["error"])
            return reply["data"]

    def try_now(self) -> None:
        """Try at once, if the client waits: the network is back."""
        self._is_online.set()

    async def run(self) -> None:
        """Keep the socket open until the task is cancelled.

        Raises:
            Ended: the server has closed it with a code after which it is in vain to try again.
        """
        self._tries, self._is_token_second = 0, False
        while True:
            try:
                code, reason = await self._hold()
            finally:
                self._forget_socket()
            if code in ENDS or (code == TOKEN_REFUSED and self._is_token_second):
                raise Ended(code, reason)
            if code == TOKEN_REFUSED:
                self._token, self._is_token_second = None, True
            longest = min(LONGEST_WAIT, 2.0**self._tries)
            self._tries += 1
            await self._wait(random.uniform(longest / 2, longest))

    async def _wait(self, seconds: float) -> None:
        self._is_online.clear()
        self._tell_state("waiting", seconds)
        with suppress(TimeoutError):
            async with self._within(seconds):
                await self._is_online.wait()

    def _within(self, seconds: float) -> asyncio.Timeout:
        return asyncio.timeout(seconds / self._speed)

    async def _hold(self) -> tuple[int, str]:
        """Open a socket and use it until it is closed; return the code and the reason."""
        self._tell_state("connecting", 0)
        try:
            self._token = self._token or await self._next_token()
            self._cursor = self._cursor or await self._load()
            await self._open(self._token, self._cursor)
        except ConnectionClosed as closed:
            return (closed.rcvd.code, closed.rcvd.reason) if closed.rcvd else (1006, "")
        except (OSError, TimeoutError, InvalidHandshake) as failure:
            return 1006, str(failure)
        return 1000, ""

    async def _next_token(self) -> str:
        """Fetch a token; one fetch at a time, also after a cut."""
        if self._fetching is None or self._fetching.done():
            self._fetching = asyncio.create_task(_do(self._fetch_token()))
        return await asyncio.shield(self._fetching)

    async def _renew(self) -> None:
        """Go on with another token; if that fails, one is fetched when the socket is closed."""
        with suppress(OSError, ConnectionClosed, OutcomeUnknown):
            self._token = await self._next_token()
            await self._ask("renew_token", {"authToken": self._token})

    async def _open(self, token: str, cursor: str) -> None:
        limit = self._within(CONNECT_SECONDS)
        opening = connect(self._url, open_timeout=None, close_timeout=1, ping_interval=None)
        async with limit, opening as socket:
            await self._say(socket, {"op": "connect", "authToken": token, "since": cursor})
            connected = json.loads(await socket.recv())
            limit.reschedule(None)
            await self._use(socket, connected)

    def _forget_socket(self) -> None:
        """Tell those who wait for replies that none will come."""
        self._has_socket.clear()
        for reply in self._replies.values():
            reply.cancel()

    async def _use(self, socket: ClientConnection, connected: Frame) -> None:
        self._tries, self._is_token_second = 0, False
        if not connected["resumed"]:
            await self._load()
        self._cursor = connected["cursor"]
        self._tell_state("connected", 0)
        self._socket = socket
        self._has_socket.set()
        heartbeat = connected["heartbeat"]
        beside = [
            asyncio.create_task(_until_closed(work))
            for work in (self._send_queue(), self._show_life(socket, heartbeat))
        ]
        try:
            while True:
                async with self._within(2 * heartbeat):
                    text = await socket.recv()
                await self._take(socket, json.loads(text))
        finally:
            for task in beside:
                task.cancel()

    async def _take(self, socket: ClientConnection, frame: Frame) -> None:
        match frame:
            case {"op": "event", "id": id_} if id_ in self._shown:
                pass
            case {"op": "event"}:
                self._show(frame)
                self._shown.extend([frame["id"]] if "id" in frame else [])
            case {"op": "reply", "ref": ref} if ref in self._replies:
                self._replies.pop(ref).set_result(frame)
            case {"op": "token_expiring"}:
                self._renewing = asyncio.create_task(self._renew())
            case {"op": "ping"}:
                await self._say(socket, {"op": "pong"})
        if frame["op"] in ("event", "pong"):
            self._cursor = frame.get("cursor", self._cursor)

    async def _send_queue(self) -> None:
        """Send the queue, each message after the reply to the one before it."""
        while True:
            await self._has_more.wait()
            if not self._queue:
                self._has_more.clear()
                continue
            muid, (message, settled) = next(iter(self._queue.items()))
            reply = await self._ask("send_message", message)
            error = reply.get("error")
            if error and error["code"] in NO_REFUSALS:
                await asyncio.sleep(1.0 / self._speed)
                continue
            del self._queue[muid]
            if error and not settled.cancelled():
                settled.set_exception(Refused(error))
            elif not settled.cancelled():
                settled.set_result(reply["data"])

    async def _ask(self, method: str, params: Frame) -> Frame:
        assert self._socket is not None
        ref = uuid.uuid4().hex
        reply: asyncio.Future[Frame] = asyncio.get_running_loop().create_future()
        self._replies[ref] = reply
        try:
            call = {"op": "call", "ref": ref, "method": method, "params": params}
            await self._say(self._socket, call)
            await asyncio.wait([reply])
        except ConnectionClosed:
            raise OutcomeUnknown from None
        finally:
            self._replies.pop(ref, None)
        if reply.cancelled():
            raise OutcomeUnknown
        return reply.result()

    async def _say(self, socket: ClientConnection, frame: Frame) -> None:
        """Send a frame, when the server takes so many."""
        now = asyncio.get_running_loop().time() * self._speed
        self._sent_until = max(self._sent_until, now - AT_ONCE / PER_SECOND) + 1 / PER_SECOND
        if self._sent_until > now:
            await asyncio.sleep((self._sent_until - now) / self._speed)
        await socket.send(json.dumps(frame))

    async def _show_life(self, socket: ClientConnection, heartbeat: float) -> None:
        while True:
            await asyncio.sleep(heartbeat / self._speed)
            await self._say(socket, {"op": "ping"})


async def _do(work: Awaitable[str]) -> str:
    return await work


async def _until_closed(work: Coroutine[Any, Any, None]) -> None:
    """Do what ends with the socket, which `_use` notices."""
    with suppress(ConnectionClosed, OutcomeUnknown):
        await work

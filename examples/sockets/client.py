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
CONNECT_SECONDS = 10.0
FIRST_WAIT, LONGEST_WAIT = 1.0, 20.0
BETWEEN_MESSAGES = 1 / 40
"""A server takes 50 frames a second."""
REMEMBERED = 1_000


class Ended(Exception):
    """The client does not try again; `code` is that of the close."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"{code} {reason}")
        self.code = code


class Refused(Exception):
    """The server has refused a message; `code` is that of the error."""

    def __init__(self, error: Frame) -> None:
        super().__init__(error["message"])
        self.code: str = error["code"]


class Client:
    """A person's socket, and what they have sent that is not settled yet."""

    def __init__(
        self,
        url: str,
        fetch_token: Callable[[], Awaitable[str]],
        load: Callable[[], Awaitable[str]],
        show: Callable[[Frame], None],
        *,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Make a client.

        `load` loads the lists that are shown, and returns `meta.eventCursor` of the first one;
        `show` gets each event. Both and `fetch_token` may raise `OSError`: they are tried again.
        """
        self._url = url
        self._fetch_token, self._load, self._show, self._pause = fetch_token, load, show, pause
        self._token: str | None = None
        self._cursor: str | None = None
        self._shown: deque[str] = deque(maxlen=REMEMBERED)
        self._queue: dict[str, tuple[Frame, asyncio.Future[Frame]]] = {}
        """By the `muid`, in the order in which they were sent."""
        self._has_more = asyncio.Event()
        self._replies: dict[str, asyncio.Future[Frame]] = {}
        self._is_connected = self._is_token_new = False

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

    async def run(self) -> None:
        """Keep the socket open until the task is cancelled.

        Raises:
            Ended: the server has closed it with a code after which it is in vain to try again.
        """
        longest = FIRST_WAIT
        while True:
            self._is_connected = False
            code, reason = await self._hold()
            is_refused = code == TOKEN_REFUSED
            if code in ENDS or (is_refused and not self._is_connected and self._is_token_new):
                raise Ended(code, reason)
            longest = FIRST_WAIT if self._is_connected else longest
            if is_refused:
                self._token = None
            await self._pause(random.uniform(longest / 2, longest))
            longest = min(LONGEST_WAIT, 2 * longest)

    async def _hold(self) -> tuple[int, str]:
        """Open a socket and use it until it is closed; return the code and the reason."""
        try:
            self._is_token_new = self._token is None
            self._token = self._token or await self._fetch_token()
            self._cursor = self._cursor or await self._load()
            async with connect(
                self._url, open_timeout=CONNECT_SECONDS, close_timeout=1, ping_interval=None
            ) as socket:
                first = {"op": "connect", "authToken": self._token, "since": self._cursor}
                await socket.send(json.dumps(first))
                await self._use(socket)
        except ConnectionClosed as closed:
            return (closed.rcvd.code, closed.rcvd.reason) if closed.rcvd else (1006, "")
        except (OSError, TimeoutError, InvalidHandshake) as failure:
            return 1006, str(failure)
        return 1000, ""

    async def _use(self, socket: ClientConnection) -> None:
        connected = await _receive(socket, CONNECT_SECONDS)
        if not connected["resumed"]:
            await self._load()
        self._is_connected, self._cursor = True, connected["cursor"]
        heartbeat = connected["heartbeat"]
        beside = [
            asyncio.create_task(_until_closed(work))
            for work in (self._send_queue(socket), _show_life(socket, heartbeat))
        ]
        try:
            while True:
                await self._take(socket, await _receive(socket, 2 * heartbeat))
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
            case {"op": "ping"}:
                await socket.send(json.dumps({"op": "pong"}))
        self._cursor = frame.get("cursor", self._cursor)

    async def _send_queue(self, socket: ClientConnection) -> None:
        """Send the queue, each message after the reply to the one before it."""
        while True:
            await self._has_more.wait()
            if not self._queue:
                self._has_more.clear()
                continue
            muid, (message, settled) = next(iter(self._queue.items()))
            reply = await self._call(socket, "send_message", message)
            error = reply.get("error")
            if error and error["code"] in NO_REFUSALS:
                await self._pause(1.0)
                continue
            del self._queue[muid]
            if error and not settled.cancelled():
                settled.set_exception(Refused(error))
            elif not settled.cancelled():
                settled.set_result(reply["data"])
            await self._pause(BETWEEN_MESSAGES)

    async def _call(self, socket: ClientConnection, method: str, params: Frame) -> Frame:
        ref = uuid.uuid4().hex
        reply: asyncio.Future[Frame] = asyncio.get_running_loop().create_future()
        self._replies[ref] = reply
        try:
            call = {"op": "call", "ref": ref, "method": method, "params": params}
            await socket.send(json.dumps(call))
            return await reply
        finally:
            self._replies.pop(ref, None)


async def _receive(socket: ClientConnection, seconds: float) -> Frame:
    async with asyncio.timeout(seconds):
        frame: Frame = json.loads(await socket.recv())
    return frame


async def _show_life(socket: ClientConnection, heartbeat: float) -> None:
    while True:
        await asyncio.sleep(heartbeat)
        await socket.send(json.dumps({"op": "ping"}))


async def _until_closed(work: Coroutine[Any, Any, None]) -> None:
    """Do what ends with the socket, which `_use` notices."""
    with suppress(ConnectionClosed):
        await work

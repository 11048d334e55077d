"""A receiver of webhooks, on loopback: it checks signatures, and answers as the test says."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from aiohttp import web
from standardwebhooks.webhooks import Webhook
from tests.wire import LOOPBACK


@dataclass(frozen=True, slots=True)
class Received:
    """A call of a webhook."""

    path: str
    headers: dict[str, str]
    """By lower-case name."""
    body: bytes

    @property
    def content(self) -> Any:
        """Return the body, decoded."""
        return json.loads(self.body)

    @property
    def text(self) -> str:
        """Return the text of the message in the body."""
        text: str = self.content["data"]["message"]["data"]["text"]
        return text

    def check_signature(self, secret: str) -> None:
        """Check the signature with the library of the specification, whatever the time is."""
        at = datetime.fromtimestamp(int(self.headers["webhook-timestamp"]), UTC)
        signature = Webhook(secret).sign(self.headers["webhook-id"], at, self.body.decode())
        assert signature in self.headers["webhook-signature"].split(" ")


HANG = 0
"""Instead of a status: no answer, until the caller gives up."""
RESET = -1
"""Instead of a status: the connection is reset."""
Reply = Callable[[Received], int]
"""Returns the status of the answer, `HANG` or `RESET`."""


@dataclass(slots=True)
class Receiver:
    """A running receiver."""

    port: int = 0
    received: list[Received] = field(default_factory=list)
    """All calls, also those that were refused."""
    accepted: list[Received] = field(default_factory=list)
    """Those that were answered with success."""
    reply: Reply = lambda _: 204
    answer: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    """Further headers of answers."""
    calling: int = 0
    """The calls that are not answered yet."""
    most_calling: int = 0
    called: asyncio.Event = field(default_factory=asyncio.Event)
    gate: asyncio.Event | None = None
    """Calls are answered after it is set."""
    leaving: asyncio.Event = field(default_factory=asyncio.Event)

    def url(self, path: str = "/") -> str:
        """Return the URL of a webhook."""
        return f"http://{LOOPBACK}:{self.port}{path}"

    @property
    def texts(self) -> list[str]:
        """Return the texts of the messages that were accepted."""
        return [each.text for each in self.accepted]

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Record a call and answer it."""
        self.calling += 1
        self.most_calling = max(self.most_calling, self.calling)
        try:
            return await self._answer(request)
        finally:
            self.calling -= 1

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        headers = {name.lower(): text for name, text in request.headers.items()}
        call = Received(request.path, headers, await request.read())
        self.received.append(call)
        self.called.set()
        if self.gate is not None:
            await self.gate.wait()
        status = self.reply(call)
        if status == HANG:
            await self.leaving.wait()
        if status == RESET:
            assert request.transport is not None
            request.transport.abort()
        if 200 <= status < 300:
            self.accepted.append(call)
        return web.Response(status=max(200, status), body=self.answer, headers=self.headers)


@asynccontextmanager
async def receiving() -> AsyncIterator[Receiver]:
    """Run a receiver without TLS."""
    receiver = Receiver()
    runner = web.ServerRunner(web.Server(receiver.handle), shutdown_timeout=0)
    await runner.setup()
    try:
        listening = socket.create_server((LOOPBACK, 0))
        await web.SockSite(runner, listening).start()
        receiver.port = listening.getsockname()[1]
        yield receiver
    finally:
        receiver.leaving.set()
        await runner.cleanup()

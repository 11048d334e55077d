"""A gateway that speaks HTTP/1.1 over TLS, on loopback."""

import asyncio
import base64
import json
import socket
import ssl
from collections.abc import Mapping
from typing import Any, ClassVar

from aiohttp import web
from tests.certificate import Certificate
from tests.gateways.faults import LOST, RESET, SILENCE, Accepted, Fault, Faults, Refused
from tests.wire import LOOPBACK

LARGEST_BODY = 30 * 1024 * 1024


class HttpGateway:
    """Checks calls like the provider that it stands for, and keeps what it accepted."""

    ERRORS: ClassVar[Mapping[str, Fault]] = {}
    """The documented errors, by name."""
    PASSING: ClassVar[tuple[str, ...]] = (RESET, LOST)
    """The errors after which a call is to be made again."""

    def __init__(self) -> None:
        self.faults = Faults()
        self.errors = dict(self.ERRORS)
        self.calls = 0
        self.received: list[Any] = []
        """What was accepted."""
        self.accepted: list[Accepted] = []
        """The same, as it arrived."""
        self.refused: list[str] = []
        """Why other calls were not."""
        self.url = ""
        self._runner: web.ServerRunner | None = None
        self._leaving = asyncio.Event()

    async def start(self, certificate: Certificate, port: int = 0) -> None:
        """Listen on a port of loopback; 0 is a free one."""
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        tls.load_cert_chain(certificate.cert, certificate.key)
        self._leaving.clear()
        self._runner = web.ServerRunner(web.Server(self._handle), shutdown_timeout=0)
        await self._runner.setup()
        listening = socket.create_server((LOOPBACK, port), reuse_port=bool(port))
        await web.SockSite(self._runner, listening, ssl_context=tls).start()
        self.url = f"https://{LOOPBACK}:{listening.getsockname()[1]}"

    async def stop(self) -> None:
        """Close the connections, and listen no more."""
        self._leaving.set()
        if self._runner is not None:
            await self._runner.cleanup()

    def fail_at_random(self, share: float, seed: int = 0) -> None:
        """Answer a share of the calls with an error that passes."""
        self.faults.answer_at_random(share, *self.PASSING, seed=seed)

    async def accept(self, request: web.BaseRequest, body: bytes) -> web.Response:
        """Check a call, keep it, and return the answer.

        Raises:
            Refused: it is not as it must be.
        """
        raise NotImplementedError

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        self.calls += 1
        body = await request.read()
        name = self.faults.choose()
        if name == SILENCE:
            await self._leaving.wait()
        if name in {SILENCE, RESET}:
            return _reset(request)
        try:
            if name in self.errors:
                raise Refused(name, "as was asked for")
            answer = await self.accept(request, body)
        except Refused as refusal:
            self.refused.append(str(refusal))
            return self.answer(self.errors[refusal.name])
        headers = {name.lower(): text for name, text in request.headers.items()}
        self.accepted.append(Accepted(request.path, headers, body))
        return _reset(request) if name == LOST else answer

    def answer(self, fault: Fault) -> web.Response:
        """Return the answer of an error."""
        if isinstance(fault.body, str | None):
            return web.Response(status=fault.status, text=fault.body, headers=fault.headers)
        return web.json_response(fault.body, status=fault.status, headers=fault.headers)


def _reset(request: web.BaseRequest) -> web.Response:
    assert request.transport is not None
    request.transport.abort()
    return web.Response(status=500)


def basic_auth(username: str, password: str) -> str:
    """Return what the header Authorization must be (RFC 7617)."""
    return "Basic " + base64.b64encode(f"{username}:{password}".encode()).decode()


def read_object(body: bytes, name: str) -> dict[str, Any]:
    """Return the JSON object in a body.

    Raises:
        Refused: it has none; the error `name` is answered.
    """
    try:
        found = json.loads(body)
    except ValueError:
        raise Refused(name, "no JSON") from None
    if not isinstance(found, dict):
        raise Refused(name, "no object")
    return found

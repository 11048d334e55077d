"""Other servers, on loopback, for outbound calls."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from aiohttp import web
from tests.certificate import Certificate, make_certificate
from tests.wire import LOOPBACK


class Elsewhere:
    """Servers with the same pages, one with TLS and one without."""

    def __init__(self, certificate: Certificate) -> None:
        self.certificate = certificate
        self.files: dict[str, bytes] = {}
        """The contents of the paths `/files/<name>`."""
        self.pages: dict[str, Callable[[bytes], Awaitable[web.StreamResponse]]] = {}
        """What answers the paths `/pages/<name>`, by the body of the request."""
        self.asked: list[web.BaseRequest] = []
        self.bodies: list[bytes] = []
        """What was sent with each of these requests."""
        self.peers: set[object] = set()
        """The addresses and ports of all who called: one for each connection."""
        self.encrypted = 0
        """The port of the server with TLS."""
        self.plain = 0
        self.leaving = asyncio.Event()
        self._arrived = asyncio.Event()

    async def wait_for(self, count: int) -> None:
        """Wait until there were so many requests."""
        while len(self.asked) < count:
            self._arrived.clear()
            await self._arrived.wait()

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer as the path says."""
        assert request.transport is not None
        self.asked.append(request)
        self.peers.add(request.transport.get_extra_info("peername"))
        self._arrived.set()
        body = await request.read()
        self.bodies.append(body)
        match request.path.split("/")[1:]:
            case ["bytes", count]:
                return web.Response(body=b"x" * int(count))
            case ["files", name] if name in self.files:
                return web.Response(body=self.files[name])
            case ["pages", name] if name in self.pages:
                return await self.pages[name](body)
            case ["encoded", encoding]:
                return web.Response(body=b"x", headers={"Content-Encoding": encoding})
            case ["status", status]:
                return web.Response(status=int(status))
            case ["redirect", status]:
                return web.Response(status=int(status), headers={"Location": request.query["to"]})
            case ["again"]:
                return web.Response(status=302, headers={"Location": "/again"})
            case ["silence"]:
                answer = web.StreamResponse()
                await answer.prepare(request)
                await answer.write(b"begun")
                await self.leaving.wait()
                return answer
            case ["endless"]:
                answer = web.StreamResponse()
                await answer.prepare(request)
                with suppress(ConnectionError):
                    while not self.leaving.is_set():
                        await answer.write(b"x" * 100_000)
                return answer
            case ["busy", pause]:
                return web.Response(status=503, headers={"Retry-After": pause})
            case ["half"]:
                request.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
                request.transport.close()
            case ["garbage"]:
                request.transport.write(b"\x16\x03\x01 no HTTP\r\n\r\n")
                request.transport.close()
            case ["broken"]:
                request.transport.abort()
        return web.Response(status=404)


@asynccontextmanager
async def serve_elsewhere(folder: Path) -> AsyncIterator[Elsewhere]:
    """Yield servers that run; their certificate is put into `folder`."""
    served = Elsewhere(make_certificate(folder))
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(served.certificate.cert, served.certificate.key)
    runner = web.ServerRunner(web.Server(served.answer), shutdown_timeout=0)
    await runner.setup()
    try:
        served.encrypted = await _listen(runner, tls)
        served.plain = await _listen(runner, None)
        yield served
    finally:
        served.leaving.set()
        await runner.cleanup()


async def _listen(runner: web.ServerRunner, tls: ssl.SSLContext | None) -> int:
    """Return the free port that a runner listens on from now on."""
    listening = socket.create_server((LOOPBACK, 0))
    await web.SockSite(runner, listening, ssl_context=tls).start()
    port: int = listening.getsockname()[1]
    return port

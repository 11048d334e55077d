"""The HTTP server: uvicorn with a guard in front of its parser, TLS, and a clean end."""

import asyncio
import secrets
import signal
import socket
from typing import Any

import msgspec
import structlog
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from hubbub.config import BadSetting, Settings
from hubbub.http.app import HEADERS_TOO_LARGE, LARGEST_HEADERS
from hubbub.http.errors import ErrorBody, Problem

log = structlog.get_logger()

FINISH_SECONDS = 30
KEEP_ALIVE_SECONDS = 75
BACKLOG = 2048
LINGER_SECONDS = 2.0
MOST_IGNORED = 4 * 1024 * 1024
UNREADABLE = "This is not an HTTP request that can be read."
_encode = msgspec.json.Encoder().encode


class JoinedWrites:
    """A transport that sends what is written in one turn of the event loop with one system call.

    uvicorn writes head and body of an answer apart.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> None:
        if not self._parts:
            asyncio.get_running_loop().call_soon(self.flush)
        self._parts.append(data)

    def flush(self) -> None:
        """Send at once what was written."""
        if self._parts:
            self._transport.write(b"".join(self._parts))
            self._parts.clear()

    def write_eof(self) -> None:
        self.flush()
        self._transport.write_eof()

    def close(self) -> None:
        self.flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class GuardedProtocol(HttpToolsProtocol):
    """Refuses what can't become a request: garbage, and headers without end.

    The parser itself sets no limit to headers. A refusal is answered and the connection half
    closed; what still arrives is dropped for a moment, so that the client gets to read the answer.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._head_bytes = 0
        self._ignored_bytes = 0
        self._closing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        self._joined = JoinedWrites(transport)
        super().connection_made(self._joined)  # type: ignore[arg-type]  # it stands in for one

    def eof_received(self) -> None:
        self._joined.flush()  # the event loop closes the transport next
        super().eof_received()

    def data_received(self, data: bytes) -> None:
        if self._closing is not None:
            self._ignore(data)
            return
        self._head_bytes += len(data)
        super().data_received(data)
        if self._head_bytes > 2 * LARGEST_HEADERS and self._closing is None:
            self._refuse(b"431 Request Header Fields Too Large", HEADERS_TOO_LARGE)

    def _ignore(self, data: bytes) -> None:
        self._ignored_bytes += len(data)
        if self._ignored_bytes > MOST_IGNORED:
            self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        self._refuse(b"400 Bad Request", UNREADABLE)

    def _refuse(self, status: bytes, message: str) -> None:
        if self.transport.is_closing():
            return
        self._forget_request()
        request_id = secrets.token_hex(10)
        log.info("request_refused", request_id=request_id, status=status.decode())
        body = _encode(ErrorBody(Problem("ERR_BAD_REQUEST", message)))
        self.transport.write(
            b"HTTP/1.1 %b\r\nContent-Type: application/json\r\nConnection: close\r\n"
            b"X-Request-Id: %b\r\nContent-Length: %d\r\n\r\n%b"
            % (status, request_id.encode(), len(body), body)
        )
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._closing = self.loop.call_later(LINGER_SECONDS, self.transport.close)

    def _forget_request(self) -> None:
        """What was being answered is answered no more: this answer is the connection's last."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._closing is not None:
            self._closing.cancel()

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        self._head_bytes = 0

    def on_body(self, body: bytes) -> None:
        super().on_body(body)
        self._head_bytes = 0

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._head_bytes = 0


class Server(uvicorn.Server):
    """A server whose signals only ask it to end; `bootstrap` ends the rest after it."""

    def install_signal_handlers(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.handle_exit, number, None)


def make_server(app: Any, settings: Settings) -> Server:
    """A server for `app` that accepts no more, and finishes what it accepted, when it is ended.

    Raises:
        BadSetting: there is no using the certificate or its key.
    """
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        http=GuardedProtocol,
        ws="none",
        lifespan="off",
        loop="none",
        interface="asgi3",
        access_log=False,
        log_config=None,
        proxy_headers=False,
        server_header=False,
        date_header=True,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=FINISH_SECONDS,
        backlog=BACKLOG,
        ssl_certfile=settings.tls_cert or None,
        ssl_keyfile=settings.tls_key or None,
    )
    if settings.tls_key and not settings.tls_cert:
        raise BadSetting(f"The TLS key {settings.tls_key} has no certificate beside it.")
    try:
        config.load()
    except OSError as failure:
        files = " and ".join(filter(None, (settings.tls_cert, settings.tls_key)))
        raise BadSetting(f"TLS can't be ended with {files}: {failure}") from failure
    return Server(config)


def open_listeners(settings: Settings) -> list[socket.socket]:
    """Sockets that listen where the settings say; whoever connects waits until a server serves.

    Raises:
        BadSetting: it is not possible to listen there.
    """
    listeners: list[socket.socket] = []
    try:
        for family, *_, address in socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        ):
            place = (str(address[0]), settings.port)
            listeners.append(socket.create_server(place, family=family, backlog=BACKLOG))
    except (OSError, OverflowError) as failure:
        for listener in listeners:
            listener.close()
        reason = getattr(failure, "strerror", None) or failure
        raise BadSetting(
            f"It is not possible to listen on {settings.host}, port {settings.port}: {reason}"
        ) from failure
    return listeners

"""The HTTP server: uvicorn with a guard for its parser, TLS, and a graceful shutdown."""

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
from hubbub.http.errors import error_body
from hubbub.http.raw_request import HEADERS_TOO_LARGE, LARGEST_HEADERS

log = structlog.get_logger()

FINISH_SECONDS = 30
KEEP_ALIVE_SECONDS = 75
BACKLOG = 2048
LINGER_SECONDS = 2.0
MOST_IGNORED = 4 * 1024 * 1024
MALFORMED = "This is not a well-formed HTTP request."


class JoinedWrites:
    """A transport that joins the writes of one turn of the event loop into one system call.

    uvicorn writes the head and the body of an answer separately.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> None:
        if not self._parts:
            asyncio.get_running_loop().call_soon(self.flush)
        self._parts.append(data)

    def flush(self) -> None:
        """Send the buffered writes now."""
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
    """Refuses malformed requests and oversized headers, for which the parser has no limit.

    After the answer the connection is half closed. What still arrives is dropped for a moment, so
    that the client can read the answer.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._head_bytes = 0
        self._ignored_bytes = 0
        self._closing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        self._joined = JoinedWrites(transport)
        super().connection_made(self._joined)  # type: ignore[arg-type]  # acts as a transport

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
        self._refuse(b"400 Bad Request", MALFORMED)

    def _refuse(self, status: bytes, message: str) -> None:
        if self.transport.is_closing():
            return
        self._cancel_answer()
        request_id = secrets.token_hex(10)
        log.info("request_refused", request_id=request_id, status=status.decode())
        body = msgspec.json.encode(error_body("ERR_BAD_REQUEST", message))
        self.transport.write(
            b"HTTP/1.1 %b\r\nContent-Type: application/json\r\nConnection: close\r\n"
            b"X-Request-Id: %b\r\nContent-Length: %d\r\n\r\n%b"
            % (status, request_id.encode(), len(body), body)
        )
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._closing = self.loop.call_later(LINGER_SECONDS, self.transport.close)

    def _cancel_answer(self) -> None:
        """Cancel the answer in progress: the refusal is the last answer of the connection."""
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
    """A server that stops on a signal; `bootstrap` stops the rest after it."""

    def install_signal_handlers(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.handle_exit, number, None)


def make_server(app: Any, settings: Settings) -> Server:
    """Return a server for `app`; when stopped, it finishes the requests that it has accepted.

    Raises:
        BadSetting: the certificate or its key can't be used.
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
        raise BadSetting(f"The TLS key {settings.tls_key} is set without a certificate.")
    try:
        config.load()
    except OSError as failure:
        files = " and ".join(filter(None, (settings.tls_cert, settings.tls_key)))
        raise BadSetting(f"TLS can't be set up with {files}: {failure}") from failure
    return Server(config)


def open_listeners(settings: Settings) -> list[socket.socket]:
    """Return sockets that listen at host and port; connections wait until a server serves them.

    Raises:
        BadSetting: the address is taken or not available.
    """
    listeners: list[socket.socket] = []
    try:
        for family, *_, address in socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        ):
            where = (str(address[0]), settings.port)
            listeners.append(socket.create_server(where, family=family, backlog=BACKLOG))
    except (OSError, OverflowError) as failure:
        for listener in listeners:
            listener.close()
        reason = getattr(failure, "strerror", None) or failure
        raise BadSetting(
            f"It is not possible to listen on {settings.host}, port {settings.port}: {reason}"
        ) from failure
    return listeners

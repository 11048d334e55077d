"""The HTTP server: uvicorn with a guard in front of its parser, TLS, and a clean end."""

import asyncio
import signal
from typing import Any

import structlog
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from hubbub.config import Settings
from hubbub.rest.app import HEADERS_TOO_LARGE, LARGEST_HEADERS

log = structlog.get_logger()

FINISH_SECONDS = 30
KEEP_ALIVE_SECONDS = 75
_BODY = b'{"error":{"code":"ERR_BAD_REQUEST","message":"' + HEADERS_TOO_LARGE.encode() + b'"}}'
_REFUSAL = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Type: application/json\r\n"
    b"Connection: close\r\nContent-Length: %d\r\n\r\n%s" % (len(_BODY), _BODY)
)


class GuardedProtocol(HttpToolsProtocol):
    """Refuses headers without end before they fill the memory; the parser itself sets no limit."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._head_bytes = 0

    def data_received(self, data: bytes) -> None:
        self._head_bytes += len(data)
        super().data_received(data)
        is_in_head = self._head_bytes > 2 * LARGEST_HEADERS
        if is_in_head and not self.transport.is_closing():
            self.transport.write(_REFUSAL)
            self.transport.close()

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
    """A server for `app` that accepts no more, and finishes what it accepted, when it is ended."""
    return Server(
        uvicorn.Config(
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
            backlog=2048,
            ssl_certfile=settings.tls_cert or None,
            ssl_keyfile=settings.tls_key or None,
        )
    )

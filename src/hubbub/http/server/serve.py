"""Start and stop the server: uvicorn's sockets, TLS and graceful shutdown, with our protocol."""

import asyncio
import errno
import signal
import socket
import ssl
from pathlib import Path

import structlog
import uvicorn

from hubbub.config import BadSetting, Settings
from hubbub.http.server.exchange import Dispatcher
from hubbub.http.server.protocol import Protocol

log = structlog.get_logger()

LOOK_SECONDS = 1.0
"""So often it is looked whether the files of the certificate were renewed."""
Stamp = tuple[tuple[int, int, int], ...]
FINISH_SECONDS = 30
KEEP_ALIVE_SECONDS = 75
TLS_END_SECONDS = 0.1
BACKLOG = 2048


class CertificateFiles:
    """The files of a certificate and its key, and the context in use that they were loaded into."""

    def __init__(self, context: ssl.SSLContext, cert: str, key: str) -> None:
        self._context = context
        self._files = (cert, key or None)
        self._loaded = self._seen = self._stamp()

    async def follow(self) -> None:
        """Look for renewed files until cancelled; handshakes from then on have them."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            self.look()

    def look(self) -> None:
        """Load the files if they have changed, and not since the last look.

        They are two files, written one after the other: halfway they do not belong together.
        """
        stamp = self._stamp()
        is_settled, self._seen = stamp == self._seen, stamp
        if stamp == self._loaded or not is_settled:
            return
        self._loaded = stamp
        try:
            # First into a new context: a key that does not fit would leave this one without a key.
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(*self._files)
            self._context.load_cert_chain(*self._files)
        except (OSError, ValueError) as failure:
            log.error("certificate_not_renewed", reason=str(failure))
            return
        log.info("certificate_renewed")

    def _stamp(self) -> Stamp:
        """Return what changes with the files."""
        return tuple(_stamp_of(Path(path)) for path in self._files if path)


def _stamp_of(path: Path) -> tuple[int, int, int]:
    try:
        found = path.stat()
    except OSError:  # it is being replaced
        return (0, 0, 0)
    return (found.st_mtime_ns, found.st_size, found.st_ino)


class Server(uvicorn.Server):
    """A server that stops on a signal; `bootstrap` stops the rest after it."""

    def install_signal_handlers(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.handle_exit, number, None)

    async def main_loop(self) -> None:
        settings = self.config
        if not isinstance(settings.ssl, ssl.SSLContext):
            return await super().main_loop()
        files = CertificateFiles(
            settings.ssl, str(settings.ssl_certfile), str(settings.ssl_keyfile or "")
        )
        following = asyncio.create_task(files.follow())
        try:
            return await super().main_loop()
        finally:
            following.cancel()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for connection in list(self.server_state.connections):
            if isinstance(connection, Protocol):
                connection.interrupt()
        cutting = asyncio.create_task(self._cut_off_tls())
        try:
            await super().shutdown(sockets)
        finally:
            cutting.cancel()

    async def _cut_off_tls(self) -> None:
        """End closed connections whose clients don't end TLS: each would be waited for, 30 s."""
        while True:
            await asyncio.sleep(TLS_END_SECONDS)
            for connection in list(self.server_state.connections):
                transport = connection.transport
                if (
                    transport.is_closing()
                    and transport.get_extra_info("ssl_object")
                    and not transport.get_write_buffer_size()
                ):
                    transport.abort()


def make_server(
    app: Dispatcher, settings: Settings, *, finish_seconds: int = FINISH_SECONDS
) -> Server:
    """Return a server for `app`; when stopped, it finishes the requests that it has accepted.

    Raises:
        BadSetting: the certificate or its key can't be used.
    """
    config = uvicorn.Config(
        app,  # type: ignore[arg-type]  # no ASGI: our protocol calls it
        host=settings.host,
        port=settings.port,
        http=Protocol,
        ws="none",
        lifespan="off",
        loop="none",
        interface="asgi3",
        access_log=False,
        log_config=None,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=finish_seconds,
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
        raise BadSetting(f"TLS can't be set up with {files}: {_reason(failure)}") from failure
    return Server(config)


def open_listeners(settings: Settings, *, shares_port: bool = False) -> list[socket.socket]:
    """Return sockets that listen at host and port; connections wait until a server serves them.

    A port that is shared is also listened on by other processes of the same account.

    Raises:
        BadSetting: the address is taken or not available.
    """
    listeners: list[socket.socket] = []
    try:
        for family, *_, address in socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        ):
            where = (str(address[0]), settings.port)
            listeners.append(
                socket.create_server(where, family=family, backlog=BACKLOG, reuse_port=shares_port)
            )
    except (OSError, OverflowError) as failure:
        for listener in listeners:
            listener.close()
        raise BadSetting(
            f"It is not possible to listen on {settings.host}, port {settings.port}:"
            f" {_reason(failure)}"
        ) from failure
    return listeners


def _reason(failure: Exception) -> str:
    match failure:
        case ssl.SSLError():
            return "they are not a certificate and its key, in PEM."
        case OSError(errno=errno.EADDRINUSE):
            return "another program uses it. Stop that one, or choose another port with --port."
        case OSError(strerror=str(reason)):
            return f"{reason}."
    return str(failure)

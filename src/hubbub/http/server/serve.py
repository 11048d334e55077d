"""Start and stop the server: uvicorn's sockets, TLS and graceful shutdown, with our protocol."""

import asyncio
import errno
import signal
import socket
import ssl

import uvicorn

from hubbub.config import BadSetting, Settings
from hubbub.http.server.certificate import CertificateFiles
from hubbub.http.server.exchange import Dispatcher
from hubbub.http.server.protocol import Protocol

FINISH_SECONDS = 30
KEEP_ALIVE_SECONDS = 75
TLS_END_SECONDS = 0.1
BACKLOG = 2048


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

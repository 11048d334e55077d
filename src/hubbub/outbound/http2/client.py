"""The client for HTTP/2: a pool of connections for each server and owner."""

import asyncio
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlsplit

from hubbub.outbound.dial import Dialer
from hubbub.outbound.errors import NotReached, not_connected
from hubbub.outbound.http2.calls import Outcome, Post
from hubbub.outbound.http2.connection import Http2Connection
from hubbub.outbound.http2.headers import Fields
from hubbub.outbound.http2.pool import IDLE_SECONDS, Pool

_Key = tuple[str, str, float]
PORTS = {"http": 80, "https": 443}
ALPN = "h2"


@dataclass(frozen=True, slots=True)
class Origin:
    """The server that calls go to."""

    scheme: str
    host: str
    port: int
    authority: bytes

    @classmethod
    def of(cls, url: str) -> "Origin":
        """Return the origin of a URL, whose spelling has been checked.

        Raises:
            NotReached: no server has that name.
        """
        parts = urlsplit(url)
        port = parts.port or PORTS[parts.scheme]
        try:
            return cls(parts.scheme, parts.hostname or "", port, parts.netloc.encode("idna"))
        except UnicodeError:  # a label of the host is empty, or too long
            raise NotReached("The URL is not valid.") from None


class Connector:
    """Opens connections to servers that the rule allows."""

    def __init__(self, dialer: Dialer, tls: ssl.SSLContext) -> None:
        self._tls = tls
        self._tls.set_alpn_protocols([ALPN])
        self._dialer = dialer

    async def connect(
        self, origin: Origin, seconds: float, factory: Callable[[], Http2Connection]
    ) -> None:
        """Open a connection; without TLS, the server must know that HTTP/2 is meant.

        Raises:
            NotReached: it can't be opened.
        """
        try:
            async with asyncio.timeout(seconds):
                await self._open(origin, factory)
        except TimeoutError:
            raise NotReached(f"It took more than {seconds:g} seconds.") from None
        except ssl.SSLCertVerificationError as failure:
            raise NotReached(f"The certificate is not valid: {failure.verify_message}") from None
        except OSError as failure:
            raise not_connected(failure) from None

    async def _open(self, origin: Origin, factory: Callable[[], Http2Connection]) -> None:
        is_encrypted = origin.scheme == "https"
        sock = await self._dialer.connect(origin.host, origin.port, is_encrypted=is_encrypted)
        transport, connection = await asyncio.get_running_loop().create_connection(
            factory,
            sock=sock,
            ssl=self._tls if is_encrypted else None,
            server_hostname=origin.host if is_encrypted else None,
        )
        if is_encrypted and transport.get_extra_info("ssl_object").selected_alpn_protocol() != ALPN:
            connection.end("The server does not speak HTTP/2.")


class Http2Client:
    """Makes calls over HTTP/2; connections are kept open for the next ones."""

    def __init__(
        self, dialer: Dialer, tls: ssl.SSLContext, *, idle_seconds: float = IDLE_SECONDS
    ) -> None:
        self._connector = Connector(dialer, tls)
        self._idle_seconds = idle_seconds
        self._pools: dict[_Key, Pool] = {}
        self._is_closed = False

    async def post_all(
        self, url: str, requests: Sequence[Post], fields: Fields, *, owner: str, seconds: float
    ) -> list[Outcome]:
        """Make requests to the server of a URL, whose spelling has been checked.

        Calls of different owners share no connection and no queue.

        Raises:
            NotReached: the client is closed.
        """
        if self._is_closed:
            raise NotReached("The node is ending.")
        origin = Origin.of(url)
        pool = self._pool((url, owner, seconds), origin)
        return await pool.post_all(requests, _common(origin) + fields)

    async def close(self) -> None:
        """Close the connections; no call can be made any more."""
        self._is_closed = True
        for pool in list(self._pools.values()):
            await pool.close()
        self._pools.clear()

    def _pool(self, key: _Key, origin: Origin) -> Pool:
        pool = self._pools.get(key)
        if pool is None:
            seconds = key[2]
            connect = partial(self._connector.connect, origin, seconds)
            drop = partial(self._pools.pop, key, None)
            pool = self._pools[key] = Pool(
                connect, seconds=seconds, idle_seconds=self._idle_seconds, when_empty=drop
            )
        return pool


def _common(origin: Origin) -> Fields:
    """Return the header fields of every call to a server."""
    return (
        (b":method", b"POST"),
        (b":scheme", origin.scheme.encode()),
        (b":authority", origin.authority),
        (b"user-agent", b"Hubbub"),
    )

"""The opening of a connection: the name is resolved, each address checked, and TLS verified."""

import asyncio
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from hubbub.outbound.dial import Dialer
from hubbub.outbound.errors import NotReached, not_connected
from hubbub.outbound.http2.connection import Http2Connection

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

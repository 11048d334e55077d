"""Connections to other servers, by the library aiohttp, which only this module uses.

The check is in the making of each socket: there the address is the one that will be connected to,
whatever the name resolved to before, and however the URL spelled it.
"""

import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import aiohttp

from hubbub.outbound.addresses import AddressRule
from hubbub.outbound.errors import NotReached

CONNECTIONS = 100
HEADERS = {"User-Agent": "Hubbub", "Accept-Encoding": "identity"}


class Sessions:
    """A session with TLS and one without: what their sockets may connect to differs."""

    def __init__(self, rule: AddressRule, tls: ssl.SSLContext) -> None:
        self._rule = rule
        self._encrypted = self._open(tls, is_encrypted=True)
        self._plain = self._open(tls, is_encrypted=False)

    @asynccontextmanager
    async def get(self, url: str, *, is_encrypted: bool) -> AsyncIterator[aiohttp.ClientResponse]:
        """Yield the answer to a GET; its redirect, if it is one, is not followed.

        Raises:
            NotReached: the call has failed, or the reading of its answer in the block.
        """
        session = self._encrypted if is_encrypted else self._plain
        try:
            async with session.get(url, allow_redirects=False) as answer:
                yield answer
        except aiohttp.ClientError as failure:
            raise NotReached(_reason(failure)) from None
        except UnicodeError:  # a label of the host is empty, or too long
            raise NotReached("The URL is not valid.") from None

    async def close(self) -> None:
        """Close all connections."""
        await self._encrypted.close()
        await self._plain.close()

    def _open(self, tls: ssl.SSLContext, *, is_encrypted: bool) -> aiohttp.ClientSession:
        connector = aiohttp.TCPConnector(
            limit=CONNECTIONS,
            ssl=tls,
            use_dns_cache=False,
            socket_factory=partial(self._open_socket, is_encrypted=is_encrypted),
        )
        return aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=HEADERS,
            auto_decompress=False,
            timeout=aiohttp.ClientTimeout(),
        )

    def _open_socket(self, target: Any, *, is_encrypted: bool) -> socket.socket:
        """Return a socket for a resolved address, if that may be called."""
        family, kind, protocol, _, address = target
        if not self._rule.may_call(address[0], is_encrypted=is_encrypted):
            raise OSError(_forbidden(address[0], is_encrypted=is_encrypted))
        return socket.socket(family, kind, protocol)


def _forbidden(address: str, *, is_encrypted: bool) -> str:
    if is_encrypted:
        return f"the address {address} is not public"
    return f"the address {address} may be called only over TLS"


def _reason(failure: aiohttp.ClientError) -> str:
    if isinstance(failure, aiohttp.ClientConnectorCertificateError):
        return f"The certificate is not valid: {failure.certificate_error}"
    if isinstance(failure, aiohttp.ClientConnectorError):
        return f"It can't be connected to: {failure.os_error.strerror or failure.os_error}."
    if isinstance(failure, aiohttp.InvalidURL):
        return "The URL is not valid."
    return f"The connection failed: {str(failure) or type(failure).__name__}."

"""Connections to other servers, by the library aiohttp, which only this module and `names.py` use.

The check is in the making of each socket (`sockets.py`): there the address is the one that will be
connected to, whatever the name resolved to before, and however the URL spelled it.
"""

import ssl
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import product
from types import SimpleNamespace
from urllib.parse import quote, urlsplit

import aiohttp
from yarl import URL

from hubbub.outbound.addresses import AddressRule
from hubbub.outbound.answer import Response
from hubbub.outbound.dial import open_checked_socket
from hubbub.outbound.errors import ConnectionLost, NotReached, not_connected
from hubbub.outbound.names import Resolver

HEADERS = {"User-Agent": "Hubbub", "Accept-Encoding": "identity"}
URL_LETTERS = "%!#$&'()*+,-./:;=?@_~[]"
"""What stays in a URL besides letters and digits (RFC 3986)."""
MOST_ANSWER_BYTES = 64 * 1024
MOST_REASON_LETTERS = 200


@dataclass(slots=True)
class _Connection:
    """Whether the connection of a call is that of an earlier call."""

    is_reused: bool = False


class Sessions:
    """Sessions with TLS and without: what their sockets may connect to differs.

    Of each there is one that keeps connections open for the next calls, and one that does not.
    """

    def __init__(self, rule: AddressRule, tls: ssl.SSLContext, resolver: Resolver) -> None:
        self._rule = rule
        self._resolver = resolver
        self._open_sessions = {
            (is_encrypted, keeps): self._open(tls, is_encrypted=is_encrypted, keeps=keeps)
            for is_encrypted, keeps in product((True, False), repeat=2)
        }

    @asynccontextmanager
    async def get(self, url: str, *, is_encrypted: bool) -> AsyncIterator[aiohttp.ClientResponse]:
        """Yield the answer to a GET; its redirect, if it is one, is not followed.

        Raises:
            NotReached: the call has failed, or the reading of its answer in the block.
        """
        session = self._session(is_encrypted=is_encrypted)
        with _reported():
            async with session.get(_as_stored(url), allow_redirects=False) as answer:
                yield answer

    async def post(
        self,
        url: str,
        body: bytes,
        headers: Mapping[str, str],
        *,
        is_encrypted: bool,
        keeps: bool,
    ) -> Response:
        """Return the answer to one POST; its redirect, if it is one, is not followed.

        Without `keeps` the call has a connection of its own. With it, it may go over one that was
        kept open by an earlier call, and leaves its own open.

        Raises:
            ConnectionLost: the kept connection broke: perhaps the server closed it before the call.
            NotReached: the call has failed, or the reading of its answer.
        """
        session = self._session(is_encrypted=is_encrypted, keeps=keeps)
        connection = _Connection()
        with _reported():
            try:
                return await _post(session, url, body, headers, connection)
            except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as failure:
                if not connection.is_reused:
                    raise
                raise ConnectionLost(f"{_reason(failure)}") from None

    async def close(self) -> None:
        """Close all connections."""
        for session in self._open_sessions.values():
            await session.close()

    def _session(self, *, is_encrypted: bool, keeps: bool = True) -> aiohttp.ClientSession:
        return self._open_sessions[is_encrypted, keeps]

    def _open(
        self, tls: ssl.SSLContext, *, is_encrypted: bool, keeps: bool
    ) -> aiohttp.ClientSession:
        connector = aiohttp.TCPConnector(
            force_close=not keeps,
            limit=0,  # what is under way is limited by app, in `calls.py`
            ssl=tls,
            use_dns_cache=False,
            resolver=self._resolver,
            socket_factory=partial(open_checked_socket, self._rule, is_encrypted=is_encrypted),
        )
        noting = aiohttp.TraceConfig()
        noting.on_connection_reuseconn.append(_note_reuse)
        return aiohttp.ClientSession(
            connector=connector,
            trace_configs=[noting],
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=HEADERS,
            auto_decompress=False,
            timeout=aiohttp.ClientTimeout(),
        )


async def _note_reuse(_: object, context: SimpleNamespace, __: object) -> None:
    if context.trace_request_ctx is not None:
        context.trace_request_ctx.is_reused = True


async def _post(
    session: aiohttp.ClientSession,
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    connection: _Connection,
) -> Response:
    async with session.post(
        _as_stored(url),
        data=body,
        headers=headers,
        allow_redirects=False,
        trace_request_ctx=connection,
    ) as answer:
        content = await _read_begin(answer)
        return Response(answer.status, answer.headers, content)


def _as_stored(url: str) -> URL:
    """Return a URL whose path and query are sent as they are spelled, but for invalid characters.

    Escapes are part of what was stored: a receiver may tell `%2F` from `/`, or sign the query.

    Raises:
        NotReached: it is not valid.
    """
    netloc = urlsplit(url).netloc
    target = url.partition("#")[0].partition(netloc)[2]
    path = target if target.startswith("/") else f"/{target}"
    try:
        return URL(f"{URL(url).origin()}{quote(path, safe=URL_LETTERS)}", encoded=True)
    except ValueError:
        raise NotReached("The URL is not valid.") from None


async def _read_begin(answer: aiohttp.ClientResponse) -> bytes:
    """Return the begin of an answer's body; if there is more, close the connection."""
    content = bytearray()
    while len(content) < MOST_ANSWER_BYTES:
        piece = await answer.content.read(MOST_ANSWER_BYTES - len(content))
        if not piece:
            return bytes(content)
        content += piece
    answer.close()
    return bytes(content)


@contextmanager
def _reported() -> Iterator[None]:
    """Raise failures of the library as `NotReached`."""
    try:
        yield
    except aiohttp.ClientError as failure:
        raise _reason(failure) from None
    except UnicodeError:  # a label of the host is empty, or too long
        raise NotReached("The URL is not valid.") from None


def _reason(failure: aiohttp.ClientError) -> NotReached:
    if isinstance(failure, aiohttp.ClientConnectorCertificateError):
        return NotReached(f"The certificate is not valid: {failure.certificate_error}")
    if isinstance(failure, aiohttp.ClientConnectorError):
        return not_connected(failure.os_error)
    if isinstance(failure, aiohttp.InvalidURL):
        return NotReached("The URL is not valid.")
    # What such an error says of itself has the URL in it, and a path may be a secret.
    said = failure.message if isinstance(failure, aiohttp.ClientResponseError) else f"{failure}"
    said = said[:MOST_REASON_LETTERS] or type(failure).__name__
    return NotReached(f"The connection failed: {said}.")

"""Connections to other servers, by the library aiohttp, which only this module and `names.py` use.

The check is in the making of each socket (`sockets.py`): there the address is the one that will be
connected to, whatever the name resolved to before, and however the URL spelled it.
"""

import ssl
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace

import aiohttp

from hubbub.outbound.addresses import AddressRule
from hubbub.outbound.answer import Answer
from hubbub.outbound.errors import NotReached
from hubbub.outbound.names import Resolver
from hubbub.outbound.sockets import open_checked_socket

CONNECTIONS_TO_A_HOST = 1_000
"""There is no limit for all hosts: one that is slow would hold up the calls to the others."""
HEADERS = {"User-Agent": "Hubbub", "Accept-Encoding": "identity"}
MOST_ANSWER_BYTES = 64 * 1024
MOST_REASON_LETTERS = 200


@dataclass(slots=True)
class _Connection:
    """Whether the connection of a call is that of an earlier call."""

    is_reused: bool = False


class Sessions:
    """A session with TLS and one without: what their sockets may connect to differs."""

    def __init__(self, rule: AddressRule, tls: ssl.SSLContext) -> None:
        self._rule = rule
        self._resolver = Resolver()
        self._encrypted = self._open(tls, is_encrypted=True)
        self._plain = self._open(tls, is_encrypted=False)

    @asynccontextmanager
    async def get(self, url: str, *, is_encrypted: bool) -> AsyncIterator[aiohttp.ClientResponse]:
        """Yield the answer to a GET; its redirect, if it is one, is not followed.

        Raises:
            NotReached: the call has failed, or the reading of its answer in the block.
        """
        session = self._session(is_encrypted=is_encrypted)
        with _reported():
            async with session.get(url, allow_redirects=False) as answer:
                yield answer

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], *, is_encrypted: bool
    ) -> Answer:
        """Return the answer to a POST; its redirect, if it is one, is not followed.

        Raises:
            NotReached: the call has failed, or the reading of its answer.
        """
        session = self._session(is_encrypted=is_encrypted)
        connection = _Connection()
        with _reported():
            try:
                return await _post(session, url, body, headers, connection)
            except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError):
                # The server may have closed a connection that it had kept open until then.
                if not connection.is_reused:
                    raise
            return await _post(session, url, body, headers, connection)

    async def close(self) -> None:
        """Close all connections."""
        await self._encrypted.close()
        await self._plain.close()

    def _session(self, *, is_encrypted: bool) -> aiohttp.ClientSession:
        return self._encrypted if is_encrypted else self._plain

    def _open(self, tls: ssl.SSLContext, *, is_encrypted: bool) -> aiohttp.ClientSession:
        connector = aiohttp.TCPConnector(
            limit=0,
            limit_per_host=CONNECTIONS_TO_A_HOST,
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
) -> Answer:
    async with session.post(
        url, data=body, headers=headers, allow_redirects=False, trace_request_ctx=connection
    ) as answer:
        content = await _read_begin(answer)
        return Answer(answer.status, answer.headers, content)


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
        raise NotReached(_reason(failure)) from None
    except UnicodeError:  # a label of the host is empty, or too long
        raise NotReached("The URL is not valid.") from None


def _reason(failure: aiohttp.ClientError) -> str:
    if isinstance(failure, aiohttp.ClientConnectorCertificateError):
        return f"The certificate is not valid: {failure.certificate_error}"
    if isinstance(failure, aiohttp.ClientConnectorError):
        return f"It can't be connected to: {failure.os_error.strerror or failure.os_error}."
    if isinstance(failure, aiohttp.InvalidURL):
        return "The URL is not valid."
    # What such an error says of itself has the URL in it, and a path may be a secret.
    said = failure.message if isinstance(failure, aiohttp.ClientResponseError) else f"{failure}"
    said = said[:MOST_REASON_LETTERS] or type(failure).__name__
    return f"The connection failed: {said}."

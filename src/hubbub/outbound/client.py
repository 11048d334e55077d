"""The client for calls to other servers: webhooks, providers, and files to fetch."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from hubbub.config import BadSetting
from hubbub.outbound.addresses import AddressRule
from hubbub.outbound.answer import Response
from hubbub.outbound.calls import APP, Calls
from hubbub.outbound.errors import ConnectionLost, NoAnswerInTime, NotReached
from hubbub.outbound.spelling import check_spelling

if TYPE_CHECKING:
    from hubbub.outbound.dial import Dialer
    from hubbub.outbound.http2.calls import Outcome, Post
    from hubbub.outbound.http2.client import Http2Client
    from hubbub.outbound.http2.headers import Fields
    from hubbub.outbound.names import Resolver
    from hubbub.outbound.sessions import Sessions

HTTP, HTTPS = "http", "https"
DONE = 200
REDIRECTS = {301, 302, 303, 307, 308}
MOST_REDIRECTS = 5
PIECE_BYTES = 64 * 1024
IDENTITY = "identity"


class OutboundClient:
    """Calls other servers over verified TLS; plain HTTP only where the operator allows it.

    The address is checked whenever a connection is opened. No proxy is taken from the environment.
    """

    def __init__(
        self,
        rule: AddressRule,
        authorities: str = "",
        *,
        calls: Calls | None = None,
        names: "Resolver | None" = None,
    ) -> None:
        """Make the client; `authorities` is a PEM file to trust besides the usual ones.

        Raises:
            BadSetting: the file can't be used.
        """
        self._rule = rule
        self._authorities = authorities
        self._tls = _make_context(authorities)
        self.calls = calls or Calls()
        self._names = names
        self._sessions: Sessions | None = None
        self._http2: Http2Client | None = None

    @asynccontextmanager
    async def download(self, url: str, *, seconds: float) -> AsyncIterator[AsyncIterator[bytes]]:
        """Yield the content that a GET answers, in pieces.

        Redirects are followed, and each is checked like the first address. The time limit includes
        the reading of the pieces.

        Raises:
            NotReached: the address may not be called, or its answer is no success.
        """
        try:
            async with asyncio.timeout(seconds):
                for _ in range(MOST_REDIRECTS + 1):
                    is_encrypted = check_url(url) == HTTPS
                    async with (
                        self.calls.under_way(url),
                        self._opened().get(url, is_encrypted=is_encrypted) as answer,
                    ):
                        if answer.status == DONE:
                            _check_encoding(answer.headers.get("Content-Encoding", IDENTITY))
                            yield answer.content.iter_chunked(PIECE_BYTES)
                            return
                        url = _next(url, answer.status, answer.headers.get("Location"))
        except TimeoutError:
            raise NoAnswerInTime(seconds) from None
        raise NotReached(f"There are more than {MOST_REDIRECTS} redirects.")

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], *, seconds: float
    ) -> Response:
        """Return the answer to a POST, whatever its status is; redirects are not followed.

        It is like `post_once`, but a call over a connection that was kept open and turns out to be
        closed is made again over a new one, within the same time limit. The server may have taken
        the first one: so this is only for calls that are idempotent.

        Raises:
            NotReached: the address may not be called, or it did not answer in time, or not whole.
        """
        try:
            async with asyncio.timeout(seconds):
                with suppress(ConnectionLost):
                    return await self.post_once(url, body, headers, seconds=seconds, keeps=True)
                return await self.post_once(url, body, headers, seconds=seconds, keeps=False)
        except TimeoutError:
            raise NoAnswerInTime(seconds) from None

    async def post_once(
        self, url: str, body: bytes, headers: Mapping[str, str], *, seconds: float, keeps: bool
    ) -> Response:
        """Return the answer to one POST, whatever its status is; redirects are not followed.

        The time limit includes the look-up of the name, the connection, and the answer. At most
        the first 64 KB of the answer are read. With `keeps` a connection that was kept open may be
        used.

        Raises:
            ConnectionLost: the kept connection broke: perhaps the server closed it before the call.
            NotReached: the address may not be called, or it did not answer in time, or not whole.
        """
        is_encrypted = check_url(url) == HTTPS
        try:
            async with asyncio.timeout(seconds), self.calls.under_way(url):
                return await self._opened().post(
                    url, body, headers, is_encrypted=is_encrypted, keeps=keeps
                )
        except TimeoutError:
            raise NoAnswerInTime(seconds) from None

    async def post_all(
        self,
        url: str,
        requests: "Sequence[Post]",
        fields: "Fields",
        *,
        owner: str = "",
        seconds: float,
    ) -> "list[Outcome]":
        """Make POSTs over HTTP/2 to the server of a URL; return the outcomes in the same order.

        An outcome is an answer, whatever its status is, or why there is none. `fields` are header
        fields that all requests have. Calls of different owners share no connection. The time
        limit is for each request, from when it is sent.

        Raises:
            NotReached: the URL is not that of a server that may be called, or the client is closed.
        """
        check_url(url)
        return await self._opened_http2().post_all(
            url, requests, fields, owner=owner, seconds=seconds
        )

    def call_for(self, app_id: str) -> None:
        """Say for which app the current task, and those that it starts, make calls."""
        APP.set(app_id)

    def check_stored(self, url: str) -> None:
        """Check a URL that is stored to be called later, by its spelling alone.

        Raises:
            NotReached: it is no URL that may be called.
        """
        check_spelling(url, check_url(url), self._rule)

    @property
    def tls(self) -> ssl.SSLContext:
        """Return the context with which certificates are verified."""
        return self._tls

    async def connect(self, host: str, port: int, *, is_encrypted: bool) -> socket.socket:
        """Return a connected socket for a protocol that is not HTTP.

        TLS, if it is promised, is up to the caller, and so is a time limit.

        Raises:
            NotReached: the address may not be called, or does not answer.
        """
        return await self._dialer().connect(host, port, is_encrypted=is_encrypted)

    async def close(self) -> None:
        """Close the connections."""
        if self._sessions is not None:
            await self._sessions.close()
        if self._http2 is not None:
            await self._http2.close()

    def _opened(self) -> "Sessions":
        if self._sessions is None:
            # Its library takes 0.2 s to load, and most nodes and all commands never use it.
            from hubbub.outbound.sessions import Sessions  # noqa: PLC0415

            self._sessions = Sessions(self._rule, self._tls, self._resolver())
        return self._sessions

    def _opened_http2(self) -> "Http2Client":
        if self._http2 is None:
            from hubbub.outbound.http2.client import Http2Client  # noqa: PLC0415

            # A context of its own: servers are told in the handshake that HTTP/2 is meant.
            self._http2 = Http2Client(self._dialer(), _make_context(self._authorities))
        return self._http2

    def _dialer(self) -> "Dialer":
        from hubbub.outbound.dial import Dialer  # noqa: PLC0415  # loads aiohttp

        return Dialer(self._rule, self._resolver())

    def _resolver(self) -> "Resolver":
        """Return what looks up all names: its threads are shared by all calls."""
        if self._names is None:
            from hubbub.outbound.names import Resolver  # noqa: PLC0415  # loads aiohttp

            self._names = Resolver()
        return self._names


def check_url(url: str) -> str:
    """Return the scheme of a URL, if its spelling is that of an address that may be called.

    Raises:
        NotReached: it is not.
    """
    try:
        parts = urlsplit(url)
        is_whole = bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise NotReached("The URL is not valid.") from None
    if parts.scheme not in {HTTP, HTTPS} or not is_whole:
        raise NotReached("The URL must begin with https:// and a host.")
    if "@" in parts.netloc:
        raise NotReached("The URL must not have a user name or password.")
    return parts.scheme


def _next(url: str, status: int, location: str | None) -> str:
    """Return where an answer that has not the content redirects to."""
    if status not in REDIRECTS or location is None:
        raise NotReached(f"The server answered with the status {status}.")
    try:
        return urljoin(url, location)
    except ValueError:
        raise NotReached("The URL of a redirect is not valid.") from None


def _check_encoding(encoding: str) -> None:
    if encoding.strip().lower() != IDENTITY:
        raise NotReached(
            f"The server sends the encoding {encoding[:40]!r}, which was not asked for."
        )


def _make_context(authorities: str) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if authorities:
        _trust(context, authorities)
    return context


def _trust(context: ssl.SSLContext, authorities: str) -> None:
    try:
        context.load_verify_locations(authorities)
    except (OSError, ssl.SSLError) as failure:
        raise BadSetting(f"HUBBUB_OUTBOUND_CA: {authorities} can't be used: {failure}.") from None

"""A request before its parts are decoded: method, path, headers and body, within their limits."""

import asyncio
import re
from collections.abc import AsyncIterator, Coroutine, Mapping
from typing import Any
from urllib.parse import unquote

from hubbub.domain.access.rates import Allowance
from hubbub.http.operation import Operation
from hubbub.kernel.errors import BadInput, TooLarge

LARGEST_HEADERS = 32 * 1024
HEADERS_TOO_LARGE = f"The headers of a request may have at most {LARGEST_HEADERS:,} bytes."
Body = bytes | AsyncIterator[bytes]
_ENCODED_SLASH = re.compile("%2[fF]")
_HOST = re.compile(rb"[A-Za-z0-9._~%:\[\]-]*")


class BodyIncomplete(BadInput):
    """The connection ended in the middle of a request, so that no client reads the answer."""

    def __init__(self) -> None:
        super().__init__("The body of the request ended too early.")


class Request:
    """A request, and what its dispatch finds out for its log line and its answer."""

    __slots__ = (
        "allowance",
        "app_id",
        "body",
        "client",
        "header_bytes",
        "headers",
        "host_fault",
        "id",
        "ignored",
        "is_counted",
        "is_interrupted",
        "is_secure",
        "method",
        "operation",
        "path",
        "query",
        "waiting",
    )

    def __init__(
        self,
        method: str,
        path: bytes,
        query: bytes,
        headers: Mapping[bytes, bytes],
        *,
        header_bytes: int,
        client: str,
        is_secure: bool,
        body: Body = b"",
    ) -> None:
        self.method = method
        self.path = path
        """As sent, percent-encoded."""
        self.query = query
        self.headers = headers
        """By lower-case name; of several with one name the last."""
        self.header_bytes = header_bytes
        """The size of all headers, names included."""
        self.client = client
        """The IP address of the other end of the connection; empty for a Unix socket."""
        self.is_secure = is_secure
        """Whether it came over TLS to this node."""
        self.body = body
        """Whole if it is small, else in pieces while it arrives."""
        self.host_fault = ""
        """What is wrong with its header Host; empty if nothing is."""
        self.id = ""
        self.ignored: list[str] = []
        """The names of its query and body that the operation does not have."""
        self.operation: Operation | None = None
        self.app_id: str | None = None
        self.allowance: Allowance | None = None
        """What is left of the limit of calls that it counted towards."""
        self.is_counted = False
        """Whether it was counted before it was made: it comes from a socket."""
        self.is_interrupted = False
        self.waiting: asyncio.Task[bool] | None = None
        """What its operation waits for."""

    def header(self, name: bytes) -> str | None:
        """Return the text of a header by its lower-case name."""
        value = self.headers.get(name)
        return None if value is None else value.decode("latin-1")

    @property
    def media_type(self) -> bytes:
        """Return the media type of the body, without parameters and in lower case."""
        return self.headers.get(b"content-type", b"").partition(b";")[0].strip().lower()

    @property
    def is_form(self) -> bool:
        """Return whether the body is a form with files."""
        return self.media_type == b"multipart/form-data"

    @property
    def content_length(self) -> int | None:
        """Return the announced length of the body; None if it is sent in chunks."""
        announced = self.headers.get(b"content-length")
        return int(announced) if announced else None

    async def wait_for(self, waiting: Coroutine[Any, Any, bool]) -> bool:
        """Return the outcome of a wait, which is False if it is interrupted."""
        if self.is_interrupted:
            waiting.close()
            return False
        task = self.waiting = asyncio.ensure_future(waiting)
        try:
            await asyncio.wait([task])
        finally:
            task.cancel()
            self.waiting = None
        return not task.cancelled() and task.result()

    def interrupt(self) -> None:
        """End the wait of its operation, now or later: the client leaves, or the node stops."""
        self.is_interrupted = True
        if self.waiting is not None:
            self.waiting.cancel()

    async def pieces_up_to(self, largest: int) -> AsyncIterator[bytes]:
        """Yield the body in pieces, of at most `largest` bytes in all.

        Raises:
            TooLarge: it has more bytes.
            BodyIncomplete: the connection ended before its end.
        """
        if (self.content_length or 0) > largest:
            raise _too_large(largest)
        read = 0
        async for piece in self.pieces():
            read += len(piece)
            if read > largest:
                raise _too_large(largest)
            yield piece

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield the body in pieces.

        Raises:
            BodyIncomplete: the connection ended before its end.
        """
        if isinstance(self.body, bytes):
            yield self.body
            return
        async for piece in self.body:
            yield piece


def _too_large(largest: int) -> TooLarge:
    return TooLarge(f"The body of this request may have at most {largest:,} bytes.")


def decode_path(path: bytes) -> str:
    """Return a path for people: decoded, except for encoded slashes."""
    pieces = _ENCODED_SLASH.split(path.decode("latin-1"))
    return "%2F".join(map(unquote, pieces)).removesuffix("/") or "/"


def find_host_fault(count: int, host: bytes, version: str) -> str:
    """Return what is wrong with the headers Host of a request (RFC 9112, 3.2); empty if nothing is.

    `host` is the last of `count` headers.
    """
    if count > 1:
        return "There must be one header Host, not several."
    if count == 0 and version != "1.0":
        return "The header Host is required."
    if not _HOST.fullmatch(host):
        return "The header Host must be a host name or an address, with a port if need be."
    return ""


def host_of(host: bytes, port: int | None) -> bytes:
    """Return the host of an absolute target as a header has it."""
    host = b"[%b]" % host if b":" in host else host
    return host if port is None else b"%b:%d" % (host, port)

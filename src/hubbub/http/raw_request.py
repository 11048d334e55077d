"""The path, the headers and the body of a request before they are decoded, within their limits."""

import re
from collections.abc import Callable, Iterable
from urllib.parse import unquote

import falcon.asgi

from hubbub.kernel.errors import BadInput, TooLarge

LARGEST_HEADERS = 32 * 1024
HEADERS_TOO_LARGE = f"The headers of a request may have at most {LARGEST_HEADERS:,} bytes."
CHUNK = 64 * 1024
SLASH = "\udc2f"
"""Stands for an encoded slash inside a part of a path: a surrogate, which no decoded text has."""
_ENCODED_SLASH = re.compile("%2[fF]")

Header = Callable[[str], str | None]
"""Returns the value of a header by its lower-case name."""


class BodyIncomplete(BadInput):
    """The connection ended in the middle of a request, so that no client reads the answer."""

    def __init__(self) -> None:
        super().__init__("The body of the request ended too early.")


def index_headers(headers: Iterable[tuple[bytes, bytes]]) -> Header:
    """Return a function that finds headers by name; of several with one name the last wins."""
    by_name = dict(headers)

    def header(name: str) -> str | None:
        value = by_name.get(name.encode())
        return None if value is None else value.decode("latin-1")

    return header


def decode_path(raw: bytes) -> str:
    """Decode a path so that encoded slashes stay inside its parts, as `SLASH`."""
    pieces = _ENCODED_SLASH.split(raw.decode("latin-1"))
    path = SLASH.join(unquote(piece) for piece in pieces)
    return path.removesuffix("/") or "/"


async def read_body(req: falcon.asgi.Request, largest: int) -> bytes:
    """Return the body; at most `largest` bytes of it are held in memory.

    Raises:
        TooLarge: it has more bytes.
        BodyIncomplete: the connection ended before the announced length.
    """
    length = req.content_length
    if length is not None and length > largest:
        raise _too_large(largest)
    if length is not None:
        raw: bytes = await req.stream.read()
        if len(raw) < length:
            raise BodyIncomplete
        return raw
    chunks = bytearray()
    while chunk := await req.stream.read(CHUNK):
        chunks += chunk
        if len(chunks) > largest:
            raise _too_large(largest)
    return bytes(chunks)


def _too_large(largest: int) -> TooLarge:
    return TooLarge(f"The body of this request may have at most {largest:,} bytes.")

"""An answer: its status, headers and body, and the bytes of its head."""

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from typing import Any, Protocol

JSON = "application/json"
WITHOUT_BODY = (101, 204, 304)
_STATUS_LINES = {each.value: f"HTTP/1.1 {each.value} {each.phrase}\r\n" for each in HTTPStatus}


class Upgraded(Protocol):
    """What a connection is after an answer 101: it speaks another protocol from then on."""

    def take_over(
        self, transport: asyncio.Transport, received: bytes, connections: set[Any]
    ) -> None:
        """Go on with a connection; `received` came after the head of the request.

        It is one of the server's `connections` until it ends.
        """
        ...


class Answer:
    """An answer to a request; its body is whole, or comes in pieces of `length` bytes in all."""

    __slots__ = (
        "body",
        "content_type",
        "error",
        "headers",
        "length",
        "pieces",
        "status",
        "upgraded",
    )

    def __init__(
        self, body: bytes = b"", *, status: int = 200, content_type: str = JSON, error: str = ""
    ) -> None:
        self.status = status
        self.content_type = content_type
        self.body = body
        self.length = len(body)
        self.pieces: AsyncGenerator[bytes, None] | None = None
        self.upgraded: Upgraded | None = None
        """Takes the connection over, if the status is 101."""
        self.headers: dict[str, str] = {}
        """Further headers, by lower-case name."""
        self.error = error
        """The code of the error, for the log."""

    def set_header(self, name: str, text: str) -> None:
        """Set a header.

        Raises:
            ValueError: the text can't be sent, such as one with a line break.
        """
        if not (text.isascii() and text.isprintable()):
            raise ValueError(f"The header {name} can't be {text!r}.")
        self.headers[name.lower()] = text

    async def whole_body(self) -> bytes:
        """Return the body in one, for what sends no pieces."""
        if self.pieces is None:
            return self.body
        return b"".join([piece async for piece in self.pieces])

    def encode_head(self, *, is_last: bool) -> bytes:
        """Return everything before the body; the last answer closes its connection."""
        head = f"{_STATUS_LINES[self.status]}date: {_format_date(int(time.time()))}\r\n"
        if self.status not in WITHOUT_BODY:
            head += f"content-type: {self.content_type}\r\ncontent-length: {self.length}\r\n"
        for name, text in self.headers.items():
            head += f"{name}: {text}\r\n"
        return (head + ("connection: close\r\n\r\n" if is_last else "\r\n")).encode("latin-1")


def answer_in_parts(parts: Sequence[bytes]) -> Answer:
    """Return an answer whose body consists of parts."""
    answer = Answer()
    answer.length = sum(map(len, parts))
    answer.pieces = _each(parts)
    return answer


async def _each(parts: Sequence[bytes]) -> AsyncGenerator[bytes, None]:
    for part in parts:
        yield part


@lru_cache(maxsize=1)
def _format_date(now: int) -> str:
    return formatdate(now, usegmt=True)

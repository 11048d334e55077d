"""Content that is the same for all readers: compressed, and sent once to who keeps it."""

import asyncio
import gzip
import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hubbub.http.answer import Answer
from hubbub.http.request import Request

_TAG = re.compile(r'"[^"]*"')
CHECKED = "no-cache"
"""Kept by browsers, which ask before each use whether it has changed."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """The bytes of one encoding, and their entity tag."""

    body: bytes
    etag: str
    encoding: str = ""


class CompressedContent:
    """The endpoint of content, which is made and compressed when it is first asked for.

    That takes up to a second, in a thread beside the event loop.
    """

    def __init__(
        self, content_type: str, make: Callable[[], bytes], *, headers: dict[str, str]
    ) -> None:
        self._content_type = content_type
        self._make = make
        self._headers = {**headers, "Cache-Control": CHECKED, "Vary": "Accept-Encoding"}
        self._making = asyncio.Lock()
        self._made: tuple[Encoded, Encoded] | None = None
        """The content as it is, and compressed."""

    async def prepare(self) -> None:
        """Make the content before somebody asks for it."""
        await self._encodings()

    async def _encodings(self) -> tuple[Encoded, Encoded]:
        async with self._making:
            if self._made is None:
                self._made = await asyncio.to_thread(self._encode)
            return self._made

    def _encode(self) -> tuple[Encoded, Encoded]:
        plain = self._make()
        packed = gzip.compress(plain, 9, mtime=0)
        return Encoded(plain, _etag(plain)), Encoded(packed, _etag(packed), "gzip")

    async def __call__(self, request: Request, values: Sequence[str]) -> Answer:
        """Answer with the content, or with 304 if the reader has it."""
        plain, packed = await self._encodings()
        encoded = packed if accepts_gzip(request.header(b"accept-encoding") or "") else plain
        known = _TAG.findall(request.header(b"if-none-match") or "")
        if encoded.etag in known:
            answer = Answer(status=304)
        else:
            answer = Answer(encoded.body, content_type=self._content_type)
            if encoded.encoding:
                answer.set_header("Content-Encoding", encoded.encoding)
        for name, text in {**self._headers, "ETag": encoded.etag}.items():
            answer.set_header(name, text)
        return answer


def accepts_gzip(accepted: str) -> bool:
    """Return whether a header Accept-Encoding names gzip, with a weight above 0 (RFC 9110)."""
    for each in accepted.split(","):
        coding, _, weight = (part.strip().lower() for part in each.partition(";"))
        if coding in {"gzip", "x-gzip"}:
            return weight.removeprefix("q=").strip("0.") != "" or not weight
    return False


def _etag(body: bytes) -> str:
    return f'"{hashlib.sha256(body).hexdigest()[:32]}"'

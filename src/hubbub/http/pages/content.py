"""Content that is the same for all readers: compressed, and sent once to who keeps it."""

import gzip
import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from hubbub.http.answer import Answer
from hubbub.http.request import Request

_TAG = re.compile(r'"[^"]*"')
CHECKED = "no-cache"
"""Kept by browsers, which ask before each use whether it has changed."""
FIXED = "public, max-age=31536000, immutable"
"""Kept by browsers for a year without asking: the path changes with the content."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """The bytes of one encoding, and their entity tag."""

    body: bytes
    etag: str
    encoding: str = ""


class Content:
    """The endpoint of content, which is made and compressed when it is first asked for.

    What `make` returns is already compressed if `is_packed`.
    """

    def __init__(
        self,
        content_type: str,
        make: Callable[[], bytes],
        *,
        headers: dict[str, str],
        caching: str = CHECKED,
        is_packed: bool = False,
    ) -> None:
        self._content_type = content_type
        self._make = make
        self._is_packed = is_packed
        self._headers = {**headers, "Cache-Control": caching, "Vary": "Accept-Encoding"}

    @cached_property
    def _compressed(self) -> Encoded:
        made = self._make() if self._is_packed else gzip.compress(self._plain.body, 9, mtime=0)
        return Encoded(made, _etag(made), "gzip")

    @cached_property
    def _plain(self) -> Encoded:
        made = gzip.decompress(self._compressed.body) if self._is_packed else self._make()
        return Encoded(made, _etag(made))

    async def __call__(self, request: Request, values: Sequence[str]) -> Answer:
        """Answer with the content, or with 304 if the reader has it."""
        is_packed = accepts_gzip(request.header(b"accept-encoding") or "")
        encoded = self._compressed if is_packed else self._plain
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

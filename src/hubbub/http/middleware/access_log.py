"""One JSON line per request, buffered for a moment and written together.

A line holds no secret: no headers, no query, no body; and the name of the operation instead of the
path, which may contain a key or a token.
"""

import asyncio
import atexit
import sys
from typing import IO

import msgspec

_encode = msgspec.json.Encoder().encode
WRITE_AFTER_SECONDS = 0.1


class AccessLog:
    """Buffers lines and writes them to `stream` a few times a second."""

    def __init__(self, stream: IO[str] | None = None) -> None:
        self._stream = stream if stream is not None else sys.stderr
        self._lines: list[bytes] = []
        atexit.register(self.write)  # lines still buffered at the end

    def add(self, line: dict[str, object]) -> None:
        """Add a line; it is written soon."""
        if not self._lines:
            asyncio.get_running_loop().call_later(WRITE_AFTER_SECONDS, self.write)
        self._lines.append(_encode(line))

    def write(self) -> None:
        """Write the buffered lines."""
        if self._lines:
            self._stream.write(b"\n".join(self._lines).decode() + "\n")
            self._stream.flush()
            self._lines.clear()

"""One structured line per request, gathered for a moment and written together.

It holds no secret: no header but the request id, no query, no body; ids in paths that are secrets
(keys, tokens) are written as the path's name.
"""

import asyncio
import atexit
import sys
from typing import IO

import msgspec

_encode = msgspec.json.Encoder().encode
WRITE_AFTER_SECONDS = 0.1


class AccessLog:
    """Collects lines and writes them to `stream` a few times a second."""

    def __init__(self, stream: IO[str] | None = None) -> None:
        self._stream = stream if stream is not None else sys.stderr
        self._lines: list[bytes] = []
        atexit.register(self.write)  # what the end of the process would cut off

    def add(self, line: dict[str, object]) -> None:
        """Have `line` written soon."""
        if not self._lines:
            asyncio.get_running_loop().call_later(WRITE_AFTER_SECONDS, self.write)
        self._lines.append(_encode(line))

    def write(self) -> None:
        """Write what was collected."""
        if self._lines:
            self._stream.write(b"\n".join(self._lines).decode() + "\n")
            self._stream.flush()
            self._lines.clear()

"""The access log: one line of JSON per request, on the standard error output."""

import asyncio
import atexit
import sys
from datetime import UTC, datetime
from typing import BinaryIO

import msgspec

from hubbub.http.answer import Answer
from hubbub.http.request import Request

WRITE_AFTER_SECONDS = 0.1
_encoder = msgspec.json.Encoder()


class AccessLine(msgspec.Struct):
    """A line of the log.

    It holds no secret: no headers, no query, no body; and the name of the operation instead of the
    path, which may contain a key or a token.
    """

    event: str
    timestamp: datetime
    request_id: str
    app: str | None
    method: str
    operation: str | None
    status: int
    error: str | None
    ms: float


class AccessLog:
    """Buffers lines and writes them to `stream` a few times a second."""

    def __init__(self, stream: BinaryIO | None = None) -> None:
        self._stream = stream if stream is not None else sys.stderr.buffer
        self._lines: list[AccessLine] = []
        atexit.register(self.write)  # lines still buffered at the end

    def add(self, request: Request, answer: Answer, seconds: float) -> None:
        """Add the line of a request, which is written soon."""
        if not self._lines:
            asyncio.get_running_loop().call_later(WRITE_AFTER_SECONDS, self.write)
        operation = request.operation
        self._lines.append(
            AccessLine(
                "request",
                datetime.now(UTC),
                request.id,
                request.app_id,
                request.method,
                operation.name if operation is not None else None,
                answer.status,
                answer.error or None,
                round(seconds * 1000, 3),
            )
        )

    def write(self) -> None:
        """Write the buffered lines."""
        if self._lines:
            self._stream.write(_encoder.encode_lines(self._lines))
            self._stream.flush()
            self._lines.clear()

"""The queue of messages that wait to be sent: bounded, so that a slow bus costs no memory."""

import asyncio
from collections import deque

import structlog

log = structlog.get_logger()

MOST_MESSAGES = 10_000
MOST_BYTES = 16 * 1024 * 1024


class OutgoingMessages:
    """Messages with their subjects, in order."""

    def __init__(self) -> None:
        self._messages: deque[tuple[str, bytes]] = deque()
        self._bytes = 0
        self._is_overflowing = False
        self._filled = asyncio.Event()
        self._emptied = asyncio.Event()
        self._emptied.set()

    def put(self, subject: str, message: bytes) -> None:
        """Append a message, or drop it if too much is waiting; the log says so once."""
        if len(self._messages) >= MOST_MESSAGES or self._bytes + len(message) > MOST_BYTES:
            self._note_overflow()
            return
        self._messages.append((subject, message))
        self._bytes += len(message)
        self._filled.set()
        self._emptied.clear()

    async def take(self) -> tuple[str, bytes]:
        """Remove and return the oldest message; wait until there is one."""
        while not self._messages:
            await self._filled.wait()
        subject, message = self._messages.popleft()
        self._bytes -= len(message)
        if not self._messages:
            self._note_empty()
        return subject, message

    async def wait_empty(self) -> None:
        """Wait until nothing is waiting."""
        await self._emptied.wait()

    def clear(self) -> None:
        """Drop everything."""
        self._messages.clear()
        self._bytes = 0
        self._note_empty()

    def _note_empty(self) -> None:
        self._is_overflowing = False
        self._filled.clear()
        self._emptied.set()

    def _note_overflow(self) -> None:
        if not self._is_overflowing:
            log.warning("bus_overflowed", waiting=len(self._messages))
        self._is_overflowing = True

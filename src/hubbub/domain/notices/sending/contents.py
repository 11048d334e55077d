"""What a bundle holds, as parts that a provider answers one by one."""

from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from hubbub.providers.interface import Result
from hubbub.records.notices.model import About
from hubbub.records.notifications.logs import LogEntry
from hubbub.records.notifications.reasons import Reason


class Part(Protocol):
    """What is sent to one device, address or number."""

    @property
    def about(self) -> About:
        """Return the event that it is about."""
        ...

    @property
    def uid(self) -> str:
        """Return whom it is for."""
        ...

    @property
    def expires_at(self) -> int:
        """Return when it is worth nothing any more, in seconds."""
        ...

    def entry(self, result: Result, began_ms: int, now_ms: int) -> LogEntry:
        """Return the log's entry of an answer."""
        ...

    def suppressed(self, reason: Reason, now_ms: int) -> LogEntry:
        """Return the log's entry if nothing is sent."""
        ...


class Content(Protocol):
    """The content of a bundle."""

    @property
    def parts(self) -> Sequence[Part]:
        """Return its parts."""
        ...

    def narrow(self, parts: Sequence[Any]) -> msgspec.Struct:
        """Return what is stored of some of its parts."""
        ...

    async def send(self, parts: Sequence[Any]) -> Sequence[Result]:
        """Have the provider send parts, and return its answers in the same order."""
        ...

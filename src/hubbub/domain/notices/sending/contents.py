"""What is sent of a bundle, as parts that a provider answers one by one."""

from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from hubbub.providers.interface import Result
from hubbub.records.notifications.logs import LogEntry


class Part(Protocol):
    """What is sent to one device, address or number."""

    def entry(self, result: Result, began_ms: int, now_ms: int) -> LogEntry:
        """Return the log's entry of an answer."""
        ...


class Content(Protocol):
    """The content of a bundle, with a verdict on each of its parts."""

    @property
    def parts(self) -> Sequence[Part]:
        """Return the parts that are to be sent."""
        ...

    @property
    def dropped(self) -> Sequence[LogEntry]:
        """Return the log's entries of the others."""
        ...

    def narrow(self, parts: Sequence[Any]) -> msgspec.Struct:
        """Return what is stored of some of its parts."""
        ...

    async def send(self) -> Sequence[Result]:
        """Have the provider send the parts, and return its answers in the same order."""
        ...

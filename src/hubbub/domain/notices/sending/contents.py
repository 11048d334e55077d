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

    @property
    def log_id(self) -> str:
        """Return the id of the log's entry that says that it waits; empty if there is none."""
        ...

    def waiting(self, log_id: str) -> Any:
        """Return the part with the id of the log's entry that says that it waits."""
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

    @property
    def log_ids(self) -> set[str]:
        """Return the ids of the log's entries that say that some of it waits."""
        ...

    def narrow(self, parts: Sequence[Any]) -> msgspec.Struct:
        """Return what is stored of some of its parts."""
        ...

    async def send(self) -> Sequence[Result]:
        """Have the provider send the parts, and return its answers in the same order."""
        ...

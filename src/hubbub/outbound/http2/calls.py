"""Requests that are made together, and their outcomes."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from hubbub.outbound.answer import Response
from hubbub.outbound.errors import NotReached
from hubbub.outbound.http2.headers import Fields

Outcome = Response | NotReached
"""An answer, or why there is none: then the request may have been processed or not."""


class Post(msgspec.Struct, frozen=True):
    """A POST; `fields` are header fields that no other request has."""

    path: bytes
    fields: Fields
    body: bytes


class RequestBatch:
    """Requests that are made together, with the header fields that all have."""

    def __init__(self, requests: Sequence[Post], common: Fields) -> None:
        self.requests = requests
        self.common = common
        self.outcomes: list[Outcome | None] = [None] * len(requests)
        self.left = len(requests)
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def set(self, index: int, outcome: Outcome) -> None:
        """Set the outcome of a request; the last one makes the batch done."""
        self.outcomes[index] = outcome
        self.left -= 1
        if not self.left and not self.done.done():
            self.done.set_result(None)

    async def wait(self) -> list[Outcome]:
        """Return the outcomes, in the order of the requests, when all are known."""
        if self.requests:
            await self.done
        return [outcome for outcome in self.outcomes if outcome is not None]


@dataclass(slots=True, eq=False)
class PendingRequest:
    """One request of a batch, on its way."""

    batch: RequestBatch
    index: int
    tries: int = 0

    def end(self, outcome: Outcome) -> None:
        """Set the outcome."""
        self.batch.set(self.index, outcome)

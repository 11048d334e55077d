"""A hot operation called by itself, for a call that must be a transaction of its own."""

from collections.abc import Sequence
from typing import Generic, TypeVar

from hubbub.kernel.errors import Refusal
from hubbub.storage.collector import HotOperation
from hubbub.storage.interface import Database, Transaction

Draft = TypeVar("Draft")
Outcome = TypeVar("Outcome")


class Alone(Generic[Draft, Outcome]):
    """Asked as a `Collector` is, it gathers nothing: each call is a write."""

    def __init__(self, database: Database, operation: HotOperation[Draft, Outcome]) -> None:
        self._database = database
        self._operation = operation

    async def call(self, app_id: str, draft: Draft) -> Outcome:
        """The outcome of one draft.

        Raises:
            Refusal: the operation refused it, and nothing was written.
        """

        async def within(tx: Transaction) -> Outcome:
            [outcome] = await self._operation(tx, [draft])
            if isinstance(outcome, Refusal):
                raise outcome
            return outcome

        return await self._database.write(app_id, within)

    async def call_all(self, app_id: str, drafts: Sequence[Draft]) -> list[Outcome | Refusal]:
        """The outcome or refusal of each draft, in order."""

        async def within(tx: Transaction) -> list[Outcome | Refusal]:
            return list(await self._operation(tx, drafts))

        return await self._database.write(app_id, within)

    async def drain(self) -> None:
        """Nothing: none of its calls outlasts its caller."""

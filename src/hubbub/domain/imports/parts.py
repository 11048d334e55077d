"""Imports in parts: while other apps ask for something, they have turns after each few rows.

An app that is alone stores all rows of a call in one transaction, which is faster.
"""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TypeVar

from hubbub.domain.groups.create import create_groups
from hubbub.domain.imports.outcome import ImportOutcome
from hubbub.domain.parts import parts_of, write_in_parts
from hubbub.domain.users.create import create_users
from hubbub.kernel.errors import Unavailable
from hubbub.records.groups.model import GroupDraft
from hubbub.records.groups.store import find_groups
from hubbub.records.users.model import UserDraft
from hubbub.records.users.store import find_users
from hubbub.runtime import Runtime
from hubbub.storage.interface import Operation, Transaction

Row = TypeVar("Row")
Item = TypeVar("Item")
Outcomes = list[ImportOutcome[Item]]
Store = Callable[[Sequence[Row], Transaction], Awaitable[Outcomes[Item]]]

AT_ONCE = 10
"""So many rows are stored in one transaction on PostgreSQL while other apps ask for something."""
BETWEEN_LOOKS = 5
"""On SQLite, a transaction ends after so many rows if others wait for it."""


class NotAllImported(Unavailable):
    """Some rows are stored; the import can be made again."""

    def __init__(self) -> None:
        super().__init__(
            "Not all of the rows could be stored. Make the import again with onConflict=skip:"
            " it stores the others."
        )


async def import_in_parts(
    runtime: Runtime,
    app_id: str,
    rows: Sequence[Row],
    store: Store[Row, Item],
    *,
    now: int,
    users: Sequence[UserDraft] = (),
    groups: Sequence[GroupDraft] = (),
    is_optimistic: bool = False,
) -> Outcomes[Item]:
    """Create what does not exist yet of `users` and `groups`, then store rows, all in order.

    Raises:
        NotAllImported: some rows were stored, then the others could not be.
    """
    is_alone = runtime.rests.is_alone(app_id)
    size = AT_ONCE if runtime.database.is_shared else BETWEEN_LOOKS
    if is_alone:
        size = max(1, len(rows), len(users), len(groups))
    parts: list[Operation[Outcomes[Item]]] = [
        *(partial(_create_users, some, now) for some in parts_of(users, size)),
        *(partial(_create_groups, some, now) for some in parts_of(groups, size)),
        *(partial(store, some) for some in parts_of(rows, size)),
    ]
    if is_alone or not parts:
        parts = [partial(_do_all, parts)]
    outcomes: Outcomes[Item] = []
    async for some in write_in_parts(
        runtime, app_id, parts, unfinished=NotAllImported, is_optimistic=is_optimistic
    ):
        outcomes += some
    return outcomes


async def _create_users(drafts: Sequence[UserDraft], now: int, tx: Transaction) -> Outcomes[Item]:
    await create_missing_users(tx, drafts, now)
    return []


async def _create_groups(drafts: Sequence[GroupDraft], now: int, tx: Transaction) -> Outcomes[Item]:
    await create_missing_groups(tx, drafts, now)
    return []


async def _do_all(parts: Sequence[Operation[Outcomes[Item]]], tx: Transaction) -> Outcomes[Item]:
    return [outcome for part in parts for outcome in await part(tx)]


async def create_missing_users(tx: Transaction, details: Sequence[UserDraft], now: int) -> None:
    """Create the users that don't exist; the row of a refused one fails with "not found"."""
    if not details:
        return
    wanted = {draft.uid: draft for draft in details}
    stored = await find_users(tx, wanted)
    await create_users(tx, [draft for uid, draft in wanted.items() if uid not in stored], now)


async def create_missing_groups(tx: Transaction, details: Sequence[GroupDraft], now: int) -> None:
    """Create the groups that don't exist; the row of a refused one fails with "not found"."""
    if not details:
        return
    wanted = {draft.guid: draft for draft in details}
    stored = await find_groups(tx, wanted)
    missing = [draft for guid, draft in wanted.items() if guid not in stored]
    await create_groups(tx, missing, now, is_import=True)

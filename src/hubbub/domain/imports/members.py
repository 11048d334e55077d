"""Import the members of groups."""

from collections.abc import Sequence
from dataclasses import dataclass

from hubbub.domain.groups import store
from hubbub.domain.groups.enter import Entry, enter_members
from hubbub.domain.groups.model import AlreadyBanned, AlreadyJoined, Member
from hubbub.domain.imports.details import create_missing_groups, create_missing_users
from hubbub.domain.imports.groups import GroupRow, hash_passwords, owners_of
from hubbub.domain.imports.outcome import OnConflict, Row, row_of
from hubbub.domain.users.model import UserDraft
from hubbub.kernel.errors import Refusal
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


@dataclass(frozen=True, slots=True)
class MemberRow:
    """A membership to be, and what it joins, should that not exist."""

    entry: Entry
    user_details: UserDraft | None = None
    group_details: GroupRow | None = None


async def import_members(
    runtime: Runtime, app_id: str, rows: Sequence[MemberRow], on_conflict: OnConflict
) -> list[Row[Member]]:
    """Store members with their past; one row each, in order."""
    now = runtime.clock.now()
    users = [row.user_details for row in rows if row.user_details is not None]
    group_rows = [row.group_details for row in rows if row.group_details is not None]
    groups = await hash_passwords(runtime, group_rows)

    async def within(tx: Transaction) -> list[Row[Member]]:
        await create_missing_users(tx, [*users, *owners_of(group_rows)], now)
        await create_missing_groups(tx, groups, now)
        outcomes = await enter_members(tx, [row.entry for row in rows], now)
        return [
            await _settle(tx, row.entry, outcome, on_conflict)
            for row, outcome in zip(rows, outcomes, strict=True)
        ]

    return await runtime.database.write(app_id, within)


async def _settle(
    tx: Transaction, entry: Entry, outcome: Member | Refusal, on_conflict: OnConflict
) -> Row[Member]:
    is_there = isinstance(outcome, AlreadyJoined | AlreadyBanned)
    if not is_there or on_conflict is OnConflict.REFUSE:
        return row_of(outcome)
    present = await store.find_members(tx, [entry.pair])
    return Row(present.get(entry.pair, entry.member), is_skipped=True)

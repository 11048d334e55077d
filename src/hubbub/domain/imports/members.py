"""Import the members of groups."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hubbub.domain.imports.details import create_missing_groups, create_missing_users
from hubbub.domain.imports.groups import GroupRow, hash_passwords, owners_of
from hubbub.domain.imports.outcome import OnConflict, Row
from hubbub.domain.members.enter import Entered, Entry, enter_members
from hubbub.kernel.errors import Refusal
from hubbub.records.groups.store import find_groups
from hubbub.records.members.model import AlreadyBanned, AlreadyJoined
from hubbub.records.members.store import find_member
from hubbub.records.users.model import UserDraft
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
) -> list[Row[Entry]]:
    """Store members with their past; one row each, in order."""
    now = runtime.clock.now()
    users = [row.user_details for row in rows if row.user_details is not None]
    group_rows = [row.group_details for row in rows if row.group_details is not None]
    groups = await hash_passwords(runtime, group_rows)

    async def within(tx: Transaction) -> list[Row[Entry]]:
        await create_missing_users(tx, [*users, *owners_of(group_rows)], now)
        await create_missing_groups(tx, groups, now)
        outcomes = await enter_members(tx, [row.entry for row in rows], now)
        return [
            await _settle(tx, row.entry, outcome, on_conflict)
            for row, outcome in zip(rows, outcomes, strict=True)
        ]

    return await runtime.database.write(app_id, within)


async def _settle(
    tx: Transaction, entry: Entry, outcome: Entered | Refusal, on_conflict: OnConflict
) -> Row[Entry]:
    if isinstance(outcome, Entered):
        return Row(entry)
    is_there = isinstance(outcome, AlreadyJoined | AlreadyBanned)
    if not is_there or on_conflict is OnConflict.REFUSE:
        return Row(refusal=outcome)
    number = (await find_groups(tx, [entry.guid]))[entry.guid].conversation
    member = await find_member(tx, number, entry.uid)
    present = replace(entry, scope=member.scope, joined_at=member.joined_at) if member else entry
    return Row(present, is_skipped=True)

"""Import the members of groups."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hubbub.domain.imports.groups import ImportedGroup, hash_passwords, owners_of
from hubbub.domain.imports.outcome import ImportOutcome, OnConflict
from hubbub.domain.imports.parts import import_in_parts
from hubbub.domain.members.enter import Entered, Entrant, enter_members
from hubbub.kernel.errors import Refusal
from hubbub.records.groups.store import find_groups
from hubbub.records.members.model import AlreadyBanned, AlreadyJoined
from hubbub.records.members.store import find_member
from hubbub.records.users.model import UserDraft
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


@dataclass(frozen=True, slots=True)
class ImportedMember:
    """A membership to create, and its user and group if they are to be created."""

    entrant: Entrant
    user_details: UserDraft | None = None
    group_details: ImportedGroup | None = None


async def import_members(
    runtime: Runtime, app_id: str, rows: Sequence[ImportedMember], on_conflict: OnConflict
) -> list[ImportOutcome[Entrant]]:
    """Store members with their past; one outcome each, in order."""
    now = runtime.clock.now()
    users = [row.user_details for row in rows if row.user_details is not None]
    group_rows = [row.group_details for row in rows if row.group_details is not None]
    groups = await hash_passwords(runtime, app_id, group_rows)

    async def store_rows(
        some: Sequence[ImportedMember], tx: Transaction
    ) -> list[ImportOutcome[Entrant]]:
        outcomes = await enter_members(tx, [row.entrant for row in some], now)
        return [
            await _resolve_conflict(tx, row.entrant, outcome, on_conflict)
            for row, outcome in zip(some, outcomes, strict=True)
        ]

    return await import_in_parts(
        runtime,
        app_id,
        rows,
        store_rows,
        now=now,
        users=[*users, *owners_of(group_rows)],
        groups=groups,
    )


async def _resolve_conflict(
    tx: Transaction, entrant: Entrant, outcome: Entered | Refusal, on_conflict: OnConflict
) -> ImportOutcome[Entrant]:
    if isinstance(outcome, Entered):
        return ImportOutcome(entrant)
    is_conflict = isinstance(outcome, AlreadyJoined | AlreadyBanned)
    if not is_conflict or on_conflict is OnConflict.REFUSE:
        return ImportOutcome(refusal=outcome)
    conversation = (await find_groups(tx, [entrant.guid]))[entrant.guid].conversation
    member = await find_member(tx, conversation, entrant.uid)
    stored = replace(entrant, scope=member.scope, joined_at=member.joined_at) if member else entrant
    return ImportOutcome(stored, is_skipped=True)

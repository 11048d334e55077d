"""Import groups."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hubbub.domain.groups.create import create_groups
from hubbub.domain.imports.outcome import ImportOutcome, OnConflict
from hubbub.domain.imports.parts import import_in_parts
from hubbub.kernel.errors import BadInput, Refusal
from hubbub.kernel.passwords import hash_password
from hubbub.records.groups import store
from hubbub.records.groups.model import Group, GroupDraft, GuidAlreadyExists
from hubbub.records.users.model import UserDraft, check_metadata, encode_tags
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


@dataclass(frozen=True, slots=True)
class ImportedGroup:
    """A group to create, its plaintext password, and its owner if they are to be created."""

    draft: GroupDraft
    password: str | None = None
    owner_details: UserDraft | None = None


async def import_groups(
    runtime: Runtime, app_id: str, rows: Sequence[ImportedGroup], on_conflict: OnConflict
) -> list[ImportOutcome[Group]]:
    """Store groups with their past; one outcome each, in order. An owner becomes a member."""
    now = runtime.clock.now()
    drafts = await hash_passwords(runtime, app_id, rows)

    async def store_rows(some: Sequence[GroupDraft], tx: Transaction) -> list[ImportOutcome[Group]]:
        outcomes = await create_groups(tx, some, now, is_import=True)
        return [
            await _resolve_conflict(tx, draft, outcome, on_conflict, now)
            for draft, outcome in zip(some, outcomes, strict=True)
        ]

    return await import_in_parts(
        runtime, app_id, drafts, store_rows, now=now, users=owners_of(rows)
    )


def owners_of(rows: Sequence[ImportedGroup]) -> list[UserDraft]:
    """Return the owners that the rows describe."""
    return [row.owner_details for row in rows if row.owner_details is not None]


async def hash_passwords(
    runtime: Runtime, app_id: str, rows: Sequence[ImportedGroup]
) -> list[GroupDraft]:
    """Return the drafts with hashed passwords; others may take a turn after each of them."""
    return [
        await _with_hash(runtime, app_id, row.draft, row.password) if row.password else row.draft
        for row in rows
    ]


async def _with_hash(runtime: Runtime, app_id: str, draft: GroupDraft, password: str) -> GroupDraft:
    hash_ = await runtime.threads.run(app_id, lambda: hash_password(password))
    return replace(draft, password_hash=hash_)


async def _resolve_conflict(
    tx: Transaction, draft: GroupDraft, outcome: Group | Refusal, on_conflict: OnConflict, now: int
) -> ImportOutcome[Group]:
    if not isinstance(outcome, GuidAlreadyExists) or on_conflict is OnConflict.REFUSE:
        return ImportOutcome.of(outcome)
    stored = (await store.find_groups(tx, [draft.guid]))[draft.guid]
    if on_conflict is OnConflict.SKIP:
        return ImportOutcome(stored, is_skipped=True)
    return ImportOutcome.of(await update_imported_group(tx, stored, draft, now))


async def update_imported_group(
    tx: Transaction, stored: Group, draft: GroupDraft, now: int
) -> Group | Refusal:
    """Store the given fields of a row; type, password and owner stay."""
    try:
        metadata = check_metadata(draft.metadata) or stored.metadata
    except BadInput as refusal:
        return refusal
    changed = replace(
        stored,
        name=draft.name,
        icon=draft.icon or stored.icon,
        description=draft.description or stored.description,
        metadata=metadata,
        tags=encode_tags(draft.tags) if draft.tags else stored.tags,
        updated_at=now,
    )
    await store.update_group(tx, stored, changed)
    return changed

"""Import groups."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hubbub.domain.groups.create import create_groups
from hubbub.domain.imports.details import create_missing_users
from hubbub.domain.imports.outcome import OnConflict, Row, row_of
from hubbub.kernel.errors import BadInput, Refusal
from hubbub.records.groups import store
from hubbub.records.groups.model import Group, GroupDraft, GuidAlreadyExists
from hubbub.records.groups.passwords import hash_password
from hubbub.records.users.model import UserDraft, check_metadata, encode_tags
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A group to be, its password in the clear, and who its owner is, should he not exist."""

    draft: GroupDraft
    password: str | None = None
    owner_details: UserDraft | None = None


async def import_groups(
    runtime: Runtime, app_id: str, rows: Sequence[GroupRow], on_conflict: OnConflict
) -> list[Row[Group]]:
    """Store groups with their past; one row each, in order. An owner becomes a member."""
    now = runtime.clock.now()
    drafts = await hash_passwords(runtime, rows)

    async def within(tx: Transaction) -> list[Row[Group]]:
        await create_missing_users(tx, owners_of(rows), now)
        outcomes = await create_groups(tx, drafts, now)
        return [
            await _settle(tx, draft, outcome, on_conflict, now)
            for draft, outcome in zip(drafts, outcomes, strict=True)
        ]

    return await runtime.database.write(app_id, within)


def owners_of(rows: Sequence[GroupRow]) -> list[UserDraft]:
    """Who the groups' owners are, as far as the rows describe them."""
    return [row.owner_details for row in rows if row.owner_details is not None]


async def hash_passwords(runtime: Runtime, rows: Sequence[GroupRow]) -> list[GroupDraft]:
    """The drafts with their passwords hashed, on a thread for slow work."""

    def hashed() -> list[GroupDraft]:
        return [
            replace(row.draft, password_hash=hash_password(row.password))
            if row.password
            else row.draft
            for row in rows
        ]

    return await runtime.threads.run(hashed)


async def _settle(
    tx: Transaction, draft: GroupDraft, outcome: Group | Refusal, on_conflict: OnConflict, now: int
) -> Row[Group]:
    if not isinstance(outcome, GuidAlreadyExists) or on_conflict is OnConflict.REFUSE:
        return row_of(outcome)
    present = (await store.find_groups(tx, [draft.guid]))[draft.guid]
    if on_conflict is OnConflict.SKIP:
        return Row(present, is_skipped=True)
    return row_of(await _update(tx, present, draft, now))


async def _update(tx: Transaction, present: Group, draft: GroupDraft, now: int) -> Group | Refusal:
    """What the row gives replaces what is stored; type, password and owner stay."""
    try:
        metadata = check_metadata(draft.metadata) or present.metadata
    except BadInput as refusal:
        return refusal
    changed = replace(
        present,
        name=draft.name,
        icon=draft.icon or present.icon,
        description=draft.description or present.description,
        metadata=metadata,
        tags=encode_tags(draft.tags) if draft.tags else present.tags,
        updated_at=now,
    )
    await store.update_group(tx, present, changed)
    return changed

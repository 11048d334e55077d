"""Import users."""

from collections.abc import Sequence

from hubbub.domain.imports.outcome import OnConflict, Row, row_of
from hubbub.domain.users.create import create_users
from hubbub.domain.users.update import ProfileChange, apply_change
from hubbub.kernel.errors import BadInput, Refusal
from hubbub.records.roles.store import find_missing_roles
from hubbub.records.users import store
from hubbub.records.users.model import RoleUnknown, UidAlreadyExists, User, UserDraft
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


async def import_users(
    runtime: Runtime, app_id: str, drafts: Sequence[UserDraft], on_conflict: OnConflict
) -> list[Row[User]]:
    """Store users with their past; one row each, in order."""
    now = runtime.clock.now()

    async def within(tx: Transaction) -> list[Row[User]]:
        outcomes = await create_users(tx, drafts, now)
        return [
            await _settle(tx, draft, outcome, on_conflict, now)
            for draft, outcome in zip(drafts, outcomes, strict=True)
        ]

    return await runtime.database.write(app_id, within)


async def _settle(
    tx: Transaction, draft: UserDraft, outcome: User | Refusal, on_conflict: OnConflict, now: int
) -> Row[User]:
    if not isinstance(outcome, UidAlreadyExists) or on_conflict is OnConflict.REFUSE:
        return row_of(outcome)
    present = await store.find_user(tx, draft.uid)
    if present is None or present.deleted_at is not None:
        return Row(refusal=outcome)
    if on_conflict is OnConflict.SKIP:
        return Row(present, is_skipped=True)
    return row_of(await _update(tx, present, draft, now))


async def _update(tx: Transaction, present: User, draft: UserDraft, now: int) -> User | Refusal:
    if draft.role and await find_missing_roles(tx, {draft.role}):
        return RoleUnknown(draft.role)
    change = ProfileChange(
        name=draft.name,
        avatar=draft.avatar,
        link=draft.link,
        role=draft.role,
        metadata=draft.metadata,
        tags=draft.tags or None,
    )
    try:
        changed = apply_change(present, change, now)
    except BadInput as refusal:
        return refusal
    await store.update_user(tx, present, changed)
    return changed

"""Import users."""

from collections.abc import Sequence
from dataclasses import replace

import msgspec

from hubbub.domain.imports.outcome import ImportOutcome, OnConflict
from hubbub.domain.imports.parts import import_in_parts
from hubbub.domain.users.create import create_users
from hubbub.domain.users.deactivate import forget_credentials, store_deactivated
from hubbub.domain.users.update import ProfileChange, apply_change, store_profile
from hubbub.kernel.errors import BadInput, Refusal
from hubbub.records.roles.store import find_missing_roles
from hubbub.records.users import store
from hubbub.records.users.model import RoleUnknown, UidAlreadyExists, User, UserDraft
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


async def import_users(
    runtime: Runtime, app_id: str, drafts: Sequence[UserDraft], on_conflict: OnConflict
) -> list[ImportOutcome[User]]:
    """Store users with their past; one outcome each, in order."""
    now = runtime.clock.now()

    async def store_rows(some: Sequence[UserDraft], tx: Transaction) -> list[ImportOutcome[User]]:
        outcomes = await create_users(tx, some, now)
        return [
            await _resolve_conflict(tx, draft, outcome, on_conflict, now)
            for draft, outcome in zip(some, outcomes, strict=True)
        ]

    try:
        return await import_in_parts(runtime, app_id, drafts, store_rows, now=now)
    finally:  # also when only some of the rows were stored
        if on_conflict is OnConflict.UPDATE:
            deactivated = [draft.uid for draft in drafts if draft.deactivated_at]
            forget_credentials(runtime, app_id, deactivated)


async def _resolve_conflict(
    tx: Transaction, draft: UserDraft, outcome: User | Refusal, on_conflict: OnConflict, now: int
) -> ImportOutcome[User]:
    if not isinstance(outcome, UidAlreadyExists) or on_conflict is OnConflict.REFUSE:
        return ImportOutcome.of(outcome)
    stored = await store.find_user(tx, draft.uid)
    if stored is None or stored.deleted_at is not None:
        return ImportOutcome(refusal=outcome)
    if on_conflict is OnConflict.SKIP:
        return ImportOutcome(stored, is_skipped=True)
    return ImportOutcome.of(await update_imported_user(tx, stored, draft, now))


async def update_imported_user(
    tx: Transaction, stored: User, draft: UserDraft, now: int
) -> User | Refusal:
    """Store the given fields of a row; what it does not have is kept."""
    profile = replace(draft.profile, tags=draft.profile.tags or None)  # as in groups, [] keeps them
    if profile.role and await find_missing_roles(tx, {profile.role}):
        return RoleUnknown(profile.role)
    try:
        changed = apply_change(stored, ProfileChange(profile), now)
    except BadInput as refusal:
        return refusal
    await store_profile(tx, stored, changed, now)
    if draft.deactivated_at is None or not stored.is_active:
        return changed
    await store_deactivated(tx, [changed], at=draft.deactivated_at, now=now)
    return msgspec.structs.replace(changed, deactivated_at=draft.deactivated_at)

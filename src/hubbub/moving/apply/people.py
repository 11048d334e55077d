"""Store the lines of roles and users."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hubbub.domain.imports.users import update_imported_user
from hubbub.domain.roles.permissions import ROLE_PERMISSIONS, check_values
from hubbub.domain.users.create import create_users
from hubbub.kernel.errors import BadInput, Refusal
from hubbub.moving.apply.outcome import Conflicts, LineOutcome, settle
from hubbub.moving.lines import RoleLine, UserLine
from hubbub.moving.stored.people import find_roles, find_users
from hubbub.outbox import lock_counters
from hubbub.records.roles import store as roles_store
from hubbub.records.roles.features import access_features
from hubbub.records.roles.model import (
    DEFAULT_ROLE,
    Role,
    RoleAlreadyExists,
    TooManyRoles,
    default_role,
    rules_text,
)
from hubbub.records.settings.model import ROLES, settings_of
from hubbub.records.users import store as users_store
from hubbub.records.users.model import (
    Profile,
    UidAlreadyExists,
    UidNotFound,
    User,
    UserDraft,
    check_metadata,
)
from hubbub.storage.interface import Transaction


async def apply_roles(
    tx: Transaction, lines: Sequence[RoleLine], conflicts: Conflicts, now: int
) -> list[LineOutcome]:
    """Store roles; return an outcome for each."""
    counters = await lock_counters(tx)
    most = settings_of(counters.settings).limit(ROLES)
    outcomes: list[object] = []
    for line in lines:
        try:
            outcomes.append(await _store_role(tx, line, most, now))
        except BadInput as refusal:
            outcomes.append(refusal)
    return await settle(
        tx,
        lines,
        outcomes,
        conflicts,
        exists=(RoleAlreadyExists,),
        find=find_roles,
        update=_update_role,
        now=now,
    )


async def _store_role(tx: Transaction, line: RoleLine, most: int, now: int) -> Refusal | None:
    stored = await roles_store.find_role(tx, line.role)
    if stored is not None and not _is_as_created(stored):
        return RoleAlreadyExists(line.role)
    if stored is not None:
        return await _update_role(tx, line, now)
    if await roles_store.count_roles(tx) - 1 >= most:  # without the default one
        return TooManyRoles(most)
    role = _role(line, now)
    await roles_store.insert_role(tx, role)
    await roles_store.update_role(tx, role)
    return None


def _is_as_created(role: Role) -> bool:
    """Return whether it is the default role, which every app has, and nobody has changed it."""
    return role.role == DEFAULT_ROLE and role == default_role(role.created_at)


async def _update_role(tx: Transaction, line: RoleLine, now: int) -> Refusal | None:
    try:
        await roles_store.update_role(tx, replace(_role(line, now), updated_at=now))
    except BadInput as refusal:
        return refusal
    return None


def _role(line: RoleLine, now: int) -> Role:
    """Return the role that a line describes.

    Raises:
        BadInput: the metadata is too large, or it has no such permission or feature.
    """
    checked = check_values(ROLE_PERMISSIONS, line.permissions or {})
    for refusal in checked.refusals.values():
        raise refusal
    given = line.restricted or {}
    features = access_features(list(given), "restricted")
    restricted = {feature.key: at for feature, at in zip(features, given.values(), strict=True)}
    return Role(
        line.role,
        line.name,
        now if line.created_at is None else line.created_at,
        line.description,
        check_metadata(line.metadata),
        line.list_users,
        line.send_messages_to,
        rules_text(checked.values),
        rules_text(restricted),
    )


async def apply_users(
    tx: Transaction, lines: Sequence[UserLine], conflicts: Conflicts, now: int
) -> list[LineOutcome]:
    """Store users; return an outcome for each."""
    outcomes = await create_users(tx, [_draft(line) for line in lines], now)
    for line, outcome in zip(lines, outcomes, strict=True):
        if line.deleted_at is not None and isinstance(outcome, User):
            await _delete_softly(tx, outcome, line.deleted_at)
    return await settle(
        tx,
        lines,
        outcomes,
        conflicts,
        exists=(UidAlreadyExists,),
        find=find_users,
        update=_update_user,
        now=now,
    )


async def _delete_softly(tx: Transaction, user: User, at: int) -> None:
    """Mark a new user as deleted: nobody finds them, and their messages stay."""
    await users_store.set_deleted(tx, user, at)
    if user.is_active:
        (await lock_counters(tx)).users -= 1


async def _update_user(tx: Transaction, line: UserLine, now: int) -> Refusal | None:
    stored = await users_store.find_user(tx, line.uid)
    if stored is None:
        return UidNotFound(line.uid)
    changed: Any = await update_imported_user(tx, stored, _draft(line), now)
    return changed if isinstance(changed, Refusal) else None


def _draft(line: UserLine) -> UserDraft:
    profile = Profile(
        name=line.name,
        avatar=line.avatar,
        link=line.link,
        role=line.role,
        status_message=line.status_message,
        metadata=line.metadata,
        tags=line.tags,
    )
    return UserDraft(
        line.uid,
        profile,
        created_at=line.created_at,
        last_active_at=line.last_active_at,
        deactivated_at=line.deactivated_at,
        is_bot=line.is_bot,
    )

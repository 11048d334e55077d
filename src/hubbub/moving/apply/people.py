"""Store the lines of roles and users."""

from collections.abc import Sequence
from typing import Any

from hubbub.domain.imports.users import update_imported_user
from hubbub.domain.users.create import create_users
from hubbub.kernel.errors import BadInput, Refusal
from hubbub.moving.apply.outcome import Conflicts, Outcome, settle
from hubbub.moving.lines import RoleLine, UserLine
from hubbub.moving.stored.people import find_roles, find_users
from hubbub.outbox import lock_counters
from hubbub.records.roles import store as roles_store
from hubbub.records.roles.model import Role, RoleAlreadyExists, TooManyRoles, rules_text
from hubbub.records.settings.model import ROLES, settings_of
from hubbub.records.users import store as users_store
from hubbub.records.users.model import (
    Profile,
    UidAlreadyExists,
    UidNotFound,
    UserDraft,
    check_metadata,
)
from hubbub.storage.interface import Transaction


async def apply_roles(
    tx: Transaction, lines: Sequence[RoleLine], conflicts: Conflicts, now: int
) -> list[Outcome]:
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
    if await roles_store.find_role(tx, line.role) is not None:
        return RoleAlreadyExists(line.role)
    if await roles_store.count_roles(tx) - 1 >= most:  # without the default one
        return TooManyRoles(most)
    role = _role(line, now)
    await roles_store.insert_role(tx, role)
    await roles_store.update_role(tx, role)
    return None


async def _update_role(tx: Transaction, line: RoleLine, now: int) -> Refusal | None:
    try:
        await roles_store.update_role(tx, _role(line, now))
    except BadInput as refusal:
        return refusal
    return None


def _role(line: RoleLine, now: int) -> Role:
    return Role(
        line.role,
        line.name,
        now if line.created_at is None else line.created_at,
        line.description,
        check_metadata(line.metadata),
        line.list_users,
        line.send_messages_to,
        rules_text(line.permissions or {}),
        rules_text(line.restricted or {}),
    )


async def apply_users(
    tx: Transaction, lines: Sequence[UserLine], conflicts: Conflicts, now: int
) -> list[Outcome]:
    """Store users; return an outcome for each."""
    outcomes = await create_users(tx, [_draft(line) for line in lines], now)
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

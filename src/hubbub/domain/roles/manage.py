"""Create, change and delete roles."""

from dataclasses import replace
from typing import Any

from hubbub.domain.roles.announce import announce_rules
from hubbub.domain.roles.find import access_role
from hubbub.outbox import lock_counters
from hubbub.records.roles import store
from hubbub.records.roles.model import (
    DEFAULT_ROLE,
    Role,
    RoleAlreadyExists,
    RoleChange,
    RoleDeleteDenied,
    RoleDraft,
    TooManyRoles,
)
from hubbub.records.settings.model import ROLES, settings_of
from hubbub.records.users.model import check_metadata
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

_FIELDS = {
    "description": ("description",),
    "metadata": ("metadata",),
    "settings": ("list_users", "send_messages_to"),
}
"""The fields that each word of `unset` clears."""


async def create_role(runtime: Runtime, app_id: str, draft: RoleDraft) -> Role:
    """Create a role.

    Raises:
        RoleAlreadyExists: the id is taken.
        TooManyRoles: the app has as many roles as its settings allow, not counting the default one.
        BadInput: the metadata is too large.
    """
    created = Role(
        draft.role,
        draft.name,
        runtime.clock.now(),
        draft.description or None,
        check_metadata(draft.metadata),
        draft.list_users,
        draft.send_messages_to,
    )

    async def within(tx: Transaction) -> Role:
        numbers = await lock_counters(tx)  # one at a time: roles are counted, then added
        most = settings_of(numbers.settings).limit(ROLES)
        if await store.find_role(tx, draft.role) is not None:
            raise RoleAlreadyExists(draft.role)
        if await store.count_roles(tx) - 1 >= most:  # without the default one
            raise TooManyRoles(most)
        await store.insert_role(tx, created)
        return created

    return await runtime.database.write(app_id, within)


async def update_role(runtime: Runtime, app_id: str, role: str, change: RoleChange) -> Role:
    """Change a role, also the default one; keep the fields that are not given.

    Raises:
        RoleNotFound: the app does not have the role.
        BadInput: the metadata is too large.
    """

    async def within(tx: Transaction) -> Role:
        await lock_counters(tx)  # one at a time: a change is read, merged and written
        now, before = runtime.clock.now(), await access_role(tx, role)
        after = apply_change(before, change, now)
        await store.update_role(tx, after)
        if after.list_users != before.list_users:
            announce_rules(tx, after, now)
        return after

    return await runtime.database.write(app_id, within)


def apply_change(role: Role, change: RoleChange, now: int) -> Role:
    """Return the role after the change.

    Raises:
        BadInput: the metadata is too large.
    """
    given: dict[str, Any] = {
        "name": change.name,
        "description": change.description,
        "metadata": check_metadata(change.metadata),
        "list_users": change.list_users,
        "send_messages_to": change.send_messages_to,
    }
    changes: dict[str, Any] = {
        name: value or None for name, value in given.items() if value is not None
    }
    changes |= {name: None for word in change.unset for name in _FIELDS[word]}
    return replace(role, **changes, updated_at=now)


async def delete_role(runtime: Runtime, app_id: str, role: str) -> None:
    """Delete a role that no user has.

    Raises:
        RoleNotFound: the app does not have the role.
        RoleDeleteDenied: it is the default role, or users have it.
    """

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)  # no user gets the role meanwhile
        await access_role(tx, role)
        if role == DEFAULT_ROLE or await store.has_users(tx, role):
            raise RoleDeleteDenied(role)
        await store.delete_role(tx, role)

    await runtime.database.write(app_id, within)

"""Create, change and delete roles."""

from dataclasses import replace
from typing import Any

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
"""What is emptied by each word of `unset`."""


async def create_role(runtime: Runtime, app_id: str, draft: RoleDraft) -> Role:
    """Create a role.

    Raises:
        RoleAlreadyExists: the id is taken.
        TooManyRoles: the app has as many as it may have besides the default one.
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
        numbers = await lock_counters(tx)  # one at a time, so that two can't both be the last one
        most = settings_of(numbers.settings).limit(ROLES)
        if await store.find_role(tx, draft.role) is not None:
            raise RoleAlreadyExists(draft.role)
        if await store.count_roles(tx) - 1 >= most:  # the default one is always there
            raise TooManyRoles(most)
        await store.insert_role(tx, created)
        return created

    return await runtime.database.write(app_id, within)


async def update_role(runtime: Runtime, app_id: str, role: str, change: RoleChange) -> Role:
    """Change a role, be it the default one; what is not given stays.

    Raises:
        RoleNotFound: the app has none such.
        BadInput: the metadata is too large.
    """

    async def within(tx: Transaction) -> Role:
        await lock_counters(tx)  # one at a time: a change is read, merged and written
        after = apply_change(await access_role(tx, role), change, runtime.clock.now())
        await store.update_role(tx, after)
        return after

    return await runtime.database.write(app_id, within)


def apply_change(role: Role, change: RoleChange, now: int) -> Role:
    """The role after the change.

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
    """Remove a role that nobody has.

    Raises:
        RoleNotFound: the app has none such.
        RoleDeleteDenied: it is the default one, or there are users who have it.
    """

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)  # nobody is given the role meanwhile
        await access_role(tx, role)
        if role == DEFAULT_ROLE or await store.has_users(tx, role):
            raise RoleDeleteDenied(role)
        await store.delete_role(tx, role)

    await runtime.database.write(app_id, within)

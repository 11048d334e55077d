"""Create, change, delete and find roles; announce their rules, so that open sockets follow."""

from dataclasses import replace
from typing import Any

from hubbub.kernel.pages import Page, PageRequest
from hubbub.outbox import lock_counters
from hubbub.records.roles import store
from hubbub.records.roles.events import RolePermissionsChanged, UserRoleChanged
from hubbub.records.roles.model import (
    DEFAULT_ROLE,
    Role,
    RoleAlreadyExists,
    RoleChange,
    RoleDeleteDenied,
    RoleDraft,
    RoleNotFound,
    TooManyRoles,
    permissions_of,
    restricted_of,
)
from hubbub.records.settings.model import ROLES, settings_of
from hubbub.records.users.model import check_metadata
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction

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


async def access_role(snapshot: Snapshot, role: str) -> Role:
    """Return the role with an id.

    Raises:
        RoleNotFound: the app does not have the role.
    """
    found = await store.find_role(snapshot, role)
    if found is None:
        raise RoleNotFound(role)
    return found


async def get_role(runtime: Runtime, app_id: str, role: str) -> Role:
    """Return the role with an id.

    Raises:
        RoleNotFound: the app does not have the role.
    """
    return await runtime.database.read(app_id, lambda snapshot: access_role(snapshot, role))


async def list_roles(runtime: Runtime, app_id: str, request: PageRequest) -> Page[Role]:
    """Return a page of the app's roles, newest first."""

    async def within(snapshot: Snapshot) -> Page[Role]:
        total = await store.count_roles(snapshot)
        return Page(await store.list_roles(snapshot, request), total, request)

    return await runtime.database.read(app_id, within)


def announce_rules(tx: Transaction, role: Role, now: int) -> None:
    """Announce that the rules of a role have changed."""
    permissions, restricted = permissions_of(role.permissions), restricted_of(role.restricted)
    tx.announce(
        RolePermissionsChanged(
            role.role, permissions, now, list_users=role.list_users, restricted=[*restricted]
        )
    )


def announce_role_of(tx: Transaction, uid: str, name: str, role: Role | None, now: int) -> None:
    """Announce that a user has another role; it may be None if it has no row."""
    tx.announce(
        UserRoleChanged(
            uid,
            name,
            permissions_of(role.permissions if role else None),
            now,
            list_users=role.list_users if role else None,
            restricted=[*restricted_of(role.restricted if role else None)],
        )
    )

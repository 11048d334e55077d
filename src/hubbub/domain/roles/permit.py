"""List, set and unset the permissions of a role."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from hubbub.domain.roles.manage import access_role, announce_rules
from hubbub.domain.roles.permissions import (
    ROLE_PERMISSIONS,
    Catalogue,
    PermissionOutcome,
    Values,
    access_permission,
    check_values,
    without_permission,
)
from hubbub.outbox import lock_counters
from hubbub.records.roles import store
from hubbub.records.roles.model import DEFAULT_ROLE, permissions_of, rules_text
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction


async def list_permissions(runtime: Runtime, app_id: str, role: str) -> Catalogue:
    """Return the permissions that a role can have, with times of the default role and of the role.

    Raises:
        RoleNotFound: the app does not have the role.
    """

    async def within(snapshot: Snapshot) -> Catalogue:
        found = await access_role(snapshot, role)
        created_at = (await access_role(snapshot, DEFAULT_ROLE)).created_at
        return Catalogue(ROLE_PERMISSIONS, created_at, found.updated_at or created_at)

    return await runtime.database.read(app_id, within)


async def set_permissions(
    runtime: Runtime, app_id: str, role: str, wanted: Mapping[str, object]
) -> PermissionOutcome:
    """Set permissions of a role; keep the others, and return a refusal for each invalid value.

    Raises:
        RoleNotFound: the app does not have the role.
    """
    checked = check_values(ROLE_PERMISSIONS, wanted)
    after = await _change_permissions(runtime, app_id, role, lambda before: before | checked.values)
    return PermissionOutcome(after, checked.refusals)


async def unset_permission(runtime: Runtime, app_id: str, role: str, permission: str) -> Values:
    """Unset a permission of a role, also if it is not set; return the permissions that are left.

    Raises:
        PermissionUnknown: the permission does not exist.
        RoleNotFound: the app does not have the role.
    """
    unset = access_permission(ROLE_PERMISSIONS, permission)
    return await _change_permissions(
        runtime, app_id, role, lambda before: without_permission(before, unset)
    )


async def _change_permissions(
    runtime: Runtime, app_id: str, role: str, change: Callable[[Values], Values]
) -> Values:
    async def within(tx: Transaction) -> Values:
        await lock_counters(tx)  # one at a time: a change is read, merged and written
        found = await access_role(tx, role)
        before = permissions_of(found.permissions)
        after = change(before)
        if after != before:
            now, text = runtime.clock.now(), rules_text(after)
            changed = replace(found, permissions=text, updated_at=now)
            await store.update_role(tx, changed)
            announce_rules(tx, changed, now)
        return after

    return await runtime.database.write(app_id, within)

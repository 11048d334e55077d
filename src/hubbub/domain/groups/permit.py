"""List, set and unset the permissions of a scope in a group."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hubbub.domain.access.groups import access_group
from hubbub.domain.roles.permissions import (
    SCOPE_PERMISSIONS,
    Catalogue,
    PermissionOutcome,
    Values,
    access_permission,
    check_values,
    without_permission,
)
from hubbub.outbox import lock_counters
from hubbub.records.groups import store
from hubbub.records.groups.model import scope_permissions_of
from hubbub.records.roles.model import rules_text
from hubbub.records.users.model import THE_APP
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction


@dataclass(frozen=True, slots=True)
class GroupScope:
    """A scope in a group."""

    guid: str
    scope: str


async def list_permissions(runtime: Runtime, app_id: str, guid: str) -> Catalogue:
    """Return the permissions that a scope can have, with the group's creation as their time.

    Raises:
        GuidNotFound: the group does not exist.
    """

    async def within(snapshot: Snapshot) -> Catalogue:
        group = (await access_group(snapshot, THE_APP, guid)).group
        return Catalogue(SCOPE_PERMISSIONS, group.created_at, group.created_at)

    return await runtime.database.read(app_id, within)


async def set_permissions(
    runtime: Runtime, app_id: str, group_scope: GroupScope, wanted: Mapping[str, object]
) -> PermissionOutcome:
    """Set permissions of a scope; keep the others, and return a refusal for each invalid value.

    Raises:
        GuidNotFound: the group does not exist.
    """
    checked = check_values(SCOPE_PERMISSIONS, wanted)
    after = await _change_permissions(
        runtime, app_id, group_scope, lambda before: before | checked.values
    )
    return PermissionOutcome(after, checked.refusals)


async def unset_permission(
    runtime: Runtime, app_id: str, group_scope: GroupScope, permission: str
) -> Values:
    """Unset a permission of a scope, also if it is not set; return the permissions that are left.

    Raises:
        PermissionUnknown: the permission does not exist.
        GuidNotFound: the group does not exist.
    """
    unset = access_permission(SCOPE_PERMISSIONS, permission)
    return await _change_permissions(
        runtime, app_id, group_scope, lambda before: without_permission(before, unset)
    )


async def _change_permissions(
    runtime: Runtime, app_id: str, group_scope: GroupScope, change: Callable[[Values], Values]
) -> Values:
    async def within(tx: Transaction) -> Values:
        await lock_counters(tx)  # one at a time: a change is read, merged and written
        group = (await access_group(tx, THE_APP, group_scope.guid)).group
        of_all = scope_permissions_of(group.permissions)
        before = of_all.get(group_scope.scope, {})
        after = change(before)
        if after != before:
            changed = {**of_all, group_scope.scope: after}
            left = {scope: values for scope, values in changed.items() if values}
            await store.set_permissions(tx, group_scope.guid, rules_text(left))
        return after

    return await runtime.database.write(app_id, within)

"""List, set and unset the permissions of a role."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from hubbub.domain.roles.find import access_role
from hubbub.domain.roles.permissions import (
    ROLE_PERMISSIONS,
    Catalogue,
    Mapped,
    Values,
    access_permission,
    fit_values,
    without,
)
from hubbub.outbox import lock_counters
from hubbub.records.roles import store
from hubbub.records.roles.model import DEFAULT_ROLE, permissions_of, rules_text
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction


async def list_permissions(runtime: Runtime, app_id: str, role: str) -> Catalogue:
    """What a role can be given: there since the app is, changed when the role was.

    Raises:
        RoleNotFound: the app has no such role.
    """

    async def within(snapshot: Snapshot) -> Catalogue:
        found = await access_role(snapshot, role)
        created_at = (await access_role(snapshot, DEFAULT_ROLE)).created_at
        return Catalogue(ROLE_PERMISSIONS, created_at, found.updated_at or created_at)

    return await runtime.database.read(app_id, within)


async def set_permissions(
    runtime: Runtime, app_id: str, role: str, wanted: Mapping[str, object]
) -> Mapped:
    """Set permissions of a role; what is not named stays, and what does not fit is told.

    Raises:
        RoleNotFound: the app has no such role.
    """
    fitted = fit_values(ROLE_PERMISSIONS, wanted)
    after = await _change(runtime, app_id, role, lambda before: before | fitted.values)
    return Mapped(after, fitted.refusals)


async def unset_permission(runtime: Runtime, app_id: str, role: str, permission: str) -> Values:
    """Unset a permission of a role, be it set or not; answers what is set then.

    Raises:
        PermissionUnknown: there is no such permission.
        RoleNotFound: the app has no such role.
    """
    gone = access_permission(ROLE_PERMISSIONS, permission)
    return await _change(runtime, app_id, role, lambda before: without(before, gone))


async def _change(
    runtime: Runtime, app_id: str, role: str, change: Callable[[Values], Values]
) -> Values:
    async def within(tx: Transaction) -> Values:
        await lock_counters(tx)  # one at a time: a change is read, merged and written
        found = await access_role(tx, role)
        before = permissions_of(found.permissions)
        after = change(before)
        if after != before:
            now, text = runtime.clock.now(), rules_text(after)
            await store.update_role(tx, replace(found, permissions=text, updated_at=now))
        return after

    return await runtime.database.write(app_id, within)

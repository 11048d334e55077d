"""Permissions of roles and of scopes: read the request, call the domain, write the answer."""

from hubbub.domain.groups import permit as groups_permit
from hubbub.domain.groups.permit import GroupScope
from hubbub.domain.roles import permit
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.records.groups.model import GuidNotFound
from hubbub.records.roles.model import RoleNotFound
from hubbub.rest.people.wire import permissions as wire
from hubbub.rest.people.wire.permissions import (
    MappedShape,
    PermissionShape,
    PermissionValues,
    mapped_shape,
    permission_shapes,
)
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import Listing, unpaged

TAG = operation.Tag(
    "RBAC",
    "The permissions of roles, and of scopes in groups.",
)
OF_ROLE = "/roles/{role}/permissions"
OF_SCOPE = "/groups/{guid}/scopes/{scope}/permissions"


@operation.get(OF_ROLE, tag=TAG, errors=(RoleNotFound,))
async def list_role_permissions(call: Call, role: path.Role) -> Listing[PermissionShape]:
    """List the permissions that can be set for a role, not those that are set.

    Each has its possible values and its default.
    """
    catalogue = await permit.list_permissions(call.runtime, call.app_id, role)
    return unpaged(permission_shapes(catalogue, "role"))


@operation.put(OF_ROLE, tag=TAG, errors=(RoleNotFound,))
async def set_role_permissions(
    call: Call, role: path.Role, body: wire.SetPermissions
) -> MappedShape:
    """Set permissions of a role, each with an outcome.

    Permissions that are not named keep their values. An unknown permission or an invalid value
    does not affect the others. A permission of `dataType` `stringArray` takes a list only.
    """
    wanted = body.wanted()
    mapped = await permit.set_permissions(call.runtime, call.app_id, role, wanted)
    return mapped_shape(wanted, mapped, f"role {role}")


@operation.delete(OF_ROLE + "/{permission}", tag=TAG, errors=(RoleNotFound,))
async def unset_role_permissions(
    call: Call, role: path.Role, permission: path.Permission
) -> PermissionValues:
    """Reset a permission of a role to its default; the answer has those that are still set.

    Other nodes notice it within five seconds.
    """
    left = await permit.unset_permission(call.runtime, call.app_id, role, permission)
    return PermissionValues(permissions=left)


@operation.get(OF_SCOPE, tag=TAG, errors=(GuidNotFound,))
async def list_scope_permissions(
    call: Call, guid: path.Guid, scope: path.Scope
) -> Listing[PermissionShape]:
    """List the permissions that can be set for a scope in a group, not those that are set.

    Each has its possible values and its default.
    """
    catalogue = await groups_permit.list_permissions(call.runtime, call.app_id, guid)
    return unpaged(permission_shapes(catalogue, "scope"))


@operation.put(OF_SCOPE, tag=TAG, errors=(GuidNotFound,))
async def set_scope_permissions(
    call: Call, guid: path.Guid, scope: path.Scope, body: wire.SetPermissions
) -> MappedShape:
    """Set permissions of a scope in a group, each with an outcome.

    Permissions that are not named keep their values. An unknown permission or an invalid value
    does not affect the others. A permission of `dataType` `stringArray` takes a list or one word.
    """
    wanted = body.wanted()
    mapped = await groups_permit.set_permissions(
        call.runtime, call.app_id, GroupScope(guid, scope), wanted
    )
    return mapped_shape(wanted, mapped, f"scope {scope} on group {guid}")


@operation.delete(OF_SCOPE + "/{permission}", tag=TAG, errors=(GuidNotFound,))
async def unset_scope_permissions(
    call: Call, guid: path.Guid, scope: path.Scope, permission: path.Permission
) -> PermissionValues:
    """Reset a permission of a scope to its default; the answer has those that are still set.

    Only this group is concerned: others keep theirs.
    """
    left = await groups_permit.unset_permission(
        call.runtime, call.app_id, GroupScope(guid, scope), permission
    )
    return PermissionValues(permissions=left)

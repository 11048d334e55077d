"""Permissions of roles and of scopes: read the request, call the domain, write the answer."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta

from hubbub.domain.groups import permit as groups_permit
from hubbub.domain.groups.permit import GroupScope
from hubbub.domain.roles import permit
from hubbub.domain.roles.permissions import Catalogue, PermissionOutcome
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.documented import documented_as, with_fields_of
from hubbub.kernel.errors import BadInput
from hubbub.records.groups.model import GuidNotFound
from hubbub.records.roles.model import RoleNotFound, Value
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import ItemOutcome, Listing, Shape, item_outcome, unpaged

Kind = Literal["role", "scope"]
ALL_SET = "permissions"
"""The key beside the outcomes that has the permissions that are set."""

LONGEST_ID = 100
TAG = operation.Tag(
    "RBAC",
    "The permissions of roles, and of scopes in groups.",
)
OF_ROLE = "/roles/{role}/permissions"
OF_SCOPE = "/groups/{guid}/scopes/{scope}/permissions"


class PermissionShape(Shape):
    """A permission that can be set, with its possible values."""

    id: str
    type: Kind
    title: str
    description: str
    data_type: Literal["string", "stringArray"]
    available_values: list[str]
    default_value: str | list[str]
    created_at: int
    updated_at: int


def permission_shapes(catalogue: Catalogue, kind: Kind) -> list[PermissionShape]:
    """Return a catalogue of permissions on the wire."""
    return [
        PermissionShape(
            id=permission.id,
            type=kind,
            title=permission.title,
            description=permission.title,
            data_type="stringArray" if permission.is_list else "string",
            available_values=list(permission.words),
            default_value=permission.default,
            created_at=catalogue.created_at,
            updated_at=catalogue.updated_at,
        )
        for permission in catalogue.permissions.values()
    ]


class SetPermissions(Shape):
    """The permissions to set: a word or a list of words, by the id of the permission."""

    permissions: Annotated[
        dict[str, Any], Meta(max_length=100), documented_as(dict[str, Value], maxProperties=100)
    ]

    def wanted(self) -> Mapping[str, object]:
        """Return the permissions to set.

        Raises:
            BadInput: an id is too long for the answer, or is the key that it reserves.
        """
        for id_ in self.permissions:
            if id_ == ALL_SET or len(id_) > LONGEST_ID:
                shown = id_[:LONGEST_ID]
                raise BadInput.field(f"permissions.{shown}", f"There is no permission {shown}.")
        return self.permissions


class PermissionValues(Shape):
    """The permissions that are set, by id."""

    permissions: dict[str, Value]


@with_fields_of(ItemOutcome)
class PermissionOutcomes(Shape):
    """The outcomes by permission, and all permissions that are set."""

    permissions: dict[str, Value]


MappedShape = Annotated[dict[str, Any], documented_as(PermissionOutcomes)]


def mapped_shape(
    wanted: Mapping[str, object], mapped: PermissionOutcome, owner: str
) -> dict[str, Any]:
    """Return the outcomes for the wanted permissions, and all that are set, of a role or scope."""
    outcomes = {
        id_: item_outcome(
            mapped.refusals.get(id_),
            f"Permission with id {id_} have been mapped successfully to {owner}.",
        )
        for id_ in wanted
    }
    return {**outcomes, ALL_SET: mapped.permissions}


@operation.get(OF_ROLE, tag=TAG, errors=(RoleNotFound,))
async def list_role_permissions(call: Call, role: path.Role) -> Listing[PermissionShape]:
    """List the permissions that can be set for a role, not those that are set.

    Each has its possible values and its default.
    """
    catalogue = await permit.list_permissions(call.runtime, call.app_id, role)
    return unpaged(permission_shapes(catalogue, "role"))


@operation.put(OF_ROLE, tag=TAG, errors=(RoleNotFound,))
async def set_role_permissions(call: Call, role: path.Role, body: SetPermissions) -> MappedShape:
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
    call: Call, guid: path.Guid, scope: path.Scope, body: SetPermissions
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

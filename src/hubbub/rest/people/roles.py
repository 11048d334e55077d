"""`/roles` and `/roles/{role}`: read the request, call the domain, write the answer."""

from hubbub.domain.roles import manage
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.records.roles.model import (
    RoleAlreadyExists,
    RoleDeleteDenied,
    RoleNotFound,
    TooManyRoles,
)
from hubbub.rest.people.wire import roles as wire
from hubbub.rest.people.wire.roles import RoleShape, role_shape
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import Listing, PageQuery, SuccessMessage, page_answer

TAG = operation.Tag(
    "Roles",
    "The roles of users.",
)


@operation.post("/roles", tag=TAG, errors=(RoleAlreadyExists, TooManyRoles))
async def create_role(call: Call, body: wire.CreateRole) -> RoleShape:
    """Create a role.

    An app has at most 25 roles besides the default role, which always exists, unless its settings
    allow another number.
    """
    return role_shape(await manage.create_role(call.runtime, call.app_id, body.draft()))


@operation.get("/roles", tag=TAG)
async def list_roles(call: Call, query: PageQuery) -> Listing[RoleShape]:
    """List the app's roles, newest first.

    The role `default`, which every app has, is in the list.
    """
    page = await manage.list_roles(call.runtime, call.app_id, query.request())
    return page_answer(page, [role_shape(role) for role in page.items])


@operation.get("/roles/{role}", tag=TAG, errors=(RoleNotFound,))
async def get_role(call: Call, role: path.Role) -> RoleShape:
    """Get a role.

    Its `settings` say whom its users see in lists, and to whom they may write.
    """
    return role_shape(await manage.get_role(call.runtime, call.app_id, role))


@operation.put("/roles/{role}", tag=TAG, errors=(RoleNotFound,))
async def update_role(call: Call, role: path.Role, body: wire.UpdateRole) -> RoleShape:
    """Change a role, also the default one; fields that are absent keep their values.

    Its users are treated by it from their next call on.
    """
    return role_shape(await manage.update_role(call.runtime, call.app_id, role, body.change()))


@operation.delete("/roles/{role}", tag=TAG, errors=(RoleNotFound, RoleDeleteDenied))
async def delete_role(call: Call, role: path.Role) -> SuccessMessage:
    """Delete a role that no user has; the default role can't be deleted.

    Give its users another role first.
    """
    await manage.delete_role(call.runtime, call.app_id, role)
    return SuccessMessage(success=True, message=f"Role {role} has been deleted successfully.")

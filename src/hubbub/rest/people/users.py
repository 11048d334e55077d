"""`/users` and `/users/{uid}`: read the request, call the domain, write the answer."""

from hubbub.domain.access.people import NotOwnUser
from hubbub.domain.access.permissions import RoleForbids
from hubbub.domain.access.rates import Rate
from hubbub.domain.users import create, deactivate, delete, find, update
from hubbub.domain.users.update import ProfileChange
from hubbub.http import operation
from hubbub.http.authenticate import NoAccess
from hubbub.http.call import Call
from hubbub.http.operation import AUTH_ONLY, Acting
from hubbub.records.tokens.model import make_token
from hubbub.records.users.model import UidAlreadyExists, UidNotFound
from hubbub.rest.people.wire import users as wire
from hubbub.rest.people.wire.users import UserShape, user_shape, user_view_shape
from hubbub.rest.wire.shapes import Done, Listing, listing, normalise_ids

TAG = "Users"


@operation.post("/users", tag=TAG, key=AUTH_ONLY, rate=Rate.CORE, errors=(UidAlreadyExists,))
async def create_user(call: Call, body: wire.CreateUser) -> UserShape:
    """Create a user.

    With `withAuthToken` the answer holds an auth token for the new user.
    """
    _refuse_role(call, body.role)
    draft = body.draft()
    token = make_token(call.runtime.ids, draft.uid, call.runtime.clock.now())
    user = await create.create_user(
        call.runtime, call.app_id, draft, token if body.with_auth_token else None
    )
    return user_shape(user, auth_token=token.auth_token if body.with_auth_token else None)


def _refuse_role(call: Call, role: str | None) -> None:
    if role is not None and not (call.actor.is_app and call.scope == "fullAccess"):
        raise NoAccess("Only the app, with a key of scope fullAccess, may give a user a role.")


@operation.get(
    "/users",
    tag=TAG,
    acting=Acting.OPTIONAL,
    for_users=True,
    features=("listUsers",),
    errors=(UidNotFound, RoleForbids),
)
async def list_users(call: Call, query: wire.ListUsers) -> Listing[UserShape]:
    """List users, newest change first.

    `searchKey` finds the beginning of the uid or of any word of the name, whatever its case.
    An acting user sees how they stand to him: `conversationId`, and who has blocked whom. The
    permissions of his role may show him his friends only, or users of some roles.
    """
    viewer = call.actor.uid
    page = await find.list_users(
        call.runtime, call.app_id, call.actor, query.wanted(), query.request()
    )
    shapes = [
        user_view_shape(seen, viewer=viewer, with_tags=query.with_tags) for seen in page.items
    ]
    return listing(page, shapes)


@operation.put("/users", tag=TAG)
async def reactivate_users(call: Call, body: wire.ReactivateUsers) -> wire.ReactivatedUsers:
    """Bring deactivated users back."""
    uids = normalise_ids(body.uids_to_activate, "uidsToActivate")
    active = await deactivate.reactivate_users(call.runtime, call.app_id, uids)
    return wire.ReactivatedUsers(non_deactivated_uids=active)


@operation.delete("/users", tag=TAG)
async def deactivate_users(call: Call, body: wire.DeactivateUsers) -> wire.DeactivatedUsers:
    """Deactivate users: they are hidden and can't act until they are brought back."""
    uids = normalise_ids(body.uids_to_deactivate, "uidsToDeactivate")
    inactive = await deactivate.deactivate_users(call.runtime, call.app_id, uids)
    return wire.DeactivatedUsers(deactivated_uids=inactive)


@operation.get(
    "/users/{uid}",
    tag=TAG,
    acting=Acting.OPTIONAL,
    for_users=True,
    features=("getUser", "getMyDetails"),
    errors=(UidNotFound,),
)
async def get_user(call: Call, uid: str) -> UserShape:
    """Get a user, with how he stands to the acting one; who may not be seen is not found."""
    viewer = call.actor.uid
    actor = call.actor.using("getMyDetails" if uid == viewer else "getUser")
    seen = await find.get_user(call.runtime, call.app_id, actor, uid)
    return user_view_shape(seen, viewer=viewer, with_tags=True)


@operation.put(
    "/users/{uid}",
    tag=TAG,
    key=AUTH_ONLY,
    acting=Acting.OPTIONAL,
    for_users=True,
    errors=(UidNotFound, NotOwnUser),
)
async def update_user(call: Call, uid: str, body: wire.UpdateUser) -> UserShape:
    """Change a user's profile; what is not given stays.

    A user may change his own, but not his `role` nor `metadata.@private`.
    """
    _refuse_role(call, body.role)
    if not call.actor.is_app and update.PRIVATE in (body.metadata or {}):
        raise NoAccess("A user may not change metadata.@private.")
    change = ProfileChange(
        body.profile(), unset=body.unset or (), keeps_private=not call.actor.is_app
    )
    user = await update.update_user(call.runtime, call.app_id, call.actor, uid, change)
    return user_shape(user)


@operation.delete("/users/{uid}", tag=TAG, rate=Rate.CORE, errors=(UidNotFound,))
async def delete_user(call: Call, uid: str, body: wire.DeleteUser) -> Done:
    """Delete a user; with `permanent` his messages and all else of his, too."""
    await delete.delete_user(call.runtime, call.app_id, uid, is_permanent=body.permanent)
    return Done(success=True, message=f"User with {uid} has been deleted successfully.")

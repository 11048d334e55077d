"""`/users` and `/users/{uid}`: read the request, call the domain, write the answer."""

from functools import partial

from hubbub.domain.access.people import NotOwnUser
from hubbub.domain.access.permissions import RoleForbids
from hubbub.domain.access.rates import Rate
from hubbub.domain.users import create, deactivate, delete, find, update
from hubbub.domain.users.update import ProfileChange
from hubbub.http import operation
from hubbub.http.authenticate import NoAccess
from hubbub.http.call import Call
from hubbub.http.lists import make_rows
from hubbub.http.operation import AUTH_ONLY, IDS_VALUES, Acting
from hubbub.records.tokens.model import make_token
from hubbub.records.users.model import UidAlreadyExists, UidNotFound
from hubbub.rest.people.wire import users as wire
from hubbub.rest.people.wire.users import UserShape, user_shape, user_view_shape
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import Listing, SuccessMessage, normalise_ids, page_answer

TAG = operation.Tag(
    "Users",
    "Create, list, change, deactivate and delete users.",
)


@operation.post("/users", tag=TAG, key=AUTH_ONLY, rate=Rate.CORE, errors=(UidAlreadyExists,))
async def create_user(call: Call, body: wire.CreateUser) -> UserShape:
    """Create a user.

    With `withAuthToken` the answer has an auth token for the new user.
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
        raise NoAccess(
            "Only the app, with an API key of scope fullAccess, may set the role of a user."
        )


@operation.get(
    "/users",
    tag=TAG,
    acting=Acting.OPTIONAL,
    features=("listUsers",),
    errors=(UidNotFound, RoleForbids),
    is_followed=True,
)
async def list_users(call: Call, query: wire.ListUsers) -> Listing[UserShape]:
    """List users, newest change first.

    `searchKey` finds the beginning of the uid or of any word of the name, in upper or lower case.
    With an acting user, each listed user has the relation to them: `conversationId`, and whether
    one has blocked the other. Permissions of their role can limit the list to friends, or to users
    of some roles.
    """
    viewer = call.actor.uid
    page = await find.list_users(
        call.runtime, call.app_id, call.actor, query.wanted(), query.request()
    )
    shape = partial(user_view_shape, viewer=viewer, with_tags=query.with_tags)
    return page_answer(page, await make_rows(call, page.items, shape))


@operation.put("/users", tag=TAG, most_values=IDS_VALUES)
async def reactivate_users(call: Call, body: wire.ReactivateUsers) -> wire.ReactivatedUsers:
    """Reactivate users.

    They are found again and can act. The answer has those of the uids that exist.
    """
    uids = normalise_ids(body.uids_to_activate, "uidsToActivate")
    active = await deactivate.reactivate_users(call.runtime, call.app_id, uids)
    return wire.ReactivatedUsers(non_deactivated_uids=active)


@operation.delete("/users", tag=TAG, most_values=IDS_VALUES)
async def deactivate_users(call: Call, body: wire.DeactivateUsers) -> wire.DeactivatedUsers:
    """Deactivate users: they are hidden and can't act until they are reactivated.

    Their auth tokens are refused meanwhile, their sockets are closed, and their devices are
    removed. Their messages stay. The answer has those of the uids that exist.
    """
    uids = normalise_ids(body.uids_to_deactivate, "uidsToDeactivate")
    inactive = await deactivate.deactivate_users(call.runtime, call.app_id, uids)
    return wire.DeactivatedUsers(deactivated_uids=inactive)


@operation.get(
    "/users/{uid}",
    tag=TAG,
    acting=Acting.OPTIONAL,
    features=("getUser", "getMyDetails"),
    errors=(UidNotFound,),
)
async def get_user(call: Call, uid: path.Uid) -> UserShape:
    """Get a user, with the relation to the acting user, who must be allowed to see them.

    The relation is `conversationId`, `blockedByMe` and `hasBlockedMe`. Only active users are
    found.
    """
    viewer = call.actor.uid
    actor = call.actor.using("getMyDetails" if uid == viewer else "getUser")
    view = await find.get_user(call.runtime, call.app_id, actor, uid)
    return user_view_shape(view, viewer=viewer, with_tags=True)


@operation.put(
    "/users/{uid}", tag=TAG, key=AUTH_ONLY, acting=Acting.OPTIONAL, errors=(UidNotFound, NotOwnUser)
)
async def update_user(call: Call, uid: path.Uid, body: wire.UpdateUser) -> UserShape:
    """Change the profile of a user; fields that are absent keep their values.

    A user may change their own profile, except `role` and `metadata.@private`.
    """
    _refuse_role(call, body.role)
    if not call.actor.is_app and update.PRIVATE in (body.metadata or {}):
        raise NoAccess("A user may not change metadata.@private.")
    change = ProfileChange(
        body.profile(), unset=body.unset or (), keeps_private=not call.actor.is_app
    )
    user = await update.update_user(call.runtime, call.app_id, call.actor, uid, change)
    return user_shape(user)


@operation.delete(
    "/users/{uid}", tag=TAG, rate=Rate.CORE, errors=(UidNotFound,), is_body_optional=True
)
async def delete_user(call: Call, uid: path.Uid, body: wire.DeleteUser) -> SuccessMessage:
    """Delete a user; with `permanent`, also their messages and all their other data.

    For users who delete their account. A user who may come back is deactivated instead.
    """
    await delete.delete_user(call.runtime, call.app_id, uid, is_permanent=body.permanent)
    return SuccessMessage(success=True, message=f"User with {uid} has been deleted successfully.")

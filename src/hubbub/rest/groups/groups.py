"""`/groups` and `/groups/{guid}`: read the request, call the domain, write the answer."""

from hubbub.domain.access.permissions import RoleForbids
from hubbub.domain.access.rates import Rate
from hubbub.domain.groups import create, delete, find, update
from hubbub.domain.groups.find import GroupView
from hubbub.domain.members.add import features_of
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.lists import make_rows
from hubbub.http.operation import Acting
from hubbub.kernel.errors import LimitReached
from hubbub.records.groups.model import GuidAlreadyExists, GuidNotFound
from hubbub.records.groups.passwords import EmptyGroupPassword
from hubbub.records.members.model import (
    BannedMember,
    GroupNotJoined,
    NoAdminScope,
    NoClearance,
    NoModeratorScope,
    NotAMember,
    NoVacancy,
    TooManyGroups,
)
from hubbub.records.users.model import UidNotFound
from hubbub.rest.groups.wire import groups as wire
from hubbub.rest.groups.wire.groups import CreatedGroupShape, GroupShape, created_group, group_shape
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import Listing, SuccessMessage, page_answer

TAG = operation.Tag(
    "Groups",
    "Groups of users: public, private or with a password.",
)
MEMBER_ERRORS = (UidNotFound, GuidNotFound, BannedMember, GroupNotJoined)
"""The errors of operations that need an acting user to be a member."""


@operation.post(
    "/groups",
    tag=TAG,
    acting=Acting.OPTIONAL,
    features=("createGroup", "addMember", "ban", "massMemberOperate"),
    rate=Rate.CORE,
    errors=(
        GuidAlreadyExists,
        UidNotFound,
        RoleForbids,
        EmptyGroupPassword,
        LimitReached,
        TooManyGroups,
    ),
)
async def create_group(call: Call, body: wire.CreateGroup) -> CreatedGroupShape:
    """Create a group.

    The acting user, or else the `owner`, owns it and is its first member, as an admin. Up to 25
    `members` are added with it. Users who can't be added are left out; the `members` of the answer
    say why.
    """
    lists = body.members.lists("members.") if body.members else {}
    actor = call.actor.using("createGroup", *features_of(lists))
    created = await create.create_group(
        call.runtime, call.app_id, actor, body.draft(call.actor.uid), body.password, lists
    )
    return created_group(created)


@operation.get(
    "/groups",
    tag=TAG,
    acting=Acting.OPTIONAL,
    features=("listGroups",),
    errors=(UidNotFound, RoleForbids),
    is_followed=True,
)
async def list_groups(call: Call, query: wire.ListGroups) -> Listing[GroupShape]:
    """List groups, newest change first, or by `sortBy`.

    An acting user sees private groups only if they are a member. With `hasJoined=true` only the
    groups of the acting user are listed. `searchKey` finds the beginning of the guid or of any word
    of the name, in upper or lower case.
    """
    page = await find.list_groups(
        call.runtime, call.app_id, call.actor, query.wanted(), query.request()
    )

    def shape(view: GroupView) -> GroupShape:
        return group_shape(view.group, view.member, with_tags=query.with_tags)

    return page_answer(page, await make_rows(call, page.items, shape))


@operation.get(
    "/groups/{guid}",
    tag=TAG,
    acting=Acting.OPTIONAL,
    features=("getGroup",),
    errors=(UidNotFound, GuidNotFound),
)
async def get_group(call: Call, guid: path.Guid) -> GroupShape:
    """Get a group; a private one is found only by its members and the app.

    For an acting user the answer has their `scope`, `joinedAt` and `hasJoined`. Everybody in the
    app finds a public group, or one with a password.
    """
    view = await find.get_group(call.runtime, call.app_id, call.actor, guid)
    return group_shape(view.group, view.member)


@operation.put(
    "/groups/{guid}",
    tag=TAG,
    acting=Acting.OPTIONAL,
    features=("updateGroup", "patchOwner"),
    errors=(
        *MEMBER_ERRORS,
        RoleForbids,
        NoModeratorScope,
        NoClearance,
        NotAMember,
        NoVacancy,
        EmptyGroupPassword,
        TooManyGroups,
    ),
)
async def update_group(call: Call, guid: path.Guid, body: wire.UpdateGroup) -> GroupShape:
    """Change a group; fields that are absent keep their values.

    `owner` transfers the group: with an API key to any user, with the auth token of the owner to a
    member. It is ignored with `onBehalfOf`.
    """
    change = body.change(with_owner=not call.is_on_behalf)
    features = [
        *(["updateGroup"] if change.is_of_profile or change.owner is None else []),
        *(["patchOwner"] if change.owner is not None else []),
    ]
    group, member = await update.update_group(
        call.runtime, call.app_id, call.actor.using(*features), guid, change
    )
    return group_shape(group, member)


@operation.delete(
    "/groups/{guid}",
    tag=TAG,
    acting=Acting.OPTIONAL,
    features=("deleteGroup",),
    errors=(*MEMBER_ERRORS, NoAdminScope),
)
async def delete_group(call: Call, guid: path.Guid) -> SuccessMessage:
    """Delete a group permanently, with all its messages.

    An acting user must be an admin of the group. Its members hear `group_deleted`. The guid is
    free at once; the erasure of the messages goes on in the background.
    """
    await delete.delete_group(call.runtime, call.app_id, call.actor, guid)
    return SuccessMessage(
        success=True, message=f"Group with guid {guid} has been deleted successfully."
    )

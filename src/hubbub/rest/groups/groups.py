"""`/groups` and `/groups/{guid}`: read the request, call the domain, write the answer."""

from hubbub.domain.access.permissions import RoleForbids
from hubbub.domain.access.rates import Rate
from hubbub.domain.groups import create, delete, find, update
from hubbub.domain.members.add import features_of
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import Acting
from hubbub.records.groups.model import GuidAlreadyExists, GuidNotFound
from hubbub.records.members.model import (
    BannedMember,
    GroupNotJoined,
    NoAdminScope,
    NoClearance,
    NoModeratorScope,
    NotAMember,
    NoVacancy,
)
from hubbub.records.users.model import UidNotFound
from hubbub.rest.groups.wire import groups as wire
from hubbub.rest.groups.wire.groups import CreatedGroup, GroupShape, created_group, group_shape
from hubbub.rest.wire.shapes import Done, Listing, listing

TAG = "Groups"
MEMBER_ERRORS = (UidNotFound, GuidNotFound, BannedMember, GroupNotJoined)


@operation.post(
    "/groups",
    tag=TAG,
    acting=Acting.OPTIONAL,
    for_users=True,
    features=("createGroup", "addMember", "ban", "massMemberOperate"),
    rate=Rate.CORE,
    errors=(GuidAlreadyExists, UidNotFound, RoleForbids),
)
async def create_group(call: Call, body: wire.CreateGroup) -> CreatedGroup:
    """Create a group.

    The acting user, or else the `owner`, owns it and is its first member, as an admin. Up to 25
    `members` come with it; who can't be added is left out, and the answer's `members` say why.
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
    for_users=True,
    features=("listGroups",),
    errors=(UidNotFound, RoleForbids),
)
async def list_groups(call: Call, query: wire.ListGroups) -> Listing[GroupShape]:
    """List groups, newest change first, or by `sortBy`.

    An acting user sees no private groups but his own; `hasJoined=true` leaves him all of his own.
    `searchKey` finds the beginning of the guid or of any word of the name, whatever its case.
    """
    page = await find.list_groups(
        call.runtime, call.app_id, call.actor, query.wanted(), query.request()
    )
    shapes = [
        group_shape(seen.group, seen.member, with_tags=query.with_tags) for seen in page.items
    ]
    return listing(page, shapes)


@operation.get(
    "/groups/{guid}",
    tag=TAG,
    acting=Acting.OPTIONAL,
    for_users=True,
    features=("getGroup",),
    errors=(UidNotFound, GuidNotFound),
)
async def get_group(call: Call, guid: str) -> GroupShape:
    """Get a group; a private one is there for its members only."""
    seen = await find.get_group(call.runtime, call.app_id, call.actor, guid)
    return group_shape(seen.group, seen.member)


@operation.put(
    "/groups/{guid}",
    tag=TAG,
    acting=Acting.OPTIONAL,
    for_users=True,
    features=("updateGroup", "patchOwner"),
    errors=(*MEMBER_ERRORS, RoleForbids, NoModeratorScope, NoClearance, NotAMember, NoVacancy),
)
async def update_group(call: Call, guid: str, body: wire.UpdateGroup) -> GroupShape:
    """Change a group; what is not given stays.

    `owner` hands it on: with an API key to anybody, with the owner's own auth token to a member.
    It is ignored with `onBehalfOf`.
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
    for_users=True,
    features=("deleteGroup",),
    errors=(*MEMBER_ERRORS, NoAdminScope),
)
async def delete_group(call: Call, guid: str) -> Done:
    """Delete a group for good, with all that was said in it."""
    await delete.delete_group(call.runtime, call.app_id, call.actor, guid)
    return Done(success=True, message=f"Group with guid {guid} has been deleted successfully.")

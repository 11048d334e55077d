"""`/groups/{guid}/members`: read the request, call the domain, write the answer."""

from functools import partial

from hubbub.domain.access.permissions import RoleForbids
from hubbub.domain.access.rates import Rate
from hubbub.domain.members import add, find, join, kick, leave, rescope
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.lists import make_rows
from hubbub.http.operation import Acting
from hubbub.records.groups.passwords import EmptyGroupPassword, WrongGroupPassword
from hubbub.records.members.model import (
    AlreadyJoined,
    NoAdminScope,
    NoClearance,
    NoScopeClearance,
    NoSelfAction,
    NotAMember,
    NoVacancy,
    SameScope,
    TooManyGroups,
)
from hubbub.rest.groups.groups import MEMBER_ERRORS
from hubbub.rest.groups.wire import members as wire
from hubbub.rest.groups.wire.members import MemberShape, added_members, member_outcome, member_shape
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import Listing, SuccessMessage, page_answer

TAG = operation.Tag(
    "Group Members",
    "Members of groups and their scopes: add, list, change, kick.",
)
MEMBERS = "/groups/{guid}/members"
MEMBER = "/groups/{guid}/members/{uid}"


@operation.post(
    MEMBERS,
    tag=TAG,
    acting=Acting.OPTIONAL,
    features=("joinGroup", "addMember", "ban", "massMemberOperate"),
    rate=Rate.CORE,
    errors=(
        *MEMBER_ERRORS,
        NoAdminScope,
        RoleForbids,
        AlreadyJoined,
        WrongGroupPassword,
        NoVacancy,
        EmptyGroupPassword,
        TooManyGroups,
    ),
    is_body_optional=True,
)
async def add_group_members(
    call: Call, guid: path.Guid, body: wire.AddMembers
) -> wire.AddedMembers:
    """Add users to a group, or ban them from it: at most 25, each with an outcome.

    A user in several lists gets the strongest: admin, moderator, participant, ban. If the lists are
    empty, the acting user joins the group, with `password` if the group has one.
    """
    lists = body.lists()
    if not lists and not call.actor.is_app:
        actor = call.actor.using("joinGroup")
        entered = await join.join_group(call.runtime, call.app_id, actor, guid, body.password)
        outcome = member_outcome(entered, entered.user)
        return wire.AddedMembers(participants={entered.user.uid: outcome})
    actor = call.actor.using(*add.features_of(lists))
    by, outcomes = await add.add_members(call.runtime, call.app_id, actor, guid, lists)
    return added_members(outcomes, by)


@operation.get(
    MEMBERS,
    tag=TAG,
    acting=Acting.OPTIONAL,
    features=("listGroupMembers",),
    errors=MEMBER_ERRORS,
    is_followed=True,
)
async def list_group_members(
    call: Call, guid: path.Guid, query: wire.ListMembers
) -> Listing[MemberShape]:
    """List the members of a group, newest first; an acting user must be a member.

    `scopes` and `status` filter the list. Each member has `scope` and `joinedAt`, besides the
    fields of a user.
    """
    page = await find.list_members(
        call.runtime, call.app_id, call.actor, guid, query.wanted(), query.request()
    )
    shape = partial(member_shape, viewer=call.actor.uid)
    return page_answer(page, await make_rows(call, page.items, shape))


@operation.put(
    MEMBER,
    tag=TAG,
    acting=Acting.OPTIONAL,
    features=("changeScope",),
    errors=(*MEMBER_ERRORS, NotAMember, NoScopeClearance, NoClearance, NoSelfAction, SameScope),
)
async def change_group_member_scope(
    call: Call, guid: path.Guid, uid: path.Uid, body: wire.ChangeScope
) -> wire.ChangedScope:
    """Change the scope of a member.

    The conversation gets an action message, and the members hear `group_member_scope_changed`. An
    owner whom the app gives another scope than `admin` is the owner no more.
    """
    member = await rescope.change_scope(
        call.runtime, call.app_id, call.actor, guid, uid, body.scope
    )
    return wire.ChangedScope(guid=guid, uid=uid, scope=member.scope, joined_at=member.joined_at)


@operation.delete(
    MEMBER,
    tag=TAG,
    acting=Acting.OPTIONAL,
    features=("kickMember", "leaveGroup"),
    errors=(*MEMBER_ERRORS, NotAMember, NoClearance),
)
async def kick_group_member(call: Call, guid: path.Guid, uid: path.Uid) -> SuccessMessage:
    """Remove a member from a group; an acting user can name themself to leave it.

    They may join again, or be added. The members hear `group_member_kicked`, or
    `group_member_left` of who leaves. Users can't remove the owner.
    """
    if uid == call.actor.uid:
        actor = call.actor.using("leaveGroup")
        await leave.leave_group(call.runtime, call.app_id, actor, guid)
        return SuccessMessage(
            success=True, message=f"The member with {uid} has left the Group with {guid}."
        )
    actor = call.actor.using("kickMember")
    await kick.kick_member(call.runtime, call.app_id, actor, guid, uid)
    return SuccessMessage(
        success=True, message=f"The member with {uid} has been kicked from the Group with {guid}."
    )

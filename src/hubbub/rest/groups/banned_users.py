"""`/groups/{guid}/bannedusers`: read the request, call the domain, write the answer.

The interface knows the same under two names; `banned_members` is the younger one.
"""

from hubbub.domain.members import ban, find
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import Acting
from hubbub.records.groups.model import GuidNotFound
from hubbub.records.members.model import (
    AlreadyBanned,
    BannedMember,
    GroupNotJoined,
    NoClearance,
    NoModeratorScope,
    NoSelfAction,
    NotBanned,
)
from hubbub.records.users.model import UidNotFound
from hubbub.rest.groups.wire.members import BannedShape, banned_shape
from hubbub.rest.wire.shapes import CursorQuery, Done, Listing, listing

TAG = "Banned Users"
MEMBER_ERRORS = (UidNotFound, GuidNotFound, BannedMember, GroupNotJoined)
BANS, ALSO_BANS = "/groups/{guid}/bannedusers", "/groups/{guid}/banned_members"
BAN, ALSO_BAN = f"{BANS}/{{uid}}", f"{ALSO_BANS}/{{uid}}"


@operation.get(
    BANS,
    alias=ALSO_BANS,
    tag=TAG,
    acting=Acting.OPTIONAL,
    for_users=True,
    features=("listBannedUsers",),
    errors=(*MEMBER_ERRORS, NoModeratorScope),
)
async def list_banned_group_users(
    call: Call, guid: str, query: CursorQuery
) -> Listing[BannedShape]:
    """List the users banned from a group, newest first; for its moderators and admins."""
    page = await find.list_bans(
        call.runtime, call.app_id, call.actor, guid, query.request(), query.cursor()
    )
    return listing(page, [banned_shape(seen, viewer=call.actor.uid) for seen in page.items])


@operation.post(
    BAN,
    alias=ALSO_BAN,
    tag=TAG,
    acting=Acting.OPTIONAL,
    for_users=True,
    features=("ban",),
    errors=(*MEMBER_ERRORS, NoClearance, NoSelfAction, AlreadyBanned),
)
async def ban_group_user(call: Call, guid: str, uid: str) -> Done:
    """Ban a user from a group, be he a member or not: he is out, and can't join."""
    await ban.ban_user(call.runtime, call.app_id, call.actor, guid, uid)
    message = f"The user with uid {uid} has been banned from the Group with {guid}."
    return Done(success=True, message=message)


@operation.delete(
    BAN,
    alias=ALSO_BAN,
    tag=TAG,
    acting=Acting.OPTIONAL,
    for_users=True,
    features=("unban",),
    errors=(*MEMBER_ERRORS, NoModeratorScope, NotBanned),
)
async def unban_group_user(call: Call, guid: str, uid: str) -> Done:
    """Lift a ban: the user may join again."""
    await ban.unban_user(call.runtime, call.app_id, call.actor, guid, uid)
    message = f"The user with uid {uid} has been unbanned from the Group with {guid}."
    return Done(success=True, message=message)

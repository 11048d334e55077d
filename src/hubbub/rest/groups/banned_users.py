"""`/groups/{guid}/bannedusers`: read the request, call the domain, write the answer.

The interface has these operations under two paths; `banned_members` is the newer one.
"""

from functools import partial

from hubbub.domain.members import ban, find
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.lists import make_rows
from hubbub.http.operation import Acting
from hubbub.records.members.model import (
    AlreadyBanned,
    NoClearance,
    NoModeratorScope,
    NoSelfAction,
    NotBanned,
)
from hubbub.rest.groups.groups import MEMBER_ERRORS
from hubbub.rest.groups.wire.members import BannedUserShape, banned_shape
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import CursorQuery, Listing, SuccessMessage, page_answer

TAG = operation.Tag(
    "Banned Users",
    "Users who may not join a group.",
)
BANS, ALSO_BANS = "/groups/{guid}/bannedusers", "/groups/{guid}/banned_members"
BAN, ALSO_BAN = f"{BANS}/{{uid}}", f"{ALSO_BANS}/{{uid}}"


@operation.get(
    BANS,
    also=operation.alias(ALSO_BANS, "list_banned_group_members"),
    tag=TAG,
    acting=Acting.OPTIONAL,
    features=("listBannedUsers",),
    errors=(*MEMBER_ERRORS, NoModeratorScope),
)
async def list_banned_group_users(
    call: Call, guid: path.Guid, query: CursorQuery
) -> Listing[BannedUserShape]:
    """List the users who are banned from a group, newest first; for moderators and admins.

    Each has the scope that they had as a member, and `bannedAt`.
    """
    page = await find.list_bans(
        call.runtime, call.app_id, call.actor, guid, query.request(), query.cursor()
    )
    shape = partial(banned_shape, viewer=call.actor.uid)
    return page_answer(page, await make_rows(call, page.items, shape))


@operation.post(
    BAN,
    also=operation.alias(ALSO_BAN, "ban_group_member"),
    tag=TAG,
    acting=Acting.OPTIONAL,
    features=("ban",),
    errors=(*MEMBER_ERRORS, NoClearance, NoSelfAction, AlreadyBanned),
)
async def ban_group_user(call: Call, guid: path.Guid, uid: path.Uid) -> SuccessMessage:
    """Ban a user from a group: they are removed if they are a member, and can't join.

    The conversation gets an action message, and the group's sessions hear `group_member_banned`.
    An acting user needs a higher scope than the user.
    """
    await ban.ban_user(call.runtime, call.app_id, call.actor, guid, uid)
    message = f"The user with uid {uid} has been banned from the Group with {guid}."
    return SuccessMessage(success=True, message=message)


@operation.delete(
    BAN,
    also=operation.alias(ALSO_BAN, "unban_group_member"),
    tag=TAG,
    acting=Acting.OPTIONAL,
    features=("unban",),
    errors=(*MEMBER_ERRORS, NoModeratorScope, NotBanned),
)
async def unban_group_user(call: Call, guid: path.Guid, uid: path.Uid) -> SuccessMessage:
    """Unban a user from a group: they may join again.

    They do not become a member by it. The group's sessions hear `group_member_unbanned`.
    """
    await ban.unban_user(call.runtime, call.app_id, call.actor, guid, uid)
    message = f"The user with uid {uid} has been unbanned from the Group with {guid}."
    return SuccessMessage(success=True, message=message)

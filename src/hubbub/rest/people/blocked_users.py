"""`/users/{uid}/blockedusers`: read the request, call the domain, write the answer."""

from hubbub.domain.access.people import NotOwnUser
from hubbub.domain.blocks import block, find, unblock
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import Acting
from hubbub.records.users.model import UidNotFound
from hubbub.rest.people.wire import blocked_users as wire
from hubbub.rest.people.wire.users import UserShape, user_view_shape
from hubbub.rest.wire.shapes import ItemOutcome, Listing, listing, normalise_ids

TAG = "Blocked Users"
BLOCKED = "/users/{uid}/blockedusers"


@operation.post(
    BLOCKED,
    tag=TAG,
    acting=Acting.OPTIONAL,
    for_users=True,
    features=("blockUser",),
    errors=(UidNotFound, NotOwnUser),
)
async def block_users(call: Call, uid: str, body: wire.BlockedUids) -> dict[str, ItemOutcome]:
    """Block users, for a user or as that user: no message goes either way from then on.

    At most 100, each with an outcome; who is blocked already stays so.
    """
    others = normalise_ids(body.blocked_uids, "blockedUids")
    outcomes = await block.block_users(call.runtime, call.app_id, call.actor, uid, others)
    return wire.block_outcomes(
        outcomes,
        lambda other: f"The user with UID {uid} has blocked user with UID {other} successfully.",
    )


@operation.delete(
    BLOCKED,
    tag=TAG,
    acting=Acting.OPTIONAL,
    for_users=True,
    features=("unblockUser",),
    errors=(UidNotFound, NotOwnUser),
)
async def unblock_users(call: Call, uid: str, body: wire.BlockedUids) -> dict[str, ItemOutcome]:
    """Unblock users, for a user or as that user; who is not blocked stays so.

    At most 100, each with an outcome. Messages that were refused meanwhile are not made up for.
    """
    others = normalise_ids(body.blocked_uids, "blockedUids")
    outcomes = await unblock.unblock_users(call.runtime, call.app_id, call.actor, uid, others)
    return wire.block_outcomes(
        outcomes,
        lambda other: f"The user with UID {uid} has unblocked user with UID {other} successfully.",
    )


@operation.get(
    BLOCKED,
    tag=TAG,
    acting=Acting.OPTIONAL,
    for_users=True,
    features=("getBlockedUsers",),
    errors=(UidNotFound, NotOwnUser),
)
async def list_blocked_users(call: Call, uid: str, query: wire.ListBlocked) -> Listing[UserShape]:
    """List the users whom a user has blocked, as he sees them, newest block first."""
    page = await find.list_blocked(
        call.runtime, call.app_id, call.actor, uid, query.request(), query.cursor()
    )
    viewer = call.actor.uid
    return listing(
        page, [user_view_shape(seen, viewer=viewer, with_tags=False) for seen in page.items]
    )

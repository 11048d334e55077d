"""`/users/{uid}/blockedusers`: read the request, call the domain, write the answer."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated

from msgspec import Meta

from hubbub.domain.access.people import NotOwnUser
from hubbub.domain.blocks import manage
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.lists import make_rows
from hubbub.http.operation import IDS_VALUES, Acting
from hubbub.kernel.errors import Refusal
from hubbub.records.blocks.model import MOST_BLOCKED_AT_ONCE
from hubbub.records.users.model import UidNotFound
from hubbub.rest.people.wire.users import UserShape, user_view_shape
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import (
    CursorQuery,
    Id,
    ItemOutcome,
    Listing,
    Shape,
    item_outcome,
    normalise_ids,
    page_answer,
)


class BlockedUsers(Shape):
    """The users to block or to unblock."""

    blocked_uids: Annotated[list[Id], Meta(max_length=MOST_BLOCKED_AT_ONCE)]


class ListBlocked(CursorQuery):
    """The page of a list of blocked users; `updatedAt` is the time of the block."""


def block_outcomes(
    outcomes: Mapping[str, Refusal | None], message: Callable[[str], str]
) -> dict[str, ItemOutcome]:
    """Return the outcomes by uid; `message` makes the text of a success from the uid."""
    return {uid: item_outcome(refusal, message(uid)) for uid, refusal in outcomes.items()}


TAG = operation.Tag(
    "Blocked Users",
    "Users whom a user blocks.",
)
BLOCKED = "/users/{uid}/blockedusers"


@operation.post(
    BLOCKED,
    tag=TAG,
    acting=Acting.OPTIONAL,
    features=("blockUser",),
    errors=(UidNotFound, NotOwnUser),
    most_values=IDS_VALUES,
)
async def block_users(call: Call, uid: path.Uid, body: BlockedUsers) -> dict[str, ItemOutcome]:
    """Block users, for a user or as that user: neither can send messages to the other.

    At most 100 at once, each with an outcome. Users who are blocked already stay blocked.
    """
    others = normalise_ids(body.blocked_uids, "blockedUids")
    outcomes = await manage.block_users(call.runtime, call.app_id, call.actor, uid, others)
    return block_outcomes(
        outcomes,
        lambda other: f"The user with UID {uid} has blocked user with UID {other} successfully.",
    )


@operation.delete(
    BLOCKED,
    tag=TAG,
    acting=Acting.OPTIONAL,
    features=("unblockUser",),
    errors=(UidNotFound, NotOwnUser),
    most_values=IDS_VALUES,
)
async def unblock_users(call: Call, uid: path.Uid, body: BlockedUsers) -> dict[str, ItemOutcome]:
    """Unblock users, for a user or as that user.

    At most 100 at once, each with an outcome. Messages that were refused in the meantime are not
    delivered.
    """
    others = normalise_ids(body.blocked_uids, "blockedUids")
    outcomes = await manage.unblock_users(call.runtime, call.app_id, call.actor, uid, others)
    return block_outcomes(
        outcomes,
        lambda other: f"The user with UID {uid} has unblocked user with UID {other} successfully.",
    )


@operation.get(
    BLOCKED,
    tag=TAG,
    acting=Acting.OPTIONAL,
    features=("getBlockedUsers",),
    errors=(UidNotFound, NotOwnUser),
)
async def list_blocked_users(call: Call, uid: path.Uid, query: ListBlocked) -> Listing[UserShape]:
    """List the users that a user has blocked, as that user sees them, newest block first.

    Each has `blockedByMeAt`: when the block began. Users may read their own list only.
    """
    page = await manage.list_blocked(
        call.runtime, call.app_id, call.actor, uid, query.request(), query.cursor()
    )
    shape = partial(user_view_shape, viewer=call.actor.uid, with_tags=False)
    return page_answer(page, await make_rows(call, page.items, shape))

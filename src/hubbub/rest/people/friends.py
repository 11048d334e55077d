"""`/users/{uid}/friends`: read the request, call the domain, write the answer."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated

from msgspec import Meta

from hubbub.domain.access.people import NotOwnUser
from hubbub.domain.friends.manage import befriend, list_friends, unfriend
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.lists import make_rows
from hubbub.http.operation import IDS_VALUES, Acting
from hubbub.kernel.errors import Refusal
from hubbub.records.friends.model import MOST_FRIENDS_AT_ONCE, NotAFriend
from hubbub.records.users.listing import UserFilter
from hubbub.records.users.model import UidNotFound
from hubbub.rest.people.wire.users import UserShape, user_view_shape
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import (
    CursorQuery,
    Id,
    ItemOutcome,
    Listing,
    SearchKey,
    Shape,
    SuccessMessage,
    item_outcome,
    normalise_ids,
    page_answer,
)

FriendUids = Annotated[list[Id], Meta(max_length=MOST_FRIENDS_AT_ONCE)]


class AddFriends(Shape):
    """The users to make friends."""

    accepted: FriendUids = []


class FriendOutcomes(Shape):
    """The outcomes by uid."""

    accepted: dict[str, ItemOutcome]


def friend_outcomes(outcomes: Mapping[str, Refusal | None]) -> FriendOutcomes:
    """Return the outcomes for new friends."""
    done = "Created relationship with status accepted."
    return FriendOutcomes(
        accepted={uid: item_outcome(refusal, done) for uid, refusal in outcomes.items()}
    )


class RemoveFriends(Shape):
    """The friends to remove."""

    friends: FriendUids = []


class ListFriends(CursorQuery):
    """The filter and the page of a list of friends."""

    search_key: SearchKey = ""

    def wanted(self) -> UserFilter:
        return UserFilter(search=self.search_key.strip(), cursor=self.cursor())


TAG = operation.Tag(
    "Friends",
    "Friendships between users.",
)
FRIENDS = "/users/{uid}/friends"


@operation.post(FRIENDS, tag=TAG, errors=(UidNotFound,), most_values=IDS_VALUES)
async def add_friend(call: Call, uid: path.Uid, body: AddFriends) -> FriendOutcomes:
    """Make users friends, at once and in both directions: at most 25, each with an outcome.

    A user has at most 1,000 friends, unless the settings of the app allow another number.
    """
    others = normalise_ids(body.accepted, "accepted")
    return friend_outcomes(await befriend(call.runtime, call.app_id, uid, others))


@operation.get(FRIENDS, tag=TAG, acting=Acting.OPTIONAL, errors=(UidNotFound, NotOwnUser))
async def list_all_friends(call: Call, uid: path.Uid, query: ListFriends) -> Listing[UserShape]:
    """List the friends of a user, newest change first.

    A user may list only their own friends. `searchKey` finds the beginning of the uid or of any
    word of the name, in upper or lower case.
    """
    viewer = call.actor.uid
    page = await list_friends(
        call.runtime, call.app_id, call.actor, uid, query.wanted(), query.request()
    )
    shape = partial(user_view_shape, viewer=viewer, with_tags=False)
    return page_answer(page, await make_rows(call, page.items, shape))


@operation.delete(FRIENDS, tag=TAG, errors=(UidNotFound, NotAFriend), most_values=IDS_VALUES)
async def remove_friend(call: Call, uid: path.Uid, body: RemoveFriends) -> SuccessMessage:
    """End friendships, in both directions; if one of the users is not a friend, nothing changes.

    The other users are not told. Roles with `friendsOnly` can't write to each other from then on.
    """
    await unfriend(call.runtime, call.app_id, uid, normalise_ids(body.friends, "friends"))
    # The interface spells it so.
    return SuccessMessage(success=True, message="Deleted the friend relations succussfully")

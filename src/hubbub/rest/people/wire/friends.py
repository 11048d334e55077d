"""The shapes of friendships."""

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta

from hubbub.kernel.errors import Refusal
from hubbub.records.friends.model import MOST_FRIENDS_AT_ONCE
from hubbub.records.users.listing import UserFilter
from hubbub.rest.wire.shapes import CursorQuery, Id, ItemOutcome, SearchKey, Shape, item_outcome

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

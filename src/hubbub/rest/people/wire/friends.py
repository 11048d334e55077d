"""The shapes of friendships."""

from collections.abc import Mapping
from typing import Annotated

from msgspec import Meta

from hubbub.kernel.errors import Refusal
from hubbub.records.friends.model import MOST_FRIENDS_AT_ONCE
from hubbub.records.users.listing import UserFilter
from hubbub.rest.people.wire.users import SearchKey
from hubbub.rest.wire.shapes import CursorQuery, Id, ItemOutcome, Shape, item_outcome

Uids = Annotated[list[Id], Meta(max_length=MOST_FRIENDS_AT_ONCE)]


class AddFriends(Shape):
    """Who become friends of a user; without any, nobody."""

    accepted: Uids = []


class FriendOutcomes(Shape):
    """What became of each, by uid."""

    accepted: dict[str, ItemOutcome]


def friend_outcomes(outcomes: Mapping[str, Refusal | None]) -> FriendOutcomes:
    """What became of those who were to be friends."""
    done = "Created relationship with status accepted."
    return FriendOutcomes(
        accepted={uid: item_outcome(refusal, done) for uid, refusal in outcomes.items()}
    )


class RemoveFriends(Shape):
    """Who are friends of a user no more; without any, all stay."""

    friends: Uids = []


class ListFriends(CursorQuery):
    """Which friends, and from where."""

    search_key: SearchKey = ""

    def wanted(self) -> UserFilter:
        return UserFilter(search=self.search_key.strip(), cursor=self.cursor())

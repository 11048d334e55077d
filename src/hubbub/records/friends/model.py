"""Errors about friendships."""

from dataclasses import dataclass

from hubbub.kernel.errors import BadInput, Conflict, LimitReached, NotFound

MOST_FRIENDS_AT_ONCE = 25


@dataclass(frozen=True, slots=True)
class Friendship:
    """Two users are friends; it is stored once from each side."""

    uid: str
    friend: str
    created_at: int


class AlreadyFriend(Conflict):
    """The two users are already friends."""

    code = "ERR_ALREADY_FRIEND"

    def __init__(self, uid: str, friend: str) -> None:
        super().__init__(f"The users with the UIDs {uid} and {friend} are already friends.")


class NotAFriend(NotFound):
    """The two users are not friends."""

    code = "ERR_NOT_A_FRIEND"

    def __init__(self, uid: str, friend: str) -> None:
        super().__init__(f"The users with the UIDs {uid} and {friend} are not friends.")


class CannotFormSelfRelation(BadInput):
    """A user can't be their own friend."""

    code = "ERR_CANNOT_FORM_SELF_RELATION"

    def __init__(self, uid: str) -> None:
        super().__init__(
            f"The user with UID {uid} can't be their own friend.",
            details={"accepted": [f"The list must not contain {uid}."]},
        )


class TooManyFriends(LimitReached):
    """One of the two users has as many friends as the app allows."""

    def __init__(self, uid: str, most: int) -> None:
        super().__init__(
            f"The user with UID {uid} already has {most:,} friends.",
            details={"accepted": [f"The limit is {most:,} friends per user."]},
        )

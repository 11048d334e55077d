"""What can be wrong about friendships."""

from hubbub.kernel.errors import BadInput, Conflict, LimitReached, NotFound

MOST_FRIENDS_AT_ONCE = 25


class AlreadyFriend(Conflict):
    """They are friends already."""

    code = "ERR_ALREADY_FRIEND"

    def __init__(self, uid: str, friend: str) -> None:
        super().__init__(f"The users with the UIDs {uid} and {friend} are friends already.")


class NotAFriend(NotFound):
    """They are no friends."""

    code = "ERR_NOT_A_FRIEND"

    def __init__(self, uid: str, friend: str) -> None:
        super().__init__(f"The users with the UIDs {uid} and {friend} are not friends.")


class CannotFormSelfRelation(BadInput):
    """Nobody is his own friend."""

    code = "ERR_CANNOT_FORM_SELF_RELATION"

    def __init__(self, uid: str) -> None:
        super().__init__(
            f"The user with UID {uid} can't be his own friend.",
            details={"accepted": [f"It must not hold {uid}."]},
        )


class TooManyFriends(LimitReached):
    """One of the two has as many friends as he may have."""

    def __init__(self, uid: str, most: int) -> None:
        super().__init__(
            f"The user with UID {uid} has {most:,} friends already.",
            details={"accepted": [f"The limit is {most:,} friends per user."]},
        )

"""Events of users."""

import msgspec

from hubbub.outbox.registry import event


@event("users_deactivated", internal=True)
class UsersDeactivated(msgspec.Struct, frozen=True):
    """These users can no longer act; their tokens and sessions end on every node."""

    uids: list[str]
    at: int


@event("users_reactivated", internal=True)
class UsersReactivated(msgspec.Struct, frozen=True):
    """These users may act again."""

    uids: list[str]
    at: int


@event("user_deleted", internal=True)
class UserDeleted(msgspec.Struct, frozen=True):
    """The user is in no look-up and no list; with `permanent`, their data is erased, too."""

    uid: str
    permanent: bool
    at: int

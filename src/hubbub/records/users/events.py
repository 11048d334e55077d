"""What happens to users."""

from typing import ClassVar

import msgspec


class UsersDeactivated(msgspec.Struct, frozen=True):
    """These can't act any more; internal: it ends their tokens and sessions on every node."""

    event_name: ClassVar[str] = "users_deactivated"
    uids: list[str]
    at: int


class UsersReactivated(msgspec.Struct, frozen=True):
    """These may act again; internal."""

    event_name: ClassVar[str] = "users_reactivated"
    uids: list[str]
    at: int


class UserDeleted(msgspec.Struct, frozen=True):
    """He is gone from look-ups and lists; `permanent` tells that all of his goes, too; internal."""

    event_name: ClassVar[str] = "user_deleted"
    uid: str
    permanent: bool
    at: int

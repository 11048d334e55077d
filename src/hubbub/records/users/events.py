"""Events of users."""

import msgspec

from hubbub.outbox.audience import NOBODY, NODES_ALONE, Audience, EventPlaces, Keys, user_key
from hubbub.outbox.registry import event


def _keys(event: "UsersDeactivated", _: EventPlaces) -> Keys:
    return tuple(event.uids)


def _ends_several(event: "UsersDeactivated", uid: str, _: str) -> bool:
    return uid in event.uids


def _ends_one(event: "UserDeleted", uid: str, _: str) -> bool:
    return uid == event.uid


@event(
    "users_deactivated",
    told=Audience(NODES_ALONE, _keys, ends=_ends_several),
    actor=None,
    internal=True,
)
class UsersDeactivated(msgspec.Struct, frozen=True):
    """These users can no longer act; their tokens and sessions end on every node."""

    uids: list[str]
    at: int


@event("users_reactivated", told=NOBODY, actor=None, internal=True)
class UsersReactivated(msgspec.Struct, frozen=True):
    """These users may act again."""

    uids: list[str]
    at: int


@event(
    "user_deleted", told=Audience(NODES_ALONE, user_key, ends=_ends_one), actor=None, internal=True
)
class UserDeleted(msgspec.Struct, frozen=True):
    """The user is in no look-up and no list; with `permanent`, their data is erased, too."""

    uid: str
    permanent: bool
    at: int

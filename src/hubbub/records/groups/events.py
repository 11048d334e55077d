"""Events of groups."""

import msgspec

from hubbub.kernel.text import SYSTEM_UID
from hubbub.outbox.audience import Audience, EventPlaces, Keys, group_key
from hubbub.outbox.registry import event

MEMBERS = Audience("the members of the group", group_key)


def _owner_key(event: "GroupCreated", _: EventPlaces) -> Keys:
    return (event.owner,)


@event(
    "group_created",
    "A group was created.",
    told=Audience("its owner", _owner_key),
    actor="by",
    trigger="group",
)
class GroupCreated(msgspec.Struct, frozen=True):
    """A group was created with its owner; each further member has an event of their own."""

    guid: str
    conversation: int
    owner: str
    by: str
    at: int


@event("group_updated", "A group was changed.", told=MEMBERS, actor="by", trigger="group")
class GroupUpdated(msgspec.Struct, frozen=True):
    """The visible fields of a group changed."""

    guid: str
    conversation: int
    by: str
    at: int


@event(
    "group_deleted",
    "A group was deleted.",
    told=MEMBERS,
    actor="by",
    trigger="group",
    authors=("owner", "by"),
    redacted={"name": "", "description": None, "icon": None},
)
class GroupDeleted(msgspec.Struct, frozen=True):
    """A group and all its messages were deleted permanently; the other fields are its last.

    The name is empty once the owner, or who deleted it, was erased.
    """

    guid: str
    conversation: int
    name: str
    type: str
    by: str
    at: int
    owner: str = SYSTEM_UID
    description: str | None = None
    icon: str | None = None
    members_count: int = 0
    created_at: int = 0


@event(
    "group_owner_transferred", "A group has a new owner.", told=MEMBERS, actor="by", trigger="group"
)
class GroupOwnerTransferred(msgspec.Struct, frozen=True):
    """A group has a new owner."""

    guid: str
    conversation: int
    owner: str
    old_owner: str
    by: str
    at: int

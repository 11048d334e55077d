"""Events of groups."""

import msgspec

from hubbub.outbox.registry import event


@event("group_created")
class GroupCreated(msgspec.Struct, frozen=True):
    """A group was created with its owner; each further member has an event of their own."""

    guid: str
    conversation: int
    owner: str
    by: str
    at: int


@event("group_updated")
class GroupUpdated(msgspec.Struct, frozen=True):
    """The visible fields of a group changed."""

    guid: str
    conversation: int
    by: str
    at: int


@event("group_deleted")
class GroupDeleted(msgspec.Struct, frozen=True):
    """A group and all its messages were deleted permanently; `name` and `type` are its last."""

    guid: str
    conversation: int
    name: str
    type: str
    by: str
    at: int


@event("group_owner_transferred")
class GroupOwnerTransferred(msgspec.Struct, frozen=True):
    """A group has a new owner."""

    guid: str
    conversation: int
    owner: str
    old_owner: str
    by: str
    at: int

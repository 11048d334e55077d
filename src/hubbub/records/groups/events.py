"""What happens to groups."""

from typing import ClassVar

import msgspec


class GroupCreated(msgspec.Struct, frozen=True):
    """A group was made, with its owner; further members are told by events of their own."""

    event_name: ClassVar[str] = "group_created"
    guid: str
    conversation: int
    owner: str
    by: str
    at: int


class GroupUpdated(msgspec.Struct, frozen=True):
    """What a group shows of itself changed."""

    event_name: ClassVar[str] = "group_updated"
    guid: str
    conversation: int
    by: str
    at: int


class GroupDeleted(msgspec.Struct, frozen=True):
    """A group is gone for good, with all that was said in it; `name` and `type` are its last."""

    event_name: ClassVar[str] = "group_deleted"
    guid: str
    conversation: int
    name: str
    type: str
    by: str
    at: int


class GroupOwnerTransferred(msgspec.Struct, frozen=True):
    """A group has another owner."""

    event_name: ClassVar[str] = "group_owner_transferred"
    guid: str
    conversation: int
    owner: str
    old_owner: str
    by: str
    at: int

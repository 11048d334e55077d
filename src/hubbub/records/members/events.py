"""What happens to members; `message` is the action message that tells of it."""

from typing import ClassVar

import msgspec


class MemberEvent(msgspec.Struct, frozen=True, kw_only=True):
    """What all of them tell; `members_count` is that of the group afterwards."""

    guid: str
    conversation: int
    uid: str
    message: int
    shows: bool
    """Whether the action message may be its conversation's lastMessage."""
    members_count: int
    at: int
    """When the action message was sent: never before what was said until then."""


class GroupMemberJoined(MemberEvent, frozen=True, kw_only=True):
    """He joined by himself."""

    event_name: ClassVar[str] = "group_member_joined"
    scope: str
    joined_at: int


class GroupMemberAdded(MemberEvent, frozen=True, kw_only=True):
    """Somebody added him."""

    event_name: ClassVar[str] = "group_member_added"
    by: str
    scope: str
    joined_at: int


class GroupMemberLeft(MemberEvent, frozen=True, kw_only=True):
    """He left by himself."""

    event_name: ClassVar[str] = "group_member_left"


class GroupMemberKicked(MemberEvent, frozen=True, kw_only=True):
    """Somebody removed him."""

    event_name: ClassVar[str] = "group_member_kicked"
    by: str


class GroupMemberBanned(MemberEvent, frozen=True, kw_only=True):
    """Somebody keeps him out; he may never have been in."""

    event_name: ClassVar[str] = "group_member_banned"
    by: str
    banned_at: int


class GroupMemberUnbanned(MemberEvent, frozen=True, kw_only=True):
    """He may join again."""

    event_name: ClassVar[str] = "group_member_unbanned"
    by: str


class GroupMemberScopeChanged(MemberEvent, frozen=True, kw_only=True):
    """He may do more, or less, in the group."""

    event_name: ClassVar[str] = "group_member_scope_changed"
    by: str
    scope: str
    old_scope: str

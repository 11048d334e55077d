"""Events of group members; `message` is the id of the action message of the same change."""

import msgspec

from hubbub.outbox.registry import event


class MemberEvent(msgspec.Struct, frozen=True, kw_only=True):
    """The membership of user `uid` in a group changed."""

    guid: str
    conversation: int
    uid: str
    message: int
    shows: bool
    """True if the action message may be its conversation's `lastMessage`."""
    members_count: int
    """The number of members after the change."""
    at: int
    """The `sentAt` of the action message: not before that of any earlier message."""


@event("group_member_joined")
class GroupMemberJoined(MemberEvent, frozen=True, kw_only=True):
    """The user joined on their own."""

    scope: str
    joined_at: int
    hidden_upto: int = 0
    """Messages up to this id are not shown to the user."""


@event("group_member_added")
class GroupMemberAdded(MemberEvent, frozen=True, kw_only=True):
    """`by` added the user."""

    by: str
    scope: str
    joined_at: int
    hidden_upto: int = 0
    """Messages up to this id are not shown to the user."""


@event("group_member_left")
class GroupMemberLeft(MemberEvent, frozen=True, kw_only=True):
    """The user left on their own."""


@event("group_member_kicked")
class GroupMemberKicked(MemberEvent, frozen=True, kw_only=True):
    """`by` removed the user."""

    by: str


@event("group_member_banned")
class GroupMemberBanned(MemberEvent, frozen=True, kw_only=True):
    """`by` banned the user, who may not have been a member."""

    by: str
    banned_at: int


@event("group_member_unbanned")
class GroupMemberUnbanned(MemberEvent, frozen=True, kw_only=True):
    """`by` lifted the ban; the user may join again."""

    by: str


@event("group_member_scope_changed")
class GroupMemberScopeChanged(MemberEvent, frozen=True, kw_only=True):
    """`by` gave the user another scope in the group."""

    by: str
    scope: str
    old_scope: str


@event("members_imported", internal=True)
class MembersImported(msgspec.Struct, frozen=True, kw_only=True):
    """Users became members of a group by an import; their sessions are told of it from now on."""

    conversation: int
    uids: list[str]
    at: int
    hidden_upto: int = 0
    """Messages up to this id are not shown to the users."""

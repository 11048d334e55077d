"""Events of group members; `message` is the id of the action message of the same change."""

import msgspec

from hubbub.outbox.audience import NODES_ALONE, Audience, EventPlaces, Keys
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


class MemberEventBy(MemberEvent, frozen=True, kw_only=True):
    """`by` changed the membership of the user."""

    by: str


def _keys(event: MemberEvent, _: EventPlaces) -> Keys:
    return event.conversation, event.uid


MEMBERS = Audience("the members of the group, and the user whom it is about", _keys)


@event(
    "group_member_added",
    "A user was added to a group.",
    told=MEMBERS,
    actor="by",
    trigger="group",
    trigger_text="Users were added to a group.",
)
class GroupMemberAdded(MemberEventBy, frozen=True, kw_only=True):
    """`by` added the user."""

    scope: str
    joined_at: int
    hidden_upto: int = 0
    """Messages up to this id are not shown to the user."""


@event("group_member_joined", "A user joined a group.", told=MEMBERS, actor="uid", trigger="group")
class GroupMemberJoined(MemberEvent, frozen=True, kw_only=True):
    """The user joined on their own."""

    scope: str
    joined_at: int
    hidden_upto: int = 0
    """Messages up to this id are not shown to the user."""


@event("group_member_left", "A user left a group.", told=MEMBERS, actor="uid", trigger="group")
class GroupMemberLeft(MemberEvent, frozen=True, kw_only=True):
    """The user left on their own."""


@event(
    "group_member_kicked",
    "A member was removed from a group.",
    told=MEMBERS,
    actor="by",
    trigger="group",
)
class GroupMemberKicked(MemberEventBy, frozen=True, kw_only=True):
    """`by` removed the user."""


@event(
    "group_member_banned",
    "A user was banned from a group.",
    told=MEMBERS,
    actor="by",
    trigger="group",
)
class GroupMemberBanned(MemberEventBy, frozen=True, kw_only=True):
    """`by` banned the user, who may not have been a member."""

    banned_at: int


@event(
    "group_member_unbanned",
    "The ban of a user from a group was lifted.",
    told=MEMBERS,
    actor="by",
    trigger="group",
)
class GroupMemberUnbanned(MemberEventBy, frozen=True, kw_only=True):
    """`by` lifted the ban; the user may join again."""


@event(
    "group_member_scope_changed",
    "A member of a group has another scope.",
    told=MEMBERS,
    actor="by",
    trigger="group",
)
class GroupMemberScopeChanged(MemberEventBy, frozen=True, kw_only=True):
    """`by` gave the user another scope in the group."""

    scope: str
    old_scope: str


def _imported_keys(event: "MembersImported", _: EventPlaces) -> Keys:
    return tuple(event.uids)


@event(
    "members_imported",
    told=Audience(NODES_ALONE, _imported_keys),  # nothing to show, but nodes must know
    actor=None,
    internal=True,
)
class MembersImported(msgspec.Struct, frozen=True, kw_only=True):
    """Users became members of a group by an import; their sessions are told of it from now on."""

    conversation: int
    uids: list[str]
    at: int
    hidden_upto: int = 0
    """Messages up to this id are not shown to the users."""

"""The lines of JSON Lines by which chats are moved in and out, one shape for each kind.

A line is an object with its kind in `type`. Its fields are those of the REST import, but for what
other lines tell: reactions, how far somebody has read, and files. Users, groups and messages are
named by what their app knows them by: uid, guid, and the sender with their muid. Times are whole
seconds since 1970.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from hubbub.rest.messages.wire.send import Data, Muid
from hubbub.rest.wire.enums import GroupType, ReceiverType, Scope
from hubbub.rest.wire.path import LONGEST_REACTION
from hubbub.rest.wire.shapes import Id, Json, Link, Name, ShortText, Tags, Timestamp

KIND = "type"
"""The field that says which kind of line it is."""
GROWN = "grown"
"""The field of a message's data that says how it grew; its text may be longer than others."""
FILE = "file:"
"""The `url` of an attachment begins so if the file lies beside the lines: its path follows."""


class Line(
    msgspec.Struct,
    rename="camel",
    omit_defaults=True,
    kw_only=True,
    tag_field=KIND,
    forbid_unknown_fields=True,
):
    """The base of the lines."""


class RoleLine(Line, tag="role"):
    """A role of users, with its settings, permissions and restricted features, if it has any."""

    role: Id
    name: Name
    description: ShortText | None = None
    metadata: Json | None = None
    list_users: Literal["all", "friendsOnly"] | None = None
    send_messages_to: Literal["all", "friendsOnly"] | None = None
    permissions: dict[str, str | list[str]] | None = None
    restricted: dict[str, int] | None = None
    """The keys of features, with the time of each restriction."""
    created_at: Timestamp | None = None


class UserLine(Line, tag="user"):
    """A person or a bot."""

    uid: Id
    name: Name
    avatar: Link | None = None
    link: Link | None = None
    role: Id | None = None
    status_message: ShortText | None = None
    metadata: Json | None = None
    tags: Tags | None = None
    is_bot: bool = False
    created_at: Timestamp | None = None
    last_active_at: Timestamp | None = None
    deactivated_at: Timestamp | None = None
    deleted_at: Timestamp | None = None
    """Since when the user is deleted softly: their messages stay, and the uid is taken."""


class BlockLine(Line, tag="block"):
    """The user `uid` has blocked the user `blocked`."""

    uid: Id
    blocked: Id
    at: Timestamp | None = None


class FriendLine(Line, tag="friend"):
    """Two users are friends; an export has each pair once, with the lesser uid first."""

    uid: Id
    friend: Id
    at: Timestamp | None = None


class ContactLine(Line, tag="contact"):
    """Where a user is sent e-mails and SMS; the phone number is in the form E.164."""

    uid: Id
    email: Annotated[str, Meta(max_length=254)] | None = None
    phone_number: Annotated[str, Meta(max_length=30)] | None = None


class GroupLine(Line, tag="group"):
    """A group. One with a password has it in clear, or as the hash that an export has."""

    guid: Id
    name: Name
    group_type: GroupType
    password: Annotated[str, Meta(max_length=100)] | None = None
    password_hash: Annotated[str, Meta(max_length=500)] | None = None
    icon: Link | None = None
    description: ShortText | None = None
    owner: Id | None = None
    metadata: Json | None = None
    tags: Tags | None = None
    permissions: dict[str, dict[str, str | list[str]]] | None = None
    """What the members of each scope may do, by id of the permission."""
    created_at: Timestamp | None = None


class MemberLine(Line, tag="member"):
    """A member of a group, or with `isBanned` somebody who is banned from it."""

    guid: Id
    uid: Id
    scope: Scope = "participant"
    joined_at: Timestamp | None = None
    is_banned: bool = False


class ActionOnMember(msgspec.Struct, rename="camel", omit_defaults=True, kw_only=True):
    """The data of a message of the category `action`: what its sender did to a member."""

    action: Literal["added", "joined", "left", "kicked", "banned", "unbanned", "scopeChanged"]
    on: Id
    """The uid of the member."""
    scope: Scope | None = None
    old_scope: Scope | None = None


class MessageLine(Line, tag="message"):
    """A message; one with `deletedAt` needs no data.

    One of the category `action` and the type `groupMember` has the data `ActionOnMember`.
    """

    muid: Muid
    sender: Id
    receiver_type: ReceiverType
    receiver: Id
    sent_at: Timestamp
    category: str | None = None
    message_type: str | None = None
    data: Data = None
    tags: Tags | None = None
    parent_muid: Muid | None = None
    parent_sender: Id | None = None
    quoted_muid: Muid | None = None
    quoted_sender: Id | None = None
    edited_at: Timestamp | None = None
    deleted_at: Timestamp | None = None
    pinned_at: Timestamp | None = None
    delivered_at: Timestamp | None = None
    read_at: Timestamp | None = None
    update_conversation: bool | None = None
    conversation_text: ShortText | None = None


class PlainLine(
    msgspec.Struct,
    rename="camel",
    kw_only=True,
    tag_field=KIND,
    tag="message",
    forbid_unknown_fields=True,
    gc=False,
):
    """The line of a message, once it is checked, of which other tables say nothing.

    Its data stay JSON. It is decoded from what a `MessageLine` was encoded to, and nothing else.
    """

    muid: str
    sender: str
    receiver_type: str
    receiver: str
    sent_at: int
    category: str
    message_type: str
    data: msgspec.Raw = msgspec.Raw(b"{}")
    delivered_at: int | None = None
    read_at: int | None = None
    traits: int = 0
    """Is known from its staging on, and not in its JSON."""


class ReactionLine(Line, tag="reaction"):
    """A reaction of `uid` to the message of `sender` with this muid."""

    muid: Muid
    sender: Id
    uid: Id
    reaction: Annotated[str, Meta(min_length=1, max_length=LONGEST_REACTION)]
    at: Timestamp | None = None


class ReceiptLine(Line, tag="receipt"):
    """How far somebody has read a conversation: up to the message `readUpTo` of `sender`.

    `receiver` is the group, or the other user.
    """

    receiver_type: ReceiverType
    receiver: Id
    uid: Id
    read_up_to: Muid
    sender: Id
    at: Timestamp | None = None


class FileLine(Line, tag="file"):
    """A file beside the lines, which attachments name by `file:<path>`."""

    path: Annotated[str, Meta(min_length=1, max_length=1000)]


AnyLine = (
    RoleLine
    | UserLine
    | BlockLine
    | FriendLine
    | ContactLine
    | GroupLine
    | MemberLine
    | MessageLine
    | ReactionLine
    | ReceiptLine
    | FileLine
)
KINDS: dict[str, type[Line]] = {
    "role": RoleLine,
    "user": UserLine,
    "block": BlockLine,
    "friend": FriendLine,
    "contact": ContactLine,
    "group": GroupLine,
    "member": MemberLine,
    "message": MessageLine,
    "reaction": ReactionLine,
    "receipt": ReceiptLine,
    "file": FileLine,
}
"""The kinds, in the order in which they are imported: each may name what earlier ones make."""

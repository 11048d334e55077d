"""What people choose to be notified of: the items of the preferences, and the values of each."""

from enum import IntEnum, StrEnum
from typing import Any, Generic, Self, TypeVar

from msgspec import Struct

from hubbub.records.notifications.model import Reason


class MessageLevel(IntEnum):
    """The messages or replies of which a person is notified."""

    NONE = 1
    ALL = 2
    MENTIONS = 3
    """Only those that mention the person."""


class ReactionLevel(IntEnum):
    """The reactions of which a person is notified."""

    NONE = 1
    OWN = 2
    """Only those to messages of the person."""
    ALL = 3


class Switch(IntEnum):
    """Whether something is on."""

    OFF = 1
    ON = 2


Value = TypeVar("Value")


class PreferenceDefault(Struct, Generic[Value], frozen=True):
    """The default of a preference, and whether users may choose another value."""

    setting: Value
    may_override: bool = True


Default = PreferenceDefault[Any] | Switch
_ALL = PreferenceDefault(MessageLevel.ALL)
_OWN = PreferenceDefault(ReactionLevel.OWN)
_ALWAYS = PreferenceDefault(Switch.ON, may_override=False)
_OFF = PreferenceDefault(Switch.OFF)


class Item(StrEnum):
    """An item of the preferences; its value is the name of the setting.

    The settings of apps, the choices of people and both on the wire go over these.
    """

    reason: Reason
    """Why a person is not notified who has the item off."""
    default: Default
    """The setting of an app that has set nothing; of calls no user chooses."""

    MESSAGE = "messages", Reason.MESSAGES_PREFERENCE, _ALL
    REPLY = "replies", Reason.REPLIES_PREFERENCE, _ALL
    QUOTED_REPLY = "quoted_replies", Reason.QUOTED_REPLIES_PREFERENCE, _ALL
    REACTION = "reactions", Reason.REACTIONS_PREFERENCE, _OWN
    EDITED = "message_edited", Reason.MESSAGE_ACTIONS_PREFERENCE, _ALWAYS
    DELETED = "message_deleted", Reason.MESSAGE_ACTIONS_PREFERENCE, _ALWAYS
    MEMBER_LEFT = "member_left", Reason.GROUP_ACTIONS_PREFERENCE, _OFF
    MEMBER_ADDED = "member_added", Reason.GROUP_ACTIONS_PREFERENCE, _OFF
    MEMBER_JOINED = "member_joined", Reason.GROUP_ACTIONS_PREFERENCE, _OFF
    MEMBER_KICKED = "member_kicked", Reason.GROUP_ACTIONS_PREFERENCE, _OFF
    MEMBER_BANNED = "member_banned", Reason.GROUP_ACTIONS_PREFERENCE, _OFF
    MEMBER_UNBANNED = "member_unbanned", Reason.GROUP_ACTIONS_PREFERENCE, _OFF
    MEMBER_SCOPE_CHANGED = "member_scope_changed", Reason.GROUP_ACTIONS_PREFERENCE, _OFF
    REMINDER = "reminder", Reason.MESSAGES_PREFERENCE, Switch.ON
    CALL_INITIATED = "initiated", Reason.CALL_PREFERENCE, Switch.ON
    CALL_ONGOING = "ongoing", Reason.CALL_PREFERENCE, Switch.ON
    CALL_CANCELLED = "cancelled", Reason.CALL_PREFERENCE, Switch.ON
    CALL_BUSY = "busy", Reason.CALL_PREFERENCE, Switch.ON
    CALL_REJECTED = "rejected", Reason.CALL_PREFERENCE, Switch.ON
    CALL_UNANSWERED = "unanswered", Reason.CALL_PREFERENCE, Switch.ON
    CALL_ENDED = "ended", Reason.CALL_PREFERENCE, Switch.ON

    __hash__ = str.__hash__  # that of enums is a function in Python, called for each person

    def __new__(cls, setting: str, reason: Reason, default: Default) -> Self:
        item = str.__new__(cls, setting)
        item._value_ = setting
        item.reason = reason
        item.default = default
        return item


MESSAGES = frozenset({Item.MESSAGE, Item.REPLY, Item.QUOTED_REPLY})
"""New messages: the items that ask for mentions, and those of digests."""
CHANGES = frozenset({Item.EDITED, Item.DELETED})
MEMBER_ACTIONS = frozenset(item for item in Item if item.name.startswith("MEMBER_"))
OF_GROUPS = frozenset(item for item in Item if item.reason is Reason.GROUP_ACTIONS_PREFERENCE)
"""The items that one-to-one conversations do not have."""
ASKED_FOR = frozenset({Item.REMINDER})
"""What people have asked for: nobody switches it off, and nothing mutes it."""
CALLS = frozenset(item for item in Item if item.reason is Reason.CALL_PREFERENCE)

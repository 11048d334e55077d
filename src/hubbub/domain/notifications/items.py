"""What people choose to be notified of, and what the log of notifications calls what happened."""

from enum import StrEnum
from typing import Literal, Self

from hubbub.records.notifications.model import Reason


class Item(StrEnum):
    """An item of the preferences; its value is the name of the setting."""

    reason: Reason
    """Why a person is not notified who has the item off."""

    MESSAGE = "messages", Reason.MESSAGES_PREFERENCE
    REPLY = "replies", Reason.REPLIES_PREFERENCE
    QUOTED_REPLY = "quoted_replies", Reason.QUOTED_REPLIES_PREFERENCE
    REACTION = "reactions", Reason.REACTIONS_PREFERENCE
    EDITED = "message_edited", Reason.MESSAGE_ACTIONS_PREFERENCE
    DELETED = "message_deleted", Reason.MESSAGE_ACTIONS_PREFERENCE
    MEMBER_LEFT = "member_left", Reason.GROUP_ACTIONS_PREFERENCE
    MEMBER_ADDED = "member_added", Reason.GROUP_ACTIONS_PREFERENCE
    MEMBER_JOINED = "member_joined", Reason.GROUP_ACTIONS_PREFERENCE
    MEMBER_KICKED = "member_kicked", Reason.GROUP_ACTIONS_PREFERENCE
    MEMBER_BANNED = "member_banned", Reason.GROUP_ACTIONS_PREFERENCE
    MEMBER_UNBANNED = "member_unbanned", Reason.GROUP_ACTIONS_PREFERENCE
    MEMBER_SCOPE_CHANGED = "member_scope_changed", Reason.GROUP_ACTIONS_PREFERENCE
    CALL_INITIATED = "initiated", Reason.CALL_PREFERENCE
    CALL_ONGOING = "ongoing", Reason.CALL_PREFERENCE
    CALL_CANCELLED = "cancelled", Reason.CALL_PREFERENCE
    CALL_BUSY = "busy", Reason.CALL_PREFERENCE
    CALL_REJECTED = "rejected", Reason.CALL_PREFERENCE
    CALL_UNANSWERED = "unanswered", Reason.CALL_PREFERENCE
    CALL_ENDED = "ended", Reason.CALL_PREFERENCE

    def __new__(cls, setting: str, reason: Reason) -> Self:
        item = str.__new__(cls, setting)
        item._value_ = setting
        item.reason = reason
        return item


MESSAGES = frozenset({Item.MESSAGE, Item.REPLY, Item.QUOTED_REPLY})
"""New messages: the items that ask for mentions, and those of digests."""
CHANGES = frozenset({Item.EDITED, Item.DELETED})
MEMBER_ACTIONS = frozenset(item for item in Item if item.name.startswith("MEMBER_"))
CALLS = frozenset(item for item in Item if item.name.startswith("CALL_"))
Trigger = Literal[
    "after_message",
    "message_deleted",
    "message_edited",
    "message_reaction_added",
    "initiated",
    "rejected",
    "cancelled",
    "unanswered",
    "after_group_joined",
    "after_group_left",
    "after_group_members_added",
    "after_group_members_kicked",
    "after_group_members_banned",
    "after_group_members_unbanned",
    "after_scope_changed",
]
"""What the log of notifications calls what happened."""

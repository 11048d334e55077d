"""The occasions of notifications: what happened, who did it, and which message it is about.

`of_message`, `of_reaction`, `of_change` and `of_member` make an occasion from messages as webhooks
get them (`rest/payloads`), as decoded JSON. They trust that JSON: the server has written it. An
occasion is made once for an event, whatever the number of people.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.conversations.model import GROUP, USER
from hubbub.records.messages.model import CUSTOM

Json = Mapping[str, Any]


class Item(StrEnum):
    """An item of the preferences; its value is the name of the setting."""

    MESSAGE = "messages"
    REPLY = "replies"
    QUOTED_REPLY = "quoted_replies"
    REACTION = "reactions"
    EDITED = "message_edited"
    DELETED = "message_deleted"
    MEMBER_LEFT = "member_left"
    MEMBER_ADDED = "member_added"
    MEMBER_JOINED = "member_joined"
    MEMBER_KICKED = "member_kicked"
    MEMBER_BANNED = "member_banned"
    MEMBER_UNBANNED = "member_unbanned"
    MEMBER_SCOPE_CHANGED = "member_scope_changed"
    CALL_INITIATED = "initiated"
    CALL_ONGOING = "ongoing"
    CALL_CANCELLED = "cancelled"
    CALL_BUSY = "busy"
    CALL_REJECTED = "rejected"
    CALL_UNANSWERED = "unanswered"
    CALL_ENDED = "ended"


MESSAGES = frozenset({Item.MESSAGE, Item.REPLY, Item.QUOTED_REPLY})
"""New messages: the items that ask for mentions, and those of e-mail and SMS."""
CHANGES = frozenset({Item.EDITED, Item.DELETED})
_WITHHELD = {"pending", "disapproved"}
_CHANGES = {"edited": Item.EDITED, "deleted": Item.DELETED}
_MEMBER_ACTIONS = {
    "joined": Item.MEMBER_JOINED,
    "left": Item.MEMBER_LEFT,
    "added": Item.MEMBER_ADDED,
    "kicked": Item.MEMBER_KICKED,
    "banned": Item.MEMBER_BANNED,
    "unbanned": Item.MEMBER_UNBANNED,
    "scopeChanged": Item.MEMBER_SCOPE_CHANGED,
}
MEMBER_ACTIONS = frozenset(_MEMBER_ACTIONS.values())
TRIGGERS: Mapping[Item, str] = {
    **dict.fromkeys(MESSAGES, "after_message"),
    Item.REACTION: "message_reaction_added",
    Item.EDITED: "message_edited",
    Item.DELETED: "message_deleted",
    Item.MEMBER_LEFT: "after_group_left",
    Item.MEMBER_ADDED: "after_group_members_added",
    Item.MEMBER_JOINED: "after_group_joined",
    Item.MEMBER_KICKED: "after_group_members_kicked",
    Item.MEMBER_BANNED: "after_group_members_banned",
    Item.MEMBER_UNBANNED: "after_group_members_unbanned",
    Item.MEMBER_SCOPE_CHANGED: "after_scope_changed",
    **{item: item.value for item in Item if item.name.startswith("CALL_")},
}
"""The triggers in the log of notifications."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """One event that people may be notified of."""

    item: Item
    is_group: bool
    actor: str
    """The uid of who did it: they are not notified of it."""
    author: str = ""
    """The uid of the sender of the message that it is about."""
    mentioned: frozenset[str] = frozenset()
    mentions_all: bool = False
    is_silent: bool = False
    """True if the message asks for no notifications, or is a custom one that does not ask."""
    message: Json = field(default_factory=dict)
    """The message that it is about; of a member action its action message."""
    by: Json = field(default_factory=dict)
    """Who did it, as an entity: `uid`, `name` and, if known, `avatar`."""
    receiver: Json = field(default_factory=dict)
    """The group, or the user to whom the actor speaks, as an entity."""
    at: int = 0
    """When it happened, in seconds."""
    reaction: str = ""

    @property
    def is_gone(self) -> bool:
        """Return whether the message was deleted, and this is not what tells of it."""
        return "deletedAt" in self.message and self.item is not Item.DELETED

    @property
    def is_withheld(self) -> bool:
        """Return whether moderation shows the message to nobody but its sender."""
        moderation = self.message.get("data", {}).get("moderation", {})
        return moderation.get("status") in _WITHHELD

    @property
    def trigger(self) -> str:
        """The trigger in the log of notifications."""
        return TRIGGERS[self.item]

    def may_concern(self, uid: str) -> bool:
        """Return False for the sender: for them nothing is sent or logged.

        That is who did it. A change of a message is also nothing for its author, whoever made it:
        it replaces a notification, and they had none. A message that moderation withholds is for
        its author alone.
        """
        is_own = self.item in CHANGES and uid == self.author
        if self.is_withheld and uid != self.author:
            return False
        return not is_own and uid not in (self.actor, SYSTEM_UID)

    def mentions(self, uid: str) -> bool:
        """Return whether the message mentions a user, by their uid or as one of all."""
        return self.mentions_all or uid in self.mentioned


def of_message(message: Json) -> Occasion:
    """Return the occasion of a new message, reply or quoted reply."""
    entities = message["data"]["entities"]
    mentions: Mapping[str, Json] = message["data"].get("mentions", {})
    return Occasion(
        item=_message_item(message),
        actor=message["sender"],
        # A user may have the uid "all", too: the entry of `@all` has no uid.
        mentioned=frozenset(uid for uid, each in mentions.items() if "uid" in each),
        mentions_all=mentions.get("all", {}).get("type") == "all",
        by=entities["sender"]["entity"],
        receiver=entities["receiver"]["entity"],
        at=message["sentAt"],
        **_about(message),
    )


def of_reaction(reaction: Json, message: Json, reactor: Json | None = None) -> Occasion:
    """Return the occasion of a new reaction to a message.

    `reactor` is the user entity of who reacted; without it, there is no avatar in a group.
    """
    by = reactor or _entity_of(reaction["uid"], message) or reaction["reactedBy"]
    return Occasion(
        item=Item.REACTION,
        actor=reaction["uid"],
        by=by,
        receiver=_receiver_from(reaction["uid"], message),
        at=reaction["reactedAt"],
        reaction=reaction["reaction"],
        **_about(message),
    )


def of_change(action: Json, message: Json | None = None) -> Occasion:
    """Return the occasion of an edit or deletion, from its action message.

    `message` is the deleted message as users see it: the action message of a deletion has only its
    id. Without it, the deletion of a silent message can't be told from others.
    """
    entities = action["data"]["entities"]
    changed = message or entities["on"]["entity"]
    by, receiver = entities["by"]["entity"], entities["for"]["entity"]
    if action["sender"] == SYSTEM_UID and "sender" in changed:
        by = _entity_of(changed["sender"], changed) or by
    elif "sender" in changed:
        receiver = _receiver_from(action["sender"], changed)
    return Occasion(
        item=_CHANGES[action["data"]["action"]],
        actor=action["sender"],
        by=by,
        receiver=receiver,
        at=action["sentAt"],
        **{**_about(changed), "is_group": action["receiverType"] == GROUP},
    )


def of_member(action: Json) -> Occasion:
    """Return the occasion of a change of a group's members, from its action message."""
    entities = action["data"]["entities"]
    return Occasion(
        item=_MEMBER_ACTIONS[action["data"]["action"]],
        is_group=True,
        actor=action["sender"],
        message=action,
        by=entities["by"]["entity"],
        receiver=entities["for"]["entity"],
        at=action["sentAt"],
    )


def _about(message: Json) -> dict[str, Any]:
    """Return the fields of an occasion that depend on its message alone."""
    asks: bool | None = message.get("sendNotification")
    return {
        "is_group": message.get("receiverType") == GROUP,
        "author": message.get("sender", ""),
        "is_silent": not asks if message.get("category") == CUSTOM else asks is False,
        "message": message,
    }


def _message_item(message: Json) -> Item:
    """Return the item of a message; a reply in a thread that quotes is a reply."""
    if message.get("parentId") is not None:
        return Item.REPLY
    return Item.QUOTED_REPLY if message.get("quotedMessage") is not None else Item.MESSAGE


def _entity_of(uid: str, message: Json) -> Json | None:
    """Return the entity of a user, if they are the sender or receiver of a message."""
    for role in ("sender", "receiver"):
        entity: Json = message["data"]["entities"][role]["entity"]
        if entity.get("uid") == uid:
            return entity
    return None


def _receiver_from(uid: str, message: Json) -> Json:
    """Return the group of a message, or the user of its conversation who is not `uid`."""
    entities = message["data"]["entities"]
    is_turned = message["receiverType"] == USER and message["receiver"] == uid
    found: Json = entities["sender" if is_turned else "receiver"]["entity"]
    return found

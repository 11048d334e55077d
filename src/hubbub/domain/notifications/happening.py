"""What happened: an event that people may be notified of, with the records that it is about.

It is read once for an event, whatever the number of people: `find_happenings`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import msgspec

from hubbub.domain.views.messages import find_page
from hubbub.kernel.text import SYSTEM_UID
from hubbub.outbox.log import LogEntry
from hubbub.outbox.registry import NAMES, decode
from hubbub.records.conversations.model import GROUP
from hubbub.records.groups.model import Group
from hubbub.records.members.events import (
    GroupMemberAdded,
    GroupMemberBanned,
    GroupMemberJoined,
    GroupMemberKicked,
    GroupMemberLeft,
    GroupMemberScopeChanged,
    GroupMemberUnbanned,
    MemberEvent,
)
from hubbub.records.messages.events import (
    MessageDeleted,
    MessageEdited,
    MessageEvent,
    MessageSent,
)
from hubbub.records.messages.model import ACTION, CUSTOM, Message, MessageView, erased_user
from hubbub.records.messages.store import find_in_conversations
from hubbub.records.notifications.sending.model import About, Subject
from hubbub.records.reactions.events import MessageReactionAdded
from hubbub.records.reactions.store import find_texts
from hubbub.records.users.model import User
from hubbub.records.users.store import find_users
from hubbub.storage.interface import Event, Snapshot


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
MEMBER_ACTIONS = frozenset(item for item in Item if item.name.startswith("MEMBER_"))
NOTIFIED: Mapping[type[Event], tuple[Item, str]] = {
    MessageSent: (Item.MESSAGE, "after_message"),
    MessageEdited: (Item.EDITED, "message_edited"),
    MessageDeleted: (Item.DELETED, "message_deleted"),
    MessageReactionAdded: (Item.REACTION, "message_reaction_added"),
    GroupMemberJoined: (Item.MEMBER_JOINED, "after_group_joined"),
    GroupMemberLeft: (Item.MEMBER_LEFT, "after_group_left"),
    GroupMemberAdded: (Item.MEMBER_ADDED, "after_group_members_added"),
    GroupMemberKicked: (Item.MEMBER_KICKED, "after_group_members_kicked"),
    GroupMemberBanned: (Item.MEMBER_BANNED, "after_group_members_banned"),
    GroupMemberUnbanned: (Item.MEMBER_UNBANNED, "after_group_members_unbanned"),
    GroupMemberScopeChanged: (Item.MEMBER_SCOPE_CHANGED, "after_scope_changed"),
}
"""The events that people are notified of: the item, and the trigger in the log of notifications.

Of a message that is a reply, the item is that of replies or quoted replies.
"""
_WITHHELD = ("pending", "disapproved")


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """An event that people may be notified of."""

    entry: LogEntry
    item: Item
    actor: str
    """The uid of who did it: they are not notified of it."""
    by: User
    """The user of whom the notification says that they did it."""
    view: MessageView
    """The message that it is about; of a member action its action message."""
    action: MessageView | None = None
    """The action message of an edit or deletion."""
    is_silent: bool = False
    """True if the message asks for no notifications, or is a custom one that does not ask."""
    is_withheld: bool = False
    """True if moderation shows the message to nobody but its sender."""

    @property
    def event(self) -> Any:
        """Return the event; that of a reaction has the text of the reaction."""
        return self.entry.event

    @property
    def message(self) -> Message:
        """Return the message that people must be able to see to be notified.

        Members who joined after a message that is edited may not know it.
        """
        return self.view.message

    @property
    def author(self) -> str:
        """Return the uid of the sender of the message."""
        return self.view.message.sender

    @property
    def is_group(self) -> bool:
        """Return whether it happened in a group."""
        return self.view.message.receiver_type == GROUP

    @property
    def receiver(self) -> User | Group:
        """Return the group, or the user of the conversation who has not done it."""
        return self.view.sender if self.is_turned else self.view.receiver

    @property
    def is_turned(self) -> bool:
        """Return whether the receiver of the message has done it."""
        return not self.is_group and self.view.message.receiver == self.actor

    @property
    def at(self) -> int:
        """Return when it happened, in seconds."""
        if self.item is Item.REACTION:
            return int(self.event.reacted_at)
        return (self.action or self.view).message.sent_at

    @property
    def is_gone(self) -> bool:
        """Return whether the message was deleted, and this is not what tells of it."""
        return self.view.message.deleted_at is not None and self.item is not Item.DELETED

    def may_concern(self, uid: str) -> bool:
        """Return False for the sender: for them nothing is sent or logged.

        That is who did it. A change of a message is also nothing for its author, whoever made it:
        it replaces a notification, and they had none. A message that moderation withholds is for
        its author alone.
        """
        if self.is_withheld and uid != self.author:
            return False
        is_own = self.item in CHANGES and uid == self.author
        return not is_own and uid not in (self.actor, SYSTEM_UID)

    def mentions(self, uid: str) -> bool:
        """Return whether the message mentions a user, by their uid or as one of all."""
        return self.view.mentions_all or uid in self.view.mentions

    def about(self) -> About:
        """Return what the log of notifications shows of it."""
        message, event = self.view.message, self.event
        is_reaction = self.item is Item.REACTION
        return About(
            trigger=NOTIFIED[type(event)][1],
            message_id=message.id,
            sent_at=1000 * message.sent_at,
            category=message.category,
            type=message.type,
            sender=message.sender,
            receiver=message.receiver,
            receiver_type=message.receiver_type,
            reaction_id=event.id if is_reaction else 0,
            reaction_sender=event.uid if is_reaction else "",
            reaction_receiver=message.sender if is_reaction else "",
            conversation=event.conversation,
        )

    def subject(self) -> Subject:
        """Return what is stored of it until people are notified: nothing that somebody wrote."""
        entry, event = self.entry, self.event
        if isinstance(event, MessageReactionAdded):
            event = msgspec.structs.replace(event, reaction="")
        body = msgspec.Raw(msgspec.json.encode(event))
        return Subject(self.about(), entry.number, entry.epoch, NAMES[type(event)], body)


def entry_of(subject: Subject) -> LogEntry:
    """Return the event of a subject as it is in the log."""
    [event] = decode(subject.name, bytes(subject.event).decode())
    return LogEntry(subject.number, subject.epoch, event)


async def find_happenings(
    snapshot: Snapshot, entries: Sequence[LogEntry]
) -> list[Happening | None]:
    """Return what each event is about, as things are now; None if it is gone."""
    events: list[Any] = [entry.event for entry in entries]
    reactions = [each for each in events if isinstance(each, MessageReactionAdded)]
    found = await find_in_conversations(snapshot, sorted({each.message for each in events}))
    page = await find_page(snapshot, [each for each in found.values() if not each.is_erased])
    views = {each.id: page.view(each) for each in page.messages}
    known = page.related.users
    others = {each.uid for each in reactions} - known.keys()
    users = {**known, **await find_users(snapshot, sorted(others))}
    without = [(each.message, each.id) for each in reactions if not each.reaction]
    texts = await find_texts(snapshot, without)
    return [_find_happening(views, users, _with_text(entry, texts)) for entry in entries]


def _with_text(entry: LogEntry, texts: Mapping[int, str]) -> LogEntry:
    """Return an entry with the text of its reaction, if that is still there."""
    event = entry.event
    if not isinstance(event, MessageReactionAdded) or event.reaction:
        return entry
    whole = msgspec.structs.replace(event, reaction=texts.get(event.id, ""))
    return msgspec.structs.replace(entry, event=whole)


def _find_happening(
    views: Mapping[int, MessageView], users: Mapping[str, User], entry: LogEntry
) -> Happening | None:
    event: Any = entry.event
    view = views.get(event.message)
    if view is None:
        return None
    match event:
        case MessageSent():
            return make_happening(entry, view) if view.message.category != ACTION else None
        case MessageReactionAdded():
            is_there = view.message.category != ACTION and event.reaction
            by = users.get(event.uid) or erased_user(event.uid)
            return make_happening(entry, view, actor=event.uid, by=by) if is_there else None
        case MessageEvent():
            return _make_change(entry, view, view.about) if view.about is not None else None
        case MemberEvent():
            return make_happening(entry, view)
    raise TypeError(f"{type(event).__name__} is in NOTIFIED, and has no case here")


def _make_change(entry: LogEntry, action: MessageView, about: MessageView) -> Happening:
    """Return an edit or deletion; by the app, it is said to be by the sender of the message.

    So a client finds the conversation.
    """
    actor = action.message.sender
    by = about.sender if actor == SYSTEM_UID else action.sender
    return make_happening(entry, about, actor=actor, by=by, action=action)


def make_happening(
    entry: LogEntry,
    view: MessageView,
    *,
    actor: str | None = None,
    by: User | None = None,
    action: MessageView | None = None,
) -> Happening:
    """Return what happened to a message; its sender has done it, unless another one is named."""
    message = view.message
    return Happening(
        entry=entry,
        item=_item_of(entry.event, view),
        actor=message.sender if actor is None else actor,
        by=by or view.sender,
        view=view,
        action=action,
        is_silent=_is_silent(message),
        is_withheld=_is_withheld(message),
    )


def _item_of(event: Event, view: MessageView) -> Item:
    """Return the item of an event; a reply in a thread that quotes is a reply."""
    item, _ = NOTIFIED[type(event)]
    if item is not Item.MESSAGE:
        return item
    if view.message.parent_id is not None:
        return Item.REPLY
    return Item.MESSAGE if view.quoted is None else Item.QUOTED_REPLY


class _Options(msgspec.Struct, rename="camel"):
    send_notification: Any = None


class _ModeratedData(msgspec.Struct):
    moderation: Any = None


_decode_options = msgspec.json.Decoder(_Options).decode
_decode_data = msgspec.json.Decoder(_ModeratedData).decode


def _is_silent(message: Message) -> bool:
    asks = _decode_options(message.options).send_notification if message.options else None
    return not asks if message.category == CUSTOM else asks is False


def _is_withheld(message: Message) -> bool:
    if message.deleted_at is not None:  # its content is shown to nobody
        return False
    moderation = _decode_data(message.data).moderation
    return isinstance(moderation, dict) and moderation.get("status") in _WITHHELD

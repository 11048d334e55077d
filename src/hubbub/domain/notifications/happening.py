"""What happened: an event that people may be notified of, with the records that it is about.

It is read once for an event, whatever the number of people: `find_happenings`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from hubbub.domain.views.messages import find_page
from hubbub.kernel.text import SYSTEM_UID
from hubbub.outbox.log import LogEntry
from hubbub.outbox.registry import NAMES, decode
from hubbub.records.conversations.model import GROUP
from hubbub.records.groups.model import Group
from hubbub.records.growing.events import MessageGrown
from hubbub.records.members.events import (
    GroupMemberAdded,
    GroupMemberBanned,
    GroupMemberJoined,
    GroupMemberKicked,
    GroupMemberLeft,
    GroupMemberScopeChanged,
    GroupMemberUnbanned,
)
from hubbub.records.messages.events import (
    MessageDeleted,
    MessageEdited,
    MessageSent,
)
from hubbub.records.messages.model import ACTION, CUSTOM, Message, MessageView, erased_user
from hubbub.records.messages.store import find_in_conversations
from hubbub.records.notifications.items import ASKED_FOR, CHANGES, Item
from hubbub.records.notifications.sending.model import About, Subject
from hubbub.records.reactions.events import MessageReactionAdded
from hubbub.records.reactions.store import find_texts
from hubbub.records.reminders.events import UserReminded
from hubbub.records.users.model import User
from hubbub.records.users.store import find_users
from hubbub.storage.interface import Event, Snapshot

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
    at: int
    """When it happened, in seconds."""
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
    def is_gone(self) -> bool:
        """Return whether the message was deleted, and this is not what tells of it."""
        return self.view.message.deleted_at is not None and self.item is not Item.DELETED

    @property
    def asked_by(self) -> str | None:
        """Return the uid of the one person whom it concerns, who has asked for it; mostly None."""
        asked_by: str | None = self.event.uid if self.item in ASKED_FOR else None
        return asked_by

    def may_concern(self, uid: str) -> bool:
        """Return False for the sender: for them nothing is sent or logged.

        That is who did it. A change of a message is also nothing for its author, whoever made it:
        it replaces a notification, and they had none. A message that moderation withholds is for
        its author alone.
        """
        if self.is_withheld and uid != self.author:
            return False
        if self.asked_by is not None:
            return uid == self.asked_by
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
            trigger=NOTIFIED[type(event)].trigger,
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


def make_happening(
    entry: LogEntry,
    view: MessageView,
    *,
    actor: str | None = None,
    by: User | None = None,
    at: int | None = None,
    action: MessageView | None = None,
) -> Happening:
    """Return what happened to a message.

    Its sender has done it when it was sent, unless another one or another time is given.
    """
    message = view.message
    return Happening(
        entry=entry,
        item=_item_of(entry.event, view),
        actor=message.sender if actor is None else actor,
        by=by or view.sender,
        at=message.sent_at if at is None else at,
        view=view,
        action=action,
        is_silent=_is_silent(message),
        is_withheld=_is_withheld(message),
    )


def _item_of(event: Event, view: MessageView) -> Item:
    """Return the item of an event; a reply in a thread that quotes is a reply."""
    item = NOTIFIED[type(event)].item
    if item is not Item.MESSAGE:
        return item
    if view.message.parent_id is not None:
        return Item.REPLY
    return Item.MESSAGE if view.quoted is None else Item.QUOTED_REPLY


class _Options(msgspec.Struct, rename="camel"):
    send_notification: Any = None


class _ModeratedData(msgspec.Struct):
    moderation: Any = None
    text: Any = None


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


Users = Mapping[str, User]
Finder = Callable[[LogEntry, MessageView, Users], Happening | None]
"""Returns what happened, from the event, its message and the users; None if it is gone."""


def _said(entry: LogEntry, view: MessageView, _: Users) -> Happening | None:
    event: Any = entry.event
    if view.message.category == ACTION or event.growing:  # people are notified at its end
        return None
    return make_happening(entry, view)


def _grown(entry: LogEntry, view: MessageView, _: Users) -> Happening | None:
    has_text = view.message.deleted_at is not None or _decode_data(view.message.data).text
    return make_happening(entry, view) if has_text else None


def _reminded(entry: LogEntry, view: MessageView, _: Users) -> Happening | None:
    event: Any = entry.event
    return make_happening(entry, view, at=event.at)


def _reacted(entry: LogEntry, view: MessageView, users: Users) -> Happening | None:
    event: Any = entry.event
    if view.message.category == ACTION or not event.reaction:
        return None
    by = users.get(event.uid) or erased_user(event.uid)
    return make_happening(entry, view, actor=event.uid, by=by, at=event.reacted_at)


def _changed(entry: LogEntry, action: MessageView, _: Users) -> Happening | None:
    """Return an edit or deletion; by the app, it is said to be by the sender of the message.

    So a client finds the conversation.
    """
    about, actor = action.about, action.message.sender
    if about is None:
        return None
    by = about.sender if actor == SYSTEM_UID else action.sender
    at = action.message.sent_at
    return make_happening(entry, about, actor=actor, by=by, at=at, action=action)


def _changed_member(entry: LogEntry, view: MessageView, _: Users) -> Happening | None:
    return make_happening(entry, view)


Trigger = Literal[
    "after_message",
    "message_deleted",
    "message_edited",
    "message_reaction_added",
    "user_reminded",
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


@dataclass(frozen=True, slots=True)
class Notified:
    """What is known of an event that people are notified of."""

    item: Item
    """Of a message that is a reply, the item is that of replies or quoted replies."""
    trigger: Trigger
    """What the log of notifications calls it."""
    find: Finder
    """Finds who did it, and when."""
    says: str | None
    """The body, with placeholders that `rendering/wording.py` fills; None: by templates."""
    says_privately: str | None = None
    """The body for privacy, if it is another one: without content."""


NOTIFIED: Mapping[type[Event], Notified] = {
    MessageSent: Notified(Item.MESSAGE, "after_message", _said, None),
    MessageGrown: Notified(Item.MESSAGE, "after_message", _grown, None),
    MessageEdited: Notified(
        Item.EDITED,
        "message_edited",
        _changed,
        "Edited: {text}",
        says_privately="Has edited a message",
    ),
    MessageDeleted: Notified(Item.DELETED, "message_deleted", _changed, "Has deleted a message"),
    MessageReactionAdded: Notified(
        Item.REACTION,
        "message_reaction_added",
        _reacted,
        "Has reacted {reaction} to {whose} message",
        says_privately="Has reacted to {whose} message",
    ),
    UserReminded: Notified(
        Item.REMINDER,
        "user_reminded",
        _reminded,
        "Reminder: {text}",
        says_privately="Reminder of a message",
    ),
    GroupMemberJoined: Notified(
        Item.MEMBER_JOINED, "after_group_joined", _changed_member, "Has joined the group"
    ),
    GroupMemberLeft: Notified(
        Item.MEMBER_LEFT, "after_group_left", _changed_member, "Has left the group"
    ),
    GroupMemberAdded: Notified(
        Item.MEMBER_ADDED, "after_group_members_added", _changed_member, "Has added {name}"
    ),
    GroupMemberKicked: Notified(
        Item.MEMBER_KICKED, "after_group_members_kicked", _changed_member, "Has removed {name}"
    ),
    GroupMemberBanned: Notified(
        Item.MEMBER_BANNED, "after_group_members_banned", _changed_member, "Has banned {name}"
    ),
    GroupMemberUnbanned: Notified(
        Item.MEMBER_UNBANNED,
        "after_group_members_unbanned",
        _changed_member,
        "Has lifted the ban of {name}",
    ),
    GroupMemberScopeChanged: Notified(
        Item.MEMBER_SCOPE_CHANGED, "after_scope_changed", _changed_member, "Has made {name} {scope}"
    ),
}
"""The events that people are notified of, with all that is known of each."""


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
    return [
        NOTIFIED[type(event)].find(_with_text(entry, texts), views[event.message], users)
        if event.message in views
        else None
        for entry, event in zip(entries, events, strict=True)
    ]


def _with_text(entry: LogEntry, texts: Mapping[int, str]) -> LogEntry:
    """Return an entry with the text of its reaction, if that is still there."""
    event = entry.event
    if not isinstance(event, MessageReactionAdded) or event.reaction:
        return entry
    whole = msgspec.structs.replace(event, reaction=texts.get(event.id, ""))
    return msgspec.structs.replace(entry, event=whole)

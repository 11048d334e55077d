"""What people may be told of: an event of the log, with what it is about as users see it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from hubbub.domain.notices.occasions import Occasion
from hubbub.outbox.log import LogEntry
from hubbub.outbox.registry import NAMES, decode
from hubbub.records.conversations.model import GROUP, USER
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
    MessageEvent,
    MessageSent,
)
from hubbub.records.notices.model import About, Subject
from hubbub.records.reactions.events import MessageReactionAdded
from hubbub.runtime import Runtime
from hubbub.storage.interface import Event

TRIGGERS: Mapping[type[Event], str] = {
    MessageSent: "after_message",
    MessageEdited: "message_edited",
    MessageDeleted: "message_deleted",
    MessageReactionAdded: "message_reaction_added",
    GroupMemberJoined: "after_group_joined",
    GroupMemberLeft: "after_group_left",
    GroupMemberAdded: "after_group_members_added",
    GroupMemberKicked: "after_group_members_kicked",
    GroupMemberBanned: "after_group_members_banned",
    GroupMemberUnbanned: "after_group_members_unbanned",
    GroupMemberScopeChanged: "after_scope_changed",
}
"""The events that people are told of, by what the log of notifications calls them."""


@dataclass(frozen=True, slots=True)
class Happening:
    """An event that people may be told of."""

    entry: LogEntry
    occasion: Occasion

    @property
    def event(self) -> Any:
        """Return the event."""
        return self.entry.event

    @property
    def guid(self) -> str | None:
        """Return the group whose members may be told; None for a one-to-one conversation."""
        return self.occasion.receiver["guid"] if self.occasion.is_group else None

    def about(self) -> About:
        """Return what the log of notifications shows of it."""
        occasion, event = self.occasion, self.event
        message = occasion.message
        is_reaction = isinstance(event, MessageReactionAdded)
        return About(
            trigger=TRIGGERS[type(event)],
            message_id=int(message.get("id", 0)),
            sent_at=1000 * message.get("sentAt", 0),
            category=message.get("category", ""),
            type=message.get("type", ""),
            sender=message.get("sender", ""),
            receiver=message.get("receiver", ""),
            receiver_type=GROUP if occasion.is_group else USER,
            reaction_id=event.id if is_reaction else 0,
            reaction_sender=event.uid if is_reaction else "",
            reaction_receiver=occasion.author if is_reaction else "",
            conversation=event.conversation,
        )

    def subject(self) -> Subject:
        """Return what is stored of it until people are told: nothing that somebody wrote."""
        entry, event = self.entry, self.event
        if isinstance(event, MessageReactionAdded):
            event = msgspec.structs.replace(event, reaction="")
        body = msgspec.Raw(msgspec.json.encode(event))
        return Subject(self.about(), entry.number, entry.epoch, NAMES[type(entry.event)], body)


def entry_of(subject: Subject) -> LogEntry:
    """Return the event of a subject as it is in the log."""
    [event] = decode(subject.name, bytes(subject.event).decode())
    return LogEntry(subject.number, subject.epoch, event)


def message_of(event: Any) -> int:
    """Return the message that people must be able to see to be told of an event.

    Members who joined after a message that is edited may not know it.
    """
    return event.on if isinstance(event, MessageEvent) else event.message


Describe = Callable[[Runtime, str, Sequence[LogEntry]], Awaitable[Sequence[Happening | None]]]
"""Returns what people may be told of each event, as things are now; None if it is gone."""

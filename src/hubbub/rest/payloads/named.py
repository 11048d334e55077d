"""The ids in a batch of events: what is to be looked up for their payloads."""

from dataclasses import dataclass, field

from hubbub.records.blocks.events import UserBlocked, UserUnblocked
from hubbub.records.conversations.events import (
    ConversationDeleted,
    ConversationReset,
    ConversationUpdated,
)
from hubbub.records.conversations.model import GROUP
from hubbub.records.conversations.store import ParticipantKey
from hubbub.records.groups.events import GroupCreated, GroupOwnerTransferred, GroupUpdated
from hubbub.records.interactions.events import InteractionEvent, InteractiveFormSubmitted
from hubbub.records.interactions.store import MessageUser
from hubbub.records.members.events import MemberEvent
from hubbub.records.messages.events import MessageEvent, MessagesDeleted, MessageSent
from hubbub.records.pins.events import PinEvent
from hubbub.records.presence.events import UserConnectionStatusChanged
from hubbub.records.reactions.events import ReactionEvent
from hubbub.records.receipts.events import ConversationDelivered, MarkEvent, ReceiptEvent
from hubbub.records.webhooks.events import WebhookPaused
from hubbub.storage.interface import Event


@dataclass(slots=True)
class Named:
    """The ids in a batch of events."""

    shown: set[int] = field(default_factory=set)
    """The messages that are shown whole."""
    messages: set[int] = field(default_factory=set)
    """Further messages of which something is shown."""
    receipts: list[ReceiptEvent] = field(default_factory=list)
    uids: set[str] = field(default_factory=set)
    guids: set[str] = field(default_factory=set)
    updated_groups: set[str] = field(default_factory=set)
    """The groups of which the number of connected members is shown."""
    conversations: set[int] = field(default_factory=set)
    seats: set[ParticipantKey] = field(default_factory=set)
    """The participants whose tags and pins of a conversation are shown."""
    uses: set[MessageUser] = field(default_factory=set)
    """The users whose interactions with a message are shown."""
    submissions: set[tuple[int, int]] = field(default_factory=set)
    """The submissions that are shown: the message and the number of each."""
    has_webhooks: bool = False

    def add(self, event: Event) -> None:
        """Add the ids in an event."""
        match event:
            case MessageSent():
                self.shown.add(event.message)
                self.uids.add(event.sender)
                (self.guids if event.receiver_type == GROUP else self.uids).add(event.receiver)
            case MessageEvent():
                self.shown.add(event.message)
            case ReceiptEvent():
                self.receipts.append(event)
                self.messages.add(event.upto)
                self.uids.add(event.uid)
            case ReactionEvent():
                self.messages.add(event.message)
                self.uids.add(event.uid)
            case MemberEvent():
                self.shown.add(event.message)
                self.guids.add(event.guid)
                self.uids |= {event.uid, getattr(event, "by", event.uid)}
            case GroupCreated():
                self.guids.add(event.guid)
                self.uids.add(event.owner)
            case GroupUpdated():
                self.guids.add(event.guid)
                self.updated_groups.add(event.guid)
            case GroupOwnerTransferred():
                self.guids.add(event.guid)
                self.uids.add(event.old_owner)
            case UserBlocked():
                self.uids |= {event.uid, *event.blocked}
            case UserUnblocked():
                self.uids |= {event.uid, *event.unblocked}
            case PinEvent():
                self.messages.add(event.message)
                self.uids.add(event.by)
            case InteractiveFormSubmitted():
                self.messages.add(event.message)
                self.uids.add(event.uid)
                self.submissions.add((event.message, event.id))
            case InteractionEvent():
                self.messages.add(event.message)
                self.uids.add(event.uid)
                self.uses.add((event.message, event.uid))
            case MarkEvent() | ConversationDelivered() | ConversationReset():
                self.conversations.add(event.conversation)
                self.uids.add(event.uid)
            case ConversationUpdated():
                self.conversations.add(event.conversation)
                self.uids.add(event.uid)
                self.seats.add((event.conversation, event.uid))
            case ConversationDeleted() | MessagesDeleted():
                self.conversations.add(event.conversation)
                self.uids.add(event.by)

            case UserConnectionStatusChanged():
                self.uids.add(event.uid)
            case WebhookPaused():
                self.has_webhooks = True

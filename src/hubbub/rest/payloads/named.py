"""The ids in a batch of events: what is to be looked up for their payloads."""

from dataclasses import dataclass, field

from hubbub.records.conversations.store import ParticipantKey
from hubbub.records.interactions.store import MessageUser
from hubbub.records.receipts.events import ReceiptEvent


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

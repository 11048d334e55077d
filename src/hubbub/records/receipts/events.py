"""What is told of receipts: facts with absolute values, never increments."""

from typing import ClassVar, TypedDict

import msgspec


class Facts(TypedDict):
    """The fields that both events of receipts have."""

    conversation: int
    receiver_type: str
    receiver: str
    uid: str
    after: int
    upto: int
    at: int


class ReceiptEvent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Somebody had all messages of a conversation after one up to another.

    `uid` is `app_system` when all members of a group had them.
    """

    conversation: int
    receiver_type: str
    receiver: str
    uid: str
    after: int
    upto: int
    of: str | None = None
    """It is about this sender's messages alone."""
    not_of: str | None = None
    """It is about all messages but this sender's."""
    at: int


class MessageDeliveryReceipt(ReceiptEvent, frozen=True, kw_only=True):
    """They were delivered to him."""

    event_name: ClassVar[str] = "message_delivery_receipt"


class MessageReadReceipt(ReceiptEvent, frozen=True, kw_only=True):
    """He has read them; `read_count` and `own`, which all have not, tell what is unread still."""

    event_name: ClassVar[str] = "message_read_receipt"
    read_count: int | None = None
    own: int | None = None


class MarkEvent(msgspec.Struct, frozen=True, kw_only=True):
    """How far somebody has read now, whatever the receipts say; for his own sessions."""

    conversation: int
    uid: str
    read_id: int
    read_count: int
    own: int
    at: int


class ConversationRead(MarkEvent, frozen=True, kw_only=True):
    """He has read again what he had taken back."""

    event_name: ClassVar[str] = "conversation_read"


class ConversationUnread(MarkEvent, frozen=True, kw_only=True):
    """He took back that he had read."""

    event_name: ClassVar[str] = "conversation_unread"

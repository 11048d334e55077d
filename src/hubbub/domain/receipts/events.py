"""What is told of receipts: facts with absolute values, never increments."""

from typing import ClassVar, TypedDict

import msgspec


class Facts(TypedDict):
    """The fields that both events of receipts have."""

    conversation: int
    receiver_type: str
    receiver: str
    uid: str
    upto: int
    at: int


class ReceiptEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody had all messages of a conversation up to one; `uid` is `app_system` for all."""

    conversation: int
    receiver_type: str
    receiver: str
    uid: str
    upto: int
    at: int


class MessageDeliveryReceipt(ReceiptEvent, frozen=True, kw_only=True):
    """They were delivered to him."""

    event_name: ClassVar[str] = "message_delivery_receipt"


class MessageReadReceipt(ReceiptEvent, frozen=True, kw_only=True):
    """He has read them; `read_count` and `own` tell what is unread still."""

    event_name: ClassVar[str] = "message_read_receipt"
    read_count: int = 0
    own: int = 0


class ConversationUnread(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody took back that he had read; for his own sessions."""

    event_name: ClassVar[str] = "conversation_unread"
    conversation: int
    uid: str
    read_id: int
    read_count: int
    own: int
    at: int

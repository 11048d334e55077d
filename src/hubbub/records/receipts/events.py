"""Events of receipts. They hold absolute values, never increments."""

from typing import TypedDict

import msgspec

from hubbub.outbox.registry import event


class ReceiptEventFields(TypedDict):
    """The fields that every receipt event must be given, as keyword arguments."""

    conversation: int
    receiver_type: str
    receiver: str
    uid: str
    after: int
    upto: int
    at: int


class ReceiptEvent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """User `uid` had all messages of a conversation after `after` up to `upto`.

    `uid` is `app_system` when every member of a group had them.
    """

    conversation: int
    receiver_type: str
    receiver: str
    uid: str
    after: int
    upto: int
    of: str | None = None
    """If given, only messages of this sender are meant."""
    not_of: str | None = None
    """If given, messages of this sender are left out."""
    at: int


@event("message_delivery_receipt")
class MessageDeliveryReceipt(ReceiptEvent, frozen=True, kw_only=True):
    """The messages were delivered to the user."""


@event("message_read_receipt")
class MessageReadReceipt(ReceiptEvent, frozen=True, kw_only=True):
    """The user read the messages.

    `read_count` and `own` give the unread count; they are absent for `app_system`.
    """

    read_count: int | None = None
    own: int | None = None


class MarkEvent(msgspec.Struct, frozen=True, kw_only=True):
    """The read position of user `uid`, whatever the receipts say; for their own sessions."""

    conversation: int
    uid: str
    read_id: int
    read_count: int
    own: int
    at: int
    counted: int | None = None
    """The countable messages of the conversation; unread = counted - read_count - own."""


@event("conversation_read")
class ConversationRead(MarkEvent, frozen=True, kw_only=True):
    """The user read again what they had marked as unread."""


@event("conversation_unread")
class ConversationUnread(MarkEvent, frozen=True, kw_only=True):
    """The user marked messages as unread."""


@event("conversation_delivered")
class ConversationDelivered(msgspec.Struct, frozen=True, kw_only=True):
    """User `uid` has all messages up to this id; for their own sessions, it is in no log."""

    conversation: int
    uid: str
    upto: int
    at: int

"""Events of receipts. They hold absolute values, never increments."""

from typing import TypedDict

import msgspec

from hubbub.outbox.audience import Audience, EventPlaces, Keys, pair_keys
from hubbub.outbox.registry import event
from hubbub.records.conversations.model import GROUP


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


def _keys(event: ReceiptEvent, _: EventPlaces) -> Keys:
    if event.receiver_type == GROUP:  # told as `receipts_advanced`, which is not stored
        return ()
    return pair_keys(event.receiver, event.uid)


def _sender(other: str) -> Audience[ReceiptEvent]:
    """Return the audience of a receipt; the receiver is told of it by the event `other`."""
    return Audience(
        "the sender of the messages, in one-to-one conversations;"
        f" the other user's sessions hear `{other}` instead",
        _keys,
        tells_only=True,
    )


@event(
    "message_delivery_receipt",
    "All messages up to `body.messageId` were delivered.",
    told=_sender("conversation_delivered"),
    actor="uid",
    trigger="message",
    trigger_text="Messages were delivered to a user, or to all of a group.",
)
class MessageDeliveryReceipt(ReceiptEvent, frozen=True, kw_only=True):
    """The messages were delivered to the user."""


@event(
    "message_read_receipt",
    "All messages up to `body.messageId` were read.",
    told=_sender("conversation_read"),
    actor="uid",
    trigger="message",
    trigger_text="Messages were read by a user, or by all of a group.",
)
class MessageReadReceipt(ReceiptEvent, frozen=True, kw_only=True):
    """The user read the messages.

    `read_count` and `own` give the unread count; they are absent for `app_system`.
    """

    read_count: int | None = None
    own: int | None = None

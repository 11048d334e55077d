"""The payloads of triggers about receipts."""

from operator import attrgetter
from typing import Annotated, Literal

from msgspec import Meta

from hubbub.http.documented import documented_as
from hubbub.records.messages.model import Message
from hubbub.records.receipts.events import MessageDeliveryReceipt, MessageReadReceipt, ReceiptEvent
from hubbub.records.users.model import User
from hubbub.rest.payloads.facts import Facts, Named, Payload
from hubbub.rest.payloads.last_received import is_about
from hubbub.rest.payloads.samples import NOW, sample_named_user
from hubbub.rest.wire.enums import ReceiverType, UserStatus
from hubbub.rest.wire.shapes import Json, Shape


class ReceiptUser(Shape, kw_only=True):
    """The user who has the messages; `app_system` if all members of a group have them."""

    uid: str
    name: str
    status: Annotated[str, documented_as(UserStatus)]


class ReceiptBody(Shape, kw_only=True):
    """The user had all messages up to `messageId`, at the time `timestamp`."""

    action: Literal["delivered", "read"]
    message_id: str
    user: ReceiptUser
    timestamp: int


class ReceiptPayload(Shape, kw_only=True):
    """The data of `message_delivery_receipt` and `message_read_receipt`."""

    receiver: Annotated[
        str, Meta(description="In a group its guid; else the uid of who sent the messages.")
    ]
    receiver_type: ReceiverType
    type: Literal["receipts"]
    sender: Annotated[str, Meta(description="The uid of `body.user`.")]
    message_sender: Annotated[str, Meta(description="The uid of who sent `messageId`.")]
    body: ReceiptBody


def received(facts: Facts, event: ReceiptEvent) -> ReceiptPayload | None:
    """Return the data of a receipt; None if none of the messages that it covers is left."""
    message = _last_message(facts, event)
    if message is None:
        return None
    is_delivery = isinstance(event, MessageDeliveryReceipt)
    return ReceiptPayload(
        receiver=event.receiver,
        receiver_type=event.receiver_type,  # type: ignore[arg-type]  # one of the two, as stored
        type="receipts",
        sender=event.uid,
        message_sender=message.sender,
        body=ReceiptBody(
            action="delivered" if is_delivery else "read",
            message_id=str(message.id),
            user=_receipt_user(facts.user(event.uid)),
            timestamp=event.at,
        ),
    )


def _last_message(facts: Facts, event: ReceiptEvent) -> Message | None:
    """Return the last message that a receipt is about."""
    last = facts.messages.get(event.upto)
    if last is not None and is_about(event, last):
        return last
    earlier = (each for each in facts.earlier.get(event.conversation, ()) if is_about(event, each))
    return max(earlier, key=attrgetter("id"), default=None)


def _receipt_user(user: User) -> ReceiptUser:
    return ReceiptUser(uid=user.uid, name=user.name, status=user.status)


def _add_ids(named: Named, event: ReceiptEvent) -> None:
    named.receipts.append(event)
    named.messages.add(event.upto)
    named.uids.add(event.uid)


PAYLOADS = (
    Payload((MessageDeliveryReceipt, MessageReadReceipt), ReceiptPayload, received, _add_ids),
)


def _receipt(action: str) -> Json:
    """Return the data of a receipt: Ben has a message of Anna's."""
    return {
        "receiver": "anna",
        "receiverType": "user",
        "type": "receipts",
        "sender": "ben",
        "messageSender": "anna",
        "body": {
            "action": action,
            "messageId": "101",
            "user": {**sample_named_user("ben"), "status": "offline"},
            "timestamp": NOW + 10,
        },
    }


SAMPLES: dict[str, Json] = {
    "message_delivery_receipt": _receipt("delivered"),
    "message_read_receipt": _receipt("read"),
}

"""The payloads of events about messages that are sent later."""

from hubbub.records.scheduled.events import ScheduledMessageFailed
from hubbub.rest.payloads.facts import Facts, Named, Payload
from hubbub.rest.payloads.samples import NOW
from hubbub.rest.wire.enums import ReceiverType
from hubbub.rest.wire.shapes import Json, Shape


class SendFailure(Shape, kw_only=True):
    """Why a message was not sent: the code and the text of the error that a send would get."""

    code: str
    message: str


class ScheduledFailedPayload(Shape, kw_only=True):
    """The data of `scheduled_message_failed`."""

    scheduled_id: str
    sender: str
    receiver_type: ReceiverType
    receiver: str
    send_at: int
    failed_at: int
    error: SendFailure


def failed(facts: Facts, event: ScheduledMessageFailed) -> ScheduledFailedPayload:
    """Return the data of a message that could not be sent."""
    return ScheduledFailedPayload(
        scheduled_id=event.scheduled,
        sender=event.uid,
        receiver_type=event.receiver_type,  # type: ignore[arg-type]  # one of these, as stored
        receiver=event.receiver,
        send_at=event.send_at,
        failed_at=event.at,
        error=SendFailure(code=event.code, message=event.reason),
    )


def _add_nothing(named: Named, event: ScheduledMessageFailed) -> None:
    """Add nothing: the event has all that its payload shows."""


PAYLOADS = (Payload((ScheduledMessageFailed,), ScheduledFailedPayload, failed, _add_nothing),)

SAMPLES: dict[str, Json] = {
    "scheduled_message_failed": {
        "scheduledId": "0123456789abcdef0123456789abcdef",
        "sender": "anna",
        "receiverType": "group",
        "receiver": "hikers",
        "sendAt": NOW,
        "failedAt": NOW,
        "error": {
            "code": "ERR_GROUP_NOT_JOINED",
            "message": "The user with UID anna is not a member of the group with GUID hikers.",
        },
    },
}

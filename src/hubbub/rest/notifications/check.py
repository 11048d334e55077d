"""`/notifications/v1/test`: what a person would be sent of a message."""

from typing import Annotated, Any

from msgspec import Meta

from hubbub.domain.notifications.preview import Preview, preview
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import Envelope
from hubbub.records.messages.model import MessageIdNotFound
from hubbub.records.notifications.model import Reason
from hubbub.records.users.model import UidNotFound
from hubbub.rest.notifications.contact_details import TAG
from hubbub.rest.wire.path import parse_message_id
from hubbub.rest.wire.shapes import Shape


class TestNotification(Shape, kw_only=True):
    """A person, and a message that they may be told of."""

    __test__ = False  # for pytest

    uid: Annotated[str, Meta(description="The uid of the person.")]
    message_id: Annotated[
        int | str, Meta(description="The id of a message, as a number or a text of digits.")
    ]


class NotificationPreview(Shape, kw_only=True):
    """What would be sent on one channel, or to one device; or why nothing."""

    channel: Annotated[str, Meta(description="`push`, `email` or `sms`.")]
    notification_triggered: bool
    reason: Annotated[
        Reason | None,
        Meta(
            description=(
                "Why nothing would be sent. `NOT_FOUND`: the provider is switched off, or the "
                "person has registered no device."
            )
        ),
    ] = None
    provider: Annotated[
        str | None,
        Meta(
            description="`fcm`, `apns`, `webpush`, `sendgrid`, `smtp`, `twilio` or `custom`.",
        ),
    ] = None
    payload: Annotated[
        Any, Meta(description="What the provider would be asked to send, without secrets.")
    ] = None


class NotificationPreviewList(Envelope):
    """What would be sent on all channels, and to all devices."""

    data: list[NotificationPreview]


@operation.post(
    "/notifications/v1/test", tag=TAG, errors=(UidNotFound, MessageIdNotFound), is_own=True
)
async def test_notification(call: Call, body: TestNotification) -> NotificationPreviewList:
    """Say what a person would be sent of a message now, and why not. Nothing is sent or logged.

    The answer has an entry for each device and channel, also for a person without a device, and for
    a channel whose providers are switched off or lack credentials. It is empty for who is not told
    of the message at all: who sent it, is not in its conversation, or has blocked its sender.
    Numbers of unread messages are those of now.
    """
    message_id = parse_message_id(str(body.message_id), "messageId")
    found = await preview(call.runtime, call.app_id, body.uid, message_id)
    return NotificationPreviewList(data=[_shape_of(each) for each in found])


def _shape_of(preview: Preview) -> NotificationPreview:
    """Return what is answered of a preview."""
    return NotificationPreview(
        channel=preview.channel,
        notification_triggered=preview.reason is None,
        reason=preview.reason,
        provider=preview.provider,
        payload=preview.payload,
    )

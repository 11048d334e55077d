"""The shapes of a test of notifications."""

from typing import Annotated, Any

from msgspec import Meta

from hubbub.domain.notices.preview import Preview
from hubbub.http.operation import Envelope
from hubbub.records.notifications.reasons import Reason
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


def preview_shape(preview: Preview) -> NotificationPreview:
    """Return what is answered of a preview."""
    return NotificationPreview(
        channel=preview.channel,
        notification_triggered=preview.reason is None,
        reason=preview.reason,
        provider=preview.provider,
        payload=preview.payload,
    )

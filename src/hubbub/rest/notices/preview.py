"""`/notifications/v1/test`: what a person would be sent of a message."""

from hubbub.domain.notices.preview import preview
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.records.messages.model import MessageIdNotFound
from hubbub.records.users.model import UidNotFound
from hubbub.rest.notices.wire.preview import (
    NotificationPreviewList,
    TestNotification,
    preview_shape,
)
from hubbub.rest.notifications.contact_details import TAG
from hubbub.rest.wire.path import parse_message_id


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
    return NotificationPreviewList(data=[preview_shape(each) for each in found])

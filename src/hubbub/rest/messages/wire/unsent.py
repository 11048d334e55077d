"""Messages as webhooks see them before they are sent, without id and times yet, or edited."""

from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from hubbub.files.links import Links, has_marks
from hubbub.http.documented import documented_as
from hubbub.records.messages.model import MessageView
from hubbub.rest.messages.wire.message import DataObject, message_shape
from hubbub.rest.wire.enums import MessageCategory, ReceiverType
from hubbub.rest.wire.shapes import Shape

_encode = msgspec.json.Encoder().encode


class UnsentMessage(Shape, kw_only=True):
    """A message that may be sent."""

    muid: str | None = None
    conversation_id: str
    sender: str
    receiver_type: ReceiverType
    receiver: str
    category: Annotated[str, documented_as(MessageCategory)]
    type: str
    data: DataObject
    parent_id: str | None = None
    quoted_message_id: str | None = None
    tags: list[str] | None = None
    update_conversation: bool | UnsetType = UNSET
    send_notification: bool | UnsetType = UNSET
    conversation_text: str | None = None


def render_unsent(view: MessageView) -> bytes:
    """Return a message that is not stored yet as JSON, as the app itself sees it."""
    shape, quoted = message_shape(view, with_tags=True, is_app=True), view.message.quoted_id
    shown = {
        name: getattr(shape, name)
        for name in UnsentMessage.__struct_fields__
        if name != "quoted_message_id"
    }
    return _encode(
        UnsentMessage(**shown, quoted_message_id=None if quoted is None else f"{quoted}")
    )


def render_edited(links: Links, view: MessageView) -> bytes:
    """Return a message as it would be after an edit as JSON, as the app itself sees it."""
    shown = _encode(message_shape(view, with_tags=True, is_app=True))
    return links.link(shown) if has_marks(shown) else shown

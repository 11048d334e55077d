"""What pushes, e-mails and their templates show of messages and users, as payloads have them."""

import msgspec

from hubbub.records.messages.model import MessageView
from hubbub.records.users.model import User
from hubbub.rest.messages.wire.message import message_shape
from hubbub.rest.payloads.people import payload_user

_encode = msgspec.json.Encoder().encode


def show(what: MessageView | User) -> bytes:
    """Return a message or a user as JSON, in which files have marks in place of links."""
    if isinstance(what, User):
        return _encode(payload_user(what))
    return _encode(message_shape(what, with_tags=True, is_app=False))

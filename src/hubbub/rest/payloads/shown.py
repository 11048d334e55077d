"""What pushes, e-mails and their templates show of messages and users, as payloads have them."""

import msgspec

from hubbub.records.messages.model import MessageView
from hubbub.records.users.model import User
from hubbub.rest.payloads.facts import message_json
from hubbub.rest.payloads.people import payload_user

_encode = msgspec.json.Encoder().encode


def show(what: MessageView | User) -> bytes:
    """Return a message or a user as JSON, in which files have marks in place of links."""
    if isinstance(what, User):
        return _encode(payload_user(what))
    return bytes(message_json(what))

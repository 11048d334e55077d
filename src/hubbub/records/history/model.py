"""Former versions of messages, and their errors."""

import msgspec

from hubbub.kernel.errors import Forbidden
from hubbub.records.messages.model import Message


class HistoryNotAccessible(Forbidden):
    """The caller sees the message, but not what it was before it was edited."""

    code = "ERR_MESSAGE_HISTORY_NOT_ACCESSIBLE"

    def __init__(self, message_id: int) -> None:
        super().__init__(
            f"You may not see what the message with id {message_id} was before it was edited."
        )


class MessageVersion(msgspec.Struct, frozen=True):
    """What a message was before an edit; `data` and `tags` are JSON as stored."""

    message: int
    number: int
    """That of the event of the edit."""
    data: str
    tags: str
    written_by: str
    written_at: int


def version_of(message: Message, number: int) -> MessageVersion:
    """Return what a message is, for the edit with the event of that number."""
    is_edited = message.edited_at is not None
    return MessageVersion(
        message.id,
        number,
        message.data,
        message.tags,
        message.edited_by or message.sender if is_edited else message.sender,
        message.edited_at if message.edited_at is not None else message.sent_at,
    )

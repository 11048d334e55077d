"""Lines in one form, by which those of a source and of the store are compared and summed up."""

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Any

import msgspec

from hubbub.domain.messages.compose import WRITTEN_BY_SERVER
from hubbub.moving.lines import (
    FILE,
    BlockLine,
    ContactLine,
    FriendLine,
    GroupLine,
    Line,
    MemberLine,
    MessageLine,
    PlainLine,
    ReactionLine,
    ReceiptLine,
    RoleLine,
    UserLine,
)
from hubbub.records.conversations.model import USER, ConversationKey, group_key, user_key

SEPARATOR = "\x1f"
SUM_MODULUS = 2**64
_encode = msgspec.json.Encoder(order="sorted").encode
NOT_COMPARED = {"password", "updateConversation", "conversationText"}
"""Fields that can't be read back as they were given."""
OF_FILE = {"url", "size", "mimeType", "extension", "width", "height", "thumbnail"}
"""Fields of an attachment that its stored file has in its own way."""
OF_MAKER = {*OF_FILE, "name"}
"""These and the name: without one, an attachment is named after its file."""


def normalise(line: Line) -> Line:
    """Return a line whose ids are in lower case, and whose category and type are named."""
    match line:
        case MessageLine():
            line.sender, line.receiver = line.sender.lower(), line.receiver.lower()
            line.category = line.category or "message"
            if line.message_type is None and line.category == "message":
                line.message_type = "text"
            if line.parent_muid is not None:
                line.parent_sender = (line.parent_sender or line.sender).lower()
            if line.quoted_muid is not None:
                line.quoted_sender = (line.quoted_sender or line.sender).lower()
        case UserLine() | ContactLine():
            line.uid = line.uid.lower()
        case BlockLine():
            line.uid, line.blocked = line.uid.lower(), line.blocked.lower()
        case FriendLine():
            line.uid, line.friend = sorted((line.uid.lower(), line.friend.lower()))
        case GroupLine():
            line.guid = line.guid.lower()
            line.owner = line.owner.lower() if line.owner else None
        case MemberLine():
            line.guid, line.uid = line.guid.lower(), line.uid.lower()
        case ReactionLine():
            line.sender, line.uid = line.sender.lower(), line.uid.lower()
        case ReceiptLine():
            line.receiver, line.uid = line.receiver.lower(), line.uid.lower()
            line.sender = line.sender.lower()
    return line


def key_of(line: Line | PlainLine) -> str:
    """Return what a line is known by among those of its kind."""
    match line:
        case MessageLine() | PlainLine():  # most lines are messages
            return f"{line.sender}{SEPARATOR}{line.muid}"
        case RoleLine():
            return line.role
        case UserLine() | ContactLine():
            return line.uid
        case BlockLine():
            return f"{line.uid}{SEPARATOR}{line.blocked}"
        case FriendLine():
            return f"{line.uid}{SEPARATOR}{line.friend}"
        case GroupLine():
            return line.guid
        case MemberLine():
            return f"{line.guid}{SEPARATOR}{line.uid}"
        case ReactionLine():
            return SEPARATOR.join((line.sender, line.muid, line.uid, line.reaction))
        case ReceiptLine():
            # Of several lines about one user each is true that is not beyond what they have read.
            place = line.receiver_type, line.receiver, line.uid
            return SEPARATOR.join((*place, line.sender, line.read_up_to))
    return ""


def references_of(line: MessageLine) -> Iterator[str]:
    """Yield the keys of the messages that a message replies to, or quotes."""
    if line.parent_muid is not None:
        yield f"{line.parent_sender}{SEPARATOR}{line.parent_muid}"
    if line.quoted_muid is not None:
        yield f"{line.quoted_sender}{SEPARATOR}{line.quoted_muid}"


def conversation_of(line: MessageLine | PlainLine) -> ConversationKey:
    """Return the key of a message's conversation, the same for both directions."""
    if line.receiver_type == USER:
        return user_key(line.sender, line.receiver)
    return group_key(line.receiver)


def content_of(line: Line) -> dict[str, Any]:
    """Return the fields of a line that are compared."""
    fields: dict[str, Any] = msgspec.to_builtins(line, str_keys=True)
    for name in NOT_COMPARED & fields.keys():
        del fields[name]
    data = fields.get("data")
    if isinstance(data, dict):
        _simplify_data(data)
    if isinstance(line, MessageLine) and line.deleted_at is not None:
        fields.pop("data", None)  # what was deleted need not be there
    return fields


def _simplify_data(data: dict[str, Any]) -> None:
    for name in WRITTEN_BY_SERVER:
        data.pop(name, None)
    attachments = data.get("attachments")
    if isinstance(attachments, list):
        data["attachments"] = [_simplify_attachment(each) for each in attachments]


def _simplify_attachment(attachment: object) -> object:
    if not isinstance(attachment, dict) or not str(attachment.get("url", "")).startswith(FILE):
        return attachment
    return {name: value for name, value in attachment.items() if name not in OF_MAKER}


def within(content: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return the named fields of what a line says; None for those that it has not."""
    return {name: content.get(name) for name in names}


def find_differences(given: Line, stored: Line) -> list[str]:
    """Return the names of the fields that a line gives, and that are stored otherwise."""
    wanted, found = content_of(given), content_of(stored)
    return [name for name, value in wanted.items() if found.get(name) != value]


def checksum(content: dict[str, Any] | Line) -> int:
    """Return the checksum of what a line says; those of many are added up, so order is no matter.

    Of 64 bits, with a sign as in SQLite: `SUM_MODULUS` bounds the sum. A line that
    `is_compared_whole` has the sum of its content.
    """
    return int.from_bytes(blake2b(_encode(content), digest_size=8).digest(), signed=True)


def is_compared_whole(line: Line) -> bool:
    """Return whether all fields of a line are compared as they are, as those of most messages."""
    if not isinstance(line, MessageLine):
        return False
    is_odd = line.deleted_at is not None or line.conversation_text is not None
    if is_odd or line.update_conversation is not None:
        return False
    return not isinstance(line.data, dict) or line.data.keys().isdisjoint(_CHANGED)


_CHANGED = {"attachments", *WRITTEN_BY_SERVER}

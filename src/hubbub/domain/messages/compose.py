"""From what a client sent to a `Draft`: all that can be told without looking at the store."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from hubbub.domain.access.actor import Actor
from hubbub.domain.interactive.validate import find_faults
from hubbub.kernel.errors import BadInput
from hubbub.kernel.text import normalise_id
from hubbub.records.conversations.model import GROUP, USER
from hubbub.records.mentions.model import find_mentions
from hubbub.records.messages.model import (
    CUSTOM,
    INTERACTIVE,
    LARGEST_DATA,
    LONGEST_MESSAGE,
    MEDIA_TYPES,
    MESSAGE,
    TEXT,
    Draft,
    Import,
)
from hubbub.records.messages.traits import ATTACHED, HAS_ATTACHMENTS, HAS_LINKS

_encode = msgspec.json.Encoder().encode

WRITTEN_BY_SERVER = ("entities", "mentions", "reactions", "moderation", "interactions")
CUSTOM_DATA_NAMES = ("customData", "custom_data")
LONGEST_TYPE = 100


MUID_END = "\x1f"
"""What ends a muid where one message goes to several receivers; what follows names one of them."""
_LINK = re.compile(r"https?://\S", re.IGNORECASE)


class Sending(msgspec.Struct, frozen=True):
    """A message as a client wrote it; None is what was not given."""

    receiver: str | None
    receiver_type: str | None
    category: str | None
    type: str | None
    data: Any
    tags: Sequence[str] = ()
    muid: str | None = None
    parent_id: int | None = None
    quoted_id: int | None = None
    update_conversation: bool | None = None
    send_notification: bool | None = None
    conversation_text: str | None = None


def compose(actor: Actor, sending: Sending, past: Import | None = None) -> Draft:
    """The message that `actor` sends.

    Raises:
        BadInput: something about it is wrong; the code tells what, the details where.
    """
    receiver, receiver_type = _receiver(sending)
    category = _category(sending.category)
    type_ = _type(category, sending.type)
    data = _data(category, type_, sending.data)
    text = _text(sending.data)
    return Draft(
        sender=actor.name,
        receiver_type=receiver_type,
        receiver=receiver,
        category=category,
        type=type_,
        data=data,
        tags=tuple(dict.fromkeys(sending.tags)),
        muid=sending.muid,
        parent_id=sending.parent_id,
        quoted_id=sending.quoted_id,
        mentioned=find_mentions(text),
        traits=_traits(type_, sending.data, text),
        options=_options(sending),
        updates_conversation=sending.update_conversation is not False,
        past=past,
        features=actor.features,
        token=actor.token,
    )


def _text(data: Any) -> str:
    """The text, or the caption of a media message."""
    text = data.get("text") if isinstance(data, dict) else None
    return text if isinstance(text, str) else ""


def _traits(type_: str, data: Any, text: str) -> int:
    """The bits that lists filter by: what stands in the data."""
    traits = HAS_LINKS if _LINK.search(text) else 0
    attachments = data.get("attachments") if isinstance(data, dict) else None
    if isinstance(attachments, list) and attachments:
        traits |= HAS_ATTACHMENTS | ATTACHED.get(type_, 0)
        for attachment in attachments:
            traits |= ATTACHED[_kind(attachment)]
    return traits


def _kind(attachment: Any) -> str:
    """What an attachment is, by its MIME type."""
    mime_type = attachment.get("mimeType") if isinstance(attachment, dict) else None
    kind = mime_type.partition("/")[0].lower() if isinstance(mime_type, str) else ""
    return kind if kind in ATTACHED else "file"


def _receiver(sending: Sending) -> tuple[str, str]:
    if sending.receiver is None or sending.receiver_type is None:
        raise _missing(sending)
    if sending.receiver == "":
        raise BadInput.field("receiver", "The receiver is empty.", code="ERR_EMPTY_RECEIVER")
    if sending.receiver_type not in (USER, GROUP):
        raise BadInput.field(
            "receiverType",
            "The receiverType must be user or group.",
            code="ERR_INVALID_RECEIVER_TYPE",
        )
    return normalise_id(sending.receiver, "receiver"), sending.receiver_type


def _missing(sending: Sending) -> BadInput:
    given = {"receiver": sending.receiver, "receiverType": sending.receiver_type}
    return BadInput.fields(
        {name: [f"The {name} field is required."] for name, value in given.items() if value is None}
    )


def _category(category: str | None) -> str:
    if category is None:
        return MESSAGE
    if category == "":
        raise BadInput.field(
            "category", "The category is empty.", code="ERR_EMPTY_MESSAGE_CATEGORY"
        )
    if category not in (MESSAGE, CUSTOM, INTERACTIVE):
        raise BadInput.field(
            "category",
            "The category must be message, custom or interactive.",
            code="ERR_INVALID_MESSAGE_CATEGORY",
        )
    return category


def _type(category: str, type_: str | None) -> str:
    if type_ is None and category == MESSAGE:
        return TEXT
    if not type_:
        raise BadInput.field("type", "The type is empty.", code="ERR_EMPTY_MESSAGE_TYPE")
    if category == MESSAGE and type_ not in (TEXT, *MEDIA_TYPES):
        raise BadInput.field(
            "type",
            f"The type of a message must be one of text, {', '.join(MEDIA_TYPES)}.",
            code="ERR_INVALID_MESSAGE_TYPE",
        )
    if len(type_) > LONGEST_TYPE:
        raise BadInput.field(
            "type",
            f"The type may have {LONGEST_TYPE} characters at most.",
            code="ERR_INVALID_MESSAGE_TYPE",
        )
    return type_


def _data(category: str, type_: str, data: Any) -> str:
    """The data object as it is stored."""
    if data is None:
        data = {}
    if not isinstance(data, dict):
        raise BadInput.field("data", "The data must be an object.", code="ERR_INVALID_MESSAGE_DATA")
    kept = {name: value for name, value in data.items() if name not in WRITTEN_BY_SERVER}
    if category == MESSAGE:
        _check_text(type_, kept)
        if type_ != TEXT:
            _check_media(kept)
    elif category == CUSTOM:
        _check_custom(kept)
    else:
        _check_interactive(type_, kept)
    if not isinstance(kept.get("metadata", {}), dict):
        raise BadInput.field(
            "data.metadata", "The metadata must be an object.", code="ERR_INVALID_METADATA"
        )
    return encode_data(kept)


def encode_data(data: Mapping[str, Any]) -> str:
    """The data object as compact JSON.

    Raises:
        BadInput: without `attachments` it has more than 10,240 bytes, or more than 65,536
            characters with them.
    """
    text = _encode(data)
    size = len(text)
    if size > LARGEST_DATA and "attachments" in data:
        size = len(_encode({name: data[name] for name in data if name != "attachments"}))
    if size > LARGEST_DATA:
        raise BadInput.field(
            "data",
            f"The data has {size:,} bytes of JSON without attachments; {LARGEST_DATA:,} may be.",
            code="ERR_INVALID_MESSAGE_DATA",
        )
    decoded = text.decode()
    if len(decoded) > LONGEST_MESSAGE:
        raise BadInput.field(
            "data",
            f"The data has {len(decoded):,} characters of JSON; {LONGEST_MESSAGE:,} may be.",
            code="ERR_INVALID_MESSAGE_DATA",
        )
    return decoded


def _check_text(type_: str, data: Mapping[str, Any]) -> None:
    text = data.get("text")
    if type_ != TEXT and text in (None, ""):
        return
    if text is None or text == "":
        raise BadInput.field("data.text", "The text is empty.", code="ERR_EMPTY_MESSAGE_TEXT")
    if not isinstance(text, str):
        raise BadInput.field(
            "data.text", "The text must be a string.", code="ERR_INVALID_MESSAGE_TEXT"
        )


def _check_media(data: Mapping[str, Any]) -> None:
    attachments = data.get("attachments")
    if attachments is None or attachments == []:
        raise BadInput.field(
            "data.attachments",
            "A media message needs attachments with a url each.",
            code="ERR_EMPTY_MESSAGE_FILE",
        )
    if not isinstance(attachments, list):
        raise BadInput.field(
            "data.attachments", "The attachments must be a list.", code="ERR_INVALID_MEDIA_MESSAGE"
        )
    faults = {
        f"data.attachments.{place}.url": ["The url must be an http or https URL."]
        for place, attachment in enumerate(attachments)
        if not _is_attachment(attachment)
    }
    if faults:
        raise BadInput.fields(faults, code="ERR_INVALID_MEDIA_MESSAGE")


def _is_attachment(value: Any) -> bool:
    url = value.get("url") if isinstance(value, dict) else None
    return isinstance(url, str) and url.lower().startswith(("http://", "https://"))


def _check_custom(data: Mapping[str, Any]) -> None:
    given = [data[name] for name in CUSTOM_DATA_NAMES if data.get(name) is not None]
    if not given:
        raise BadInput.field(
            "data.customData",
            "A custom message needs customData, an object.",
            code="ERR_EMPTY_CUSTOM_DATA",
        )
    if not all(isinstance(value, dict) for value in given):
        raise BadInput.field(
            "data.customData", "The customData must be an object.", code="ERR_INVALID_CUSTOM_DATA"
        )


def _check_interactive(type_: str, data: Mapping[str, Any]) -> None:
    faults = find_faults(type_, data)
    if faults:
        raise BadInput.fields(faults, code="ERR_INVALID_MESSAGE_DATA")


def _options(sending: Sending) -> str | None:
    given = {
        "updateConversation": sending.update_conversation,
        "sendNotification": sending.send_notification,
        "conversationText": sending.conversation_text,
    }
    options = {name: value for name, value in given.items() if value is not None}
    return _encode(options).decode() if options else None

"""Make a `Draft` of a client's message: all checks that need no database."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from hubbub.domain.access.actor import Actor
from hubbub.domain.interactive_messages.messages import INTERACTIVE_TYPES, find_faults
from hubbub.domain.messages.poll import read_terms
from hubbub.kernel.errors import BadInput
from hubbub.kernel.text import normalise_id
from hubbub.records.conversations.model import GROUP, USER
from hubbub.records.mentions.model import find_mentions
from hubbub.records.messages.model import (
    ATTACHED,
    CUSTOM,
    HAS_ATTACHMENTS,
    HAS_LINKS,
    HAS_POLL,
    INTERACTIVE,
    LARGEST_DATA_BYTES,
    LONGEST_DATA,
    MEDIA_TYPES,
    MESSAGE,
    TEXT,
    Beginning,
    Draft,
    ImportedPast,
    Message,
    PollTerms,
)
from hubbub.records.polls.model import POLL

_decode = msgspec.json.Decoder(dict[str, Any]).decode
_encode = msgspec.json.Encoder().encode

WRITTEN_BY_SERVER = (
    "entities",
    "mentions",
    "reactions",
    "moderation",
    "interactions",
    "growing",
    "grown",
)
WRITTEN_TO_POLLS = "poll"
"""What the server adds to the data of polls alone."""
GROWN = '"grown":'
"""Is in the data of each message that grew, and of few others."""
MODERATED = '"moderation":'
"""Is in the data of each message that rules have approved, and of few others."""
CUSTOM_DATA_NAMES = ("customData", "custom_data")
LONGEST_TYPE = 100

_LINK = re.compile(r"https?://\S", re.IGNORECASE)


class MessageInput(msgspec.Struct, frozen=True):
    """A message as a client sent it; None for what is absent."""

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
    growing: Beginning | None = None
    has_grown: bool = False
    """From an import: its text may be as long as one that grew, and may be empty."""


def compose(actor: Actor, message: MessageInput, imported: ImportedPast | None = None) -> Draft:
    """Return the draft of a message from `actor`.

    Raises:
        BadInput: the message is not valid; the code says why, the details where.
    """
    receiver, receiver_type = _receiver(message)
    return _compose(actor, message, receiver, receiver_type, imported)


def check_kind(category: str | None, type_: str | None) -> tuple[str, str]:
    """Return the category and the type of a message without data, as it is stored.

    Raises:
        BadInput: there is no such category, or no such type in it.
    """
    checked = _category(category)
    return checked, _type(checked, type_)


def compose_reply(actor: Actor, message: MessageInput, parent_id: int) -> Draft:
    """Return the draft of a reply in the thread of a message, which need not name its receiver.

    Raises:
        BadInput: as for every message.
    """
    receiver, receiver_type = (message.receiver or "").lower(), message.receiver_type or ""
    draft = _compose(actor, message, receiver, receiver_type, None)
    return msgspec.structs.replace(draft, parent_id=parent_id, is_in_thread=True)


def _compose(
    actor: Actor,
    message: MessageInput,
    receiver: str,
    receiver_type: str,
    imported: ImportedPast | None,
) -> Draft:
    category = _category(message.category)
    type_ = _type(category, message.type)
    grows = message.growing is not None or message.has_grown
    if grows:
        _check_growing(category, type_)
    data = _data(category, type_, message.data, grows=grows)
    text = _text(message.data)
    return Draft(
        sender=actor.name,
        receiver_type=receiver_type,
        receiver=receiver,
        category=category,
        type=type_,
        data=data,
        tags=tuple(dict.fromkeys(message.tags)) if message.tags else (),
        muid=message.muid,
        parent_id=message.parent_id,
        quoted_id=message.quoted_id,
        mentioned=find_mentions(text),
        traits=_traits(category, type_, message.data, text),
        options=_options(message),
        updates_conversation=message.update_conversation is not False,
        imported=imported,
        features=actor.features,
        token=actor.token,
        growing=message.growing,
        poll=_poll_of(category, type_, message.data),
    )


def _poll_of(category: str, type_: str, data: Any) -> PollTerms | None:
    return read_terms(data) if category == INTERACTIVE and type_ == POLL else None


def _check_growing(category: str, type_: str) -> None:
    if (category, type_) != (MESSAGE, TEXT):
        raise BadInput.field(
            "growing", f"Only a message of the category {MESSAGE} and the type {TEXT} grows."
        )


def _text(data: Any) -> str:
    """Return the text, or the caption of a media message."""
    text = data.get("text") if isinstance(data, dict) else None
    return text if isinstance(text, str) else ""


def _traits(category: str, type_: str, data: Any, text: str) -> int:
    """Return the traits that follow from the data; lists filter by them."""
    traits = HAS_LINKS if "://" in text and _LINK.search(text) else 0
    if category == INTERACTIVE and type_ == POLL:
        traits |= HAS_POLL
    attachments = data.get("attachments") if isinstance(data, dict) else None
    if isinstance(attachments, list) and attachments:
        traits |= HAS_ATTACHMENTS | ATTACHED.get(type_, 0)
        for attachment in attachments:
            traits |= ATTACHED[_attachment_kind(attachment)]
    return traits


def _attachment_kind(attachment: Any) -> str:
    """Return the kind of an attachment, by its MIME type."""
    mime_type = attachment.get("mimeType") if isinstance(attachment, dict) else None
    kind = mime_type.partition("/")[0].lower() if isinstance(mime_type, str) else ""
    return kind if kind in ATTACHED else "file"


def _receiver(message: MessageInput) -> tuple[str, str]:
    if message.receiver is None or message.receiver_type is None:
        raise _missing_receiver(message)
    if message.receiver == "":
        raise BadInput.field("receiver", "The receiver is empty.", code="ERR_EMPTY_RECEIVER")
    if message.receiver_type not in (USER, GROUP):
        raise BadInput.field(
            "receiverType",
            "The receiverType must be user or group.",
            code="ERR_INVALID_RECEIVER_TYPE",
        )
    return normalise_id(message.receiver, "receiver"), message.receiver_type


def _missing_receiver(message: MessageInput) -> BadInput:
    given = {"receiver": message.receiver, "receiverType": message.receiver_type}
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
            f"The type has {len(type_)} characters; the limit is {LONGEST_TYPE}.",
            code="ERR_INVALID_MESSAGE_TYPE",
        )
    return type_


def _data(category: str, type_: str, data: Any, *, grows: bool = False) -> str:
    """Return the data object as it is stored; the text of a message that grows may be absent."""
    if data is None:
        data = {}
    if not isinstance(data, dict):
        raise BadInput.field("data", "The data must be an object.", code="ERR_INVALID_MESSAGE_DATA")
    kept = data
    if not data.keys().isdisjoint(WRITTEN_BY_SERVER):
        kept = {name: value for name, value in data.items() if name not in WRITTEN_BY_SERVER}
    if category == INTERACTIVE and type_ == POLL:
        kept = {name: value for name, value in kept.items() if name != WRITTEN_TO_POLLS}
    if grows:
        _check_growing_text(kept)
    elif category == MESSAGE:
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
    return _encode_grown(kept) if grows else encode_data(kept)


def compose_grown(message: Message, data: Mapping[str, Any]) -> Draft:
    """Return the draft of a message that has grown to `data`, which is checked like a client's.

    How long the text may be is not checked.

    Raises:
        BadInput: the data is not valid.
    """
    text = _text(data)
    return Draft(
        sender=message.sender,
        receiver_type=message.receiver_type,
        receiver=message.receiver,
        category=message.category,
        type=message.type,
        data=_data(message.category, message.type, data, grows=True),
        parent_id=message.parent_id,
        mentioned=find_mentions(text),
        traits=_traits(message.category, message.type, data, text),
    )


def with_grown(data: str, grown: Mapping[str, Any]) -> str:
    """Return data, as JSON, with how the message has grown."""
    return f'{data[:-1]},"grown":{_encode(grown).decode()}}}'


def with_moderation(data: str, shown: Mapping[str, Any]) -> str:
    """Return data, as JSON, with what the server says of its moderation."""
    if MODERATED in data:
        kept = _decode(data)
        kept.pop("moderation", None)
        data = _encode(kept).decode()
    separator = "" if data == "{}" else ","
    return f'{data[:-1]}{separator}"moderation":{_encode(shown).decode()}}}'


def _check_growing_text(data: Mapping[str, Any]) -> None:
    if not isinstance(data.get("text", ""), str):
        raise BadInput.field(
            "data.text", "The text must be a string.", code="ERR_INVALID_MESSAGE_TEXT"
        )


def _encode_grown(data: Mapping[str, Any]) -> str:
    """Return data as compact JSON, whose text has a limit of its own."""
    encode_data({name: value for name, value in data.items() if name != "text"})
    return _encode({"text": "", **data}).decode()


def with_data(draft: Draft, data: Mapping[str, Any]) -> Draft:
    """Return a draft with other data of the same category and type, and what follows from it.

    Raises:
        BadInput: the data is too large.
    """
    traits = _traits(draft.category, draft.type, data, _text(data))
    return msgspec.structs.replace(draft, data=encode_data(data), traits=traits)


def with_checked_data(draft: Draft, data: Mapping[str, Any]) -> Draft:
    """Return a draft with other data, which is checked like a client's, and what follows from it.

    Raises:
        BadInput: the data is not valid.
    """
    text = _text(data)
    return msgspec.structs.replace(
        draft,
        data=_data(draft.category, draft.type, data, grows=draft.growing is not None),
        mentioned=find_mentions(text),
        traits=_traits(draft.category, draft.type, data, text),
        poll=_poll_of(draft.category, draft.type, data),
    )


def encode_data(data: Mapping[str, Any]) -> str:
    """Return the data object as compact JSON.

    Raises:
        BadInput: it has more than 10,240 bytes without `attachments`, or more than 65,536
            characters with them.
    """
    text = _encode(data)
    size = len(text)
    if size > LARGEST_DATA_BYTES and "attachments" in data:
        size = len(_encode({name: data[name] for name in data if name != "attachments"}))
    if size > LARGEST_DATA_BYTES:
        raise BadInput.field(
            "data",
            f"The data without attachments has {size:,} bytes;"
            f" the limit is {LARGEST_DATA_BYTES:,}.",
            code="ERR_INVALID_MESSAGE_DATA",
        )
    decoded = text.decode()
    if len(decoded) > LONGEST_DATA:
        raise BadInput.field(
            "data",
            f"The data has {len(decoded):,} characters; the limit is {LONGEST_DATA:,}.",
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
            "A media message needs attachments, each with a url.",
            code="ERR_EMPTY_MESSAGE_FILE",
        )
    if not isinstance(attachments, list):
        raise BadInput.field(
            "data.attachments", "The attachments must be a list.", code="ERR_INVALID_MEDIA_MESSAGE"
        )
    faults = {
        f"data.attachments.{index}.url": ["The url must be an http or https URL."]
        for index, attachment in enumerate(attachments)
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
            "A custom message needs customData, which must be an object.",
            code="ERR_EMPTY_CUSTOM_DATA",
        )
    if not all(isinstance(value, dict) for value in given):
        raise BadInput.field(
            "data.customData", "The customData must be an object.", code="ERR_INVALID_CUSTOM_DATA"
        )


def _check_interactive(type_: str, data: Mapping[str, Any]) -> None:
    if type_ not in INTERACTIVE_TYPES:
        raise BadInput.field(
            "type",
            f"The type of an interactive message must be one of {', '.join(INTERACTIVE_TYPES)}.",
            code="ERR_INVALID_MESSAGE_TYPE",
        )
    faults = find_faults(type_, data)
    if faults:
        raise BadInput.fields(faults, code="ERR_INVALID_MESSAGE_DATA")


def _options(message: MessageInput) -> str | None:
    options: dict[str, Any] = {}
    if message.update_conversation is not None:
        options["updateConversation"] = message.update_conversation
    if message.send_notification is not None:
        options["sendNotification"] = message.send_notification
    if message.conversation_text is not None:
        options["conversationText"] = message.conversation_text
    return _encode(options).decode() if options else None

"""Whose content the data of an occurrence holds: it goes when they are erased."""

from typing import NamedTuple

import msgspec

from hubbub.domain.deliveries.occurrences import Occurrence
from hubbub.records.growing.events import MessageGrown
from hubbub.records.messages.events import MessageEdited, MessageSent
from hubbub.records.moderated.events import ModerationEngineBlocked, ModerationManualApproved


class Contents(NamedTuple):
    """The messages and the user in the data of an occurrence; 0 or empty if there is none."""

    message: int = 0
    quoted: int = 0
    uid: str = ""


class _Quoted(msgspec.Struct):
    id: str


class _On(msgspec.Struct):
    entity: "_Message | None" = None


class _Entities(msgspec.Struct):
    on: _On | None = None


class _MessageData(msgspec.Struct):
    entities: _Entities | None = None


class _Message(msgspec.Struct, rename="camel"):
    data: _MessageData | None = None
    quoted_message: _Quoted | None = None


class _Payload(msgspec.Struct):
    message: _Message


_decode = msgspec.json.Decoder(_Payload).decode


def find_contents(occurrence: Occurrence, data: bytes) -> Contents:
    """Return whose content the rendered data of an occurrence holds."""
    event = occurrence.entry.event
    if occurrence.is_sample:
        return Contents()
    if isinstance(event, MessageSent | MessageGrown):
        return Contents(event.message, _find_quoted(data))
    if isinstance(event, ModerationEngineBlocked | ModerationManualApproved):
        return Contents(event.message, _find_quoted(data))
    if isinstance(event, MessageEdited):
        return Contents(event.on, _find_quoted(data))
    return Contents(uid=getattr(event, "uid", ""))


def _find_quoted(data: bytes) -> int:
    """Return the message that a message quotes, or that an edited one does."""
    if b'"quotedMessage":' not in data:
        return 0
    message = _decode(data).message
    entities = message.data.entities if message.data else None
    edited = entities.on.entity if entities and entities.on else None
    quoted = message.quoted_message or (edited.quoted_message if edited else None)
    return int(quoted.id) if quoted else 0

"""Signals as the nodes exchange them, and as the frames that sessions are told."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Raw

from hubbub.http.documented import documented_as
from hubbub.outbox.registry import KINDS, NAMES, decode
from hubbub.realtime.protocol.frames import ephemeral_frame
from hubbub.records.growing.signals import MessageAppended
from hubbub.records.presence.signals import (
    TransientMessage,
    TypingEnded,
    TypingStarted,
    UserPresenceChanged,
)
from hubbub.records.receipts.signals import GroupMarked
from hubbub.rest.wire.enums import ReceiverType, UserStatus
from hubbub.rest.wire.shapes import Shape
from hubbub.storage.interface import Announced, Event


class Committed(msgspec.Struct, frozen=True, tag="committed"):
    """What a node has committed in an app: runs of events with their names, up to a number."""

    epoch: int
    last: int
    runs: Sequence[tuple[str, Raw]]
    """Empty if they are too large: then they are read in the log."""


Signal = (
    GroupMarked
    | UserPresenceChanged
    | TypingStarted
    | TypingEnded
    | TransientMessage
    | MessageAppended
)
Visible = UserPresenceChanged | TypingStarted | TypingEnded | TransientMessage
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Committed | Signal).decode


class TypingPayload(Shape, kw_only=True):
    """The data of `typing_started` and `typing_ended`."""

    sender: str
    receiver: str
    receiver_type: ReceiverType
    metadata: dict[str, Any] | None = None


class TransientPayload(Shape, kw_only=True):
    """The data of `transient_message`."""

    sender: str
    receiver: str
    receiver_type: ReceiverType
    data: Any


class PresentUser(Shape, kw_only=True):
    """A user who is available now, or offline."""

    uid: str
    name: str
    status: Annotated[str, documented_as(UserStatus)]
    last_active_at: int | None = None


class PresencePayload(Shape, kw_only=True):
    """The data of `user_presence_changed`."""

    user: PresentUser


class AppendedPayload(Shape, kw_only=True):
    """The data of `message_appended`: what follows in the text of a message that grows."""

    id: str
    conversation_id: str
    sequence: Annotated[int, Meta(description="The last append that is in `text`.")]
    offset: Annotated[int, Meta(description="The code points of the message before `text`.")]
    text: str


class AdvancedPayload(Shape, kw_only=True):
    """The data of `receipts_advanced`: all members have one's messages up to these ids."""

    receiver: str
    receiver_type: ReceiverType
    delivered_to_all_id: str | None = None
    read_by_all_id: str | None = None


SIGNALS: Mapping[str, type[Shape]] = {
    "typing_started": TypingPayload,
    "typing_ended": TypingPayload,
    "transient_message": TransientPayload,
    "user_presence_changed": PresencePayload,
    "message_appended": AppendedPayload,
    "receipts_advanced": AdvancedPayload,
}
"""The data of each event that is not stored."""


def advanced_frame(guid: str, delivered: int, read: int, at: int) -> bytes:
    """Return the frame that tells how far all members of a group are."""
    payload = AdvancedPayload(
        receiver=guid,
        receiver_type="group",
        delivered_to_all_id=str(delivered) if delivered else None,
        read_by_all_id=str(read) if read else None,
    )
    return ephemeral_frame("receipts_advanced", at, _encode(payload))


def appended_frame(signal: MessageAppended) -> bytes:
    """Return the frame that tells what was appended to a message."""
    payload = AppendedPayload(
        id=str(signal.message),
        conversation_id=signal.conversation_id,
        sequence=signal.sequence,
        offset=signal.offset,
        text=signal.text,
    )
    return ephemeral_frame("message_appended", signal.at, _encode(payload))


def signal_frame(signal: Visible) -> bytes:
    """Return a signal as a frame."""
    name: str = type(signal).__struct_config__.tag  # type: ignore[assignment]  # all have one
    return ephemeral_frame(name, signal.at, _encode(_payload_of(signal)))


def _payload_of(signal: Visible) -> Shape:
    match signal:
        case UserPresenceChanged():
            user = PresentUser(
                uid=signal.uid,
                name=signal.name,
                status=signal.status,
                last_active_at=signal.last_active_at,
            )
            return PresencePayload(user=user)
        case TransientMessage():
            return TransientPayload(
                sender=signal.sender,
                receiver=signal.receiver,
                receiver_type=signal.receiver_type,  # type: ignore[arg-type]  # checked when sent
                data=signal.data,
            )
    return TypingPayload(
        sender=signal.sender,
        receiver=signal.receiver,
        receiver_type=signal.receiver_type,  # type: ignore[arg-type]  # checked when sent
        metadata=signal.metadata,
    )


def encode_committed(announced: Announced, largest: int) -> bytes:
    """Return what other nodes are told of a commit."""
    runs = [(NAMES[type(event)], Raw(_encode(event))) for event in announced.events]
    message = _encode(Committed(announced.epoch, announced.last, runs))
    if len(message) > largest:
        message = _encode(Committed(announced.epoch, announced.last, ()))
    return message


def decode_message(message: bytes) -> Committed | Signal | None:
    """Return what another node has sent; None if only a newer version knows it."""
    try:
        decoded: Committed | Signal = _decode(message)
    except msgspec.DecodeError:
        return None
    return decoded


def announced_of(app_id: str, committed: Committed) -> Announced | None:
    """Return the events of a commit of another node; None if they must be read in the log."""
    events: list[Event] = []
    for name, body in committed.runs:
        if name not in KINDS:
            return None
        events += decode(name, bytes(body).decode())
    return Announced(app_id, committed.epoch, committed.last, events) if events else None

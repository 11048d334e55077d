"""Events as frames, rendered once for all sessions that are told."""

from collections.abc import Sequence
from dataclasses import dataclass

from hubbub.outbox.audience import Key
from hubbub.outbox.heads import Position
from hubbub.outbox.log import LogEntry
from hubbub.outbox.registry import NAMES
from hubbub.realtime.protocol.frames import event_frame
from hubbub.records.conversations.events import ConversationDelivered, ConversationRead
from hubbub.records.receipts.events import MessageReadReceipt, ReceiptEvent
from hubbub.rest.payloads.render import render_about, render_events
from hubbub.runtime import Runtime


@dataclass(frozen=True, slots=True)
class Frames:
    """An event as a frame; None if there is nothing to tell any more."""

    usual: bytes | None
    own: bytes | None = None
    """The frame for the sessions of the user whose receipt it is."""
    uid: str = ""

    def of(self, key: Key) -> bytes | None:
        """Return the frame for the sessions under a key."""
        return self.own if self.uid and key == self.uid else self.usual


def frames_about(app_id: str, epoch: int, entry: LogEntry, about: object) -> Frames | None:
    """Return the frame of an event from what it was announced with; None if it must be read."""
    data = render_about(app_id, entry.event, about)
    return Frames(_frame(entry, epoch, data)) if data is not None else None


async def render_frames(
    runtime: Runtime, app_id: str, epoch: int, entries: Sequence[LogEntry]
) -> dict[int, Frames]:
    """Return the frames of events of the log by number, as things are now."""
    own = [
        LogEntry(each.number, each.epoch, _own_event(each.event))
        for each in entries
        if isinstance(each.event, ReceiptEvent)
    ]
    asked = [*entries, *own]
    rendered = await render_events(runtime, app_id, asked)
    frames = [
        None if data is None else _frame(each, epoch, data)
        for each, data in zip(asked, rendered, strict=True)
    ]
    found = {each.number: Frames(frame) for each, frame in zip(entries, frames, strict=False)}
    for each, frame in zip(own, frames[len(entries) :], strict=True):
        uid: str = getattr(each.event, "uid")  # noqa: B009  # both kinds of `_own_event` have it
        found[each.number] = Frames(found[each.number].usual, frame, uid)
    return found


def _frame(entry: LogEntry, epoch: int, data: bytes) -> bytes:
    event = entry.event
    cursor = Position(epoch, entry.number)
    return event_frame(NAMES[type(event)], entry.id, cursor, event.at, data)


def _own_event(receipt: ReceiptEvent) -> ConversationRead | ConversationDelivered:
    """Return what a receipt means for the sessions of the user who has read or received."""
    conversation, uid, at = receipt.conversation, receipt.uid, receipt.at
    if isinstance(receipt, MessageReadReceipt):
        return ConversationRead(
            conversation=conversation,
            uid=uid,
            read_id=receipt.upto,
            read_count=receipt.read_count or 0,
            own=receipt.own or 0,
            at=at,
        )
    return ConversationDelivered(conversation=conversation, uid=uid, upto=receipt.upto, at=at)

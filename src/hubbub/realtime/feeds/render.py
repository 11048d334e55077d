"""Events as frames, rendered once for all sessions that are told."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import structlog

from hubbub.outbox.audience import Key
from hubbub.outbox.heads import Position
from hubbub.outbox.log import LogEntry
from hubbub.outbox.reader import LogReader
from hubbub.outbox.registry import NAMES
from hubbub.realtime.feeds.kinds import Shown, find_shown
from hubbub.realtime.feeds.recent import Told
from hubbub.realtime.protocol.frames import event_frame
from hubbub.records.conversations.events import ConversationDelivered, ConversationRead
from hubbub.records.messages.model import Message
from hubbub.records.receipts.events import MessageReadReceipt, ReceiptEvent
from hubbub.rest.payloads.render import render_about, render_events
from hubbub.runtime import Runtime

log = structlog.get_logger()


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


NO_FRAMES = Frames(None)


class Renderer:
    """Renders the events of an app. Those that can't be rendered are left out and noted once."""

    def __init__(self, runtime: Runtime, app_id: str, epoch: int, reader: LogReader) -> None:
        self._runtime = runtime
        self._app_id = app_id
        self._epoch = epoch
        self._reader = reader

    def render_about(self, entry: LogEntry, about: object) -> Frames | None:
        """Return the frame of an event from what it was announced with; None if it must be read."""
        try:
            data = render_about(self._app_id, entry.event, about)
            return Frames(_frame(entry, self._epoch, data)) if data is not None else None
        except Exception as defect:
            log.error("event_defect", app=self._app_id, number=entry.number, exc_info=defect)
            return None

    async def render(self, told: Iterable[Told]) -> dict[int, Frames]:
        """Return the frames of events by number; one that can't be rendered has none."""
        entries = [each.entry for each in told]
        frames = dict.fromkeys((each.number for each in entries), NO_FRAMES)
        return frames | await self._reader.isolate(self._app_id, entries, self._render)

    async def show(self, told: Sequence[Told]) -> tuple[list[Told], Shown]:
        """Return the events that can be told, and the messages that they show."""
        by_number = {each.entry.number: each for each in told}

        async def show(entries: Sequence[LogEntry]) -> dict[int, Message | None]:
            wanted = [by_number[each.number] for each in entries]
            found = await find_shown(self._runtime, self._app_id, wanted)
            return {each.number: found.get(each.number) for each in entries}

        shown = await self._reader.isolate(self._app_id, [each.entry for each in told], show)
        messages = {number: message for number, message in shown.items() if message is not None}
        return [each for each in told if each.entry.number in shown], messages

    async def _render(self, entries: Sequence[LogEntry]) -> dict[int, Frames]:
        """Return the frames of events of the log by number, as things are now."""
        own = [
            LogEntry(each.number, each.epoch, _own_event(each.event))
            for each in entries
            if isinstance(each.event, ReceiptEvent)
        ]
        asked = [*entries, *own]
        rendered = await render_events(self._runtime, self._app_id, asked)
        frames = [
            None if data is None else _frame(each, self._epoch, data)
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

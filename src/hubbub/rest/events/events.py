"""`/events`: the change feed, with a long poll, and what the server could not process of it."""

import asyncio
from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from hubbub.domain.log.set_aside import list_set_aside
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.documented import documented_as
from hubbub.http.operation import Envelope
from hubbub.outbox.heads import Position
from hubbub.outbox.log import LogEntry
from hubbub.outbox.positions import CursorExpired, parse_position
from hubbub.outbox.registry import NAMES
from hubbub.outbox.set_aside import SetAside
from hubbub.rest.events.feed import FeedPage, read_page
from hubbub.rest.wire.shapes import EventCursor, Json, Listing, PageQuery, Shape, page_answer
from hubbub.rest.wire.slices import SliceLimit

SINCE = "since"
Since = Annotated[str, Meta(max_length=100)]
LONGEST_WAIT = 30
EventData = Annotated[
    msgspec.Raw,
    documented_as(
        Json,
        description="What happened, as things are now: the same `data` that a webhook is sent for "
        "the trigger of this name. This document has its shape for each event under `x-events`. "
        "Further fields and events may come with later versions.",
    ),
]
TAG = operation.Tag("Events", "The log of everything that happens in an app, in order.")


class ListSetAside(PageQuery):
    """The page of the list."""


class SetAsideShape(Shape):
    """An event that a part of the server could not process."""

    id: Annotated[str, Meta(description="The event's id.")]
    event: Annotated[str, Meta(description="Its name, such as `message_sent`.")]
    consumer: Annotated[
        str,
        Meta(
            description=(
                "Which part failed: `webhooks`, `notifications`, `search`, `metrics`, `sockets` or "
                "`change_feed` (`GET /events`)."
            )
        ),
    ]
    reason: Annotated[str, Meta(description="The kind of the defect, and its place in the server.")]
    set_aside_at: Annotated[
        int, Meta(description="When the server gave the event up, in seconds since 1970.")
    ]


def set_aside_shape(event: SetAside) -> SetAsideShape:
    """Return an event that was set aside on the wire."""
    return SetAsideShape(
        id=event.id,
        event=event.name,
        consumer=event.consumer,
        reason=event.reason,
        set_aside_at=event.at,
    )


class ListEvents(Shape):
    """The part of the log to read, and how long to wait for it."""

    since: Annotated[
        Since | None,
        Meta(
            description="A cursor: only events after it. Without one, there are none: the answer "
            "has the cursor of now.",
        ),
    ] = None
    limit: SliceLimit = 100
    wait: Annotated[
        int,
        Meta(
            ge=0,
            le=LONGEST_WAIT,
            description="The seconds to wait for an event if there is none yet.",
        ),
    ] = 0

    def position(self) -> Position | None:
        """Return the position to read from.

        Raises:
            BadInput: the text is not a cursor.
        """
        return None if self.since is None else parse_position(self.since, SINCE)


class EventShape(Shape, kw_only=True):
    """Something that happened in the app."""

    id: Annotated[
        str, Meta(description="The same for ever, and in each attempt to deliver it to a webhook.")
    ]
    cursor: EventCursor
    event: Annotated[str, Meta(description="Its name, such as `message_sent`.")]
    at: Annotated[int, Meta(description="When it happened, in seconds since 1970.")]
    data: EventData


class FeedMeta(Shape):
    """The position up to which the answer goes."""

    cursor: EventCursor


class EventList(Envelope):
    """Events in the order in which they happened."""

    data: list[EventShape]
    meta: FeedMeta


def event_list(epoch: int, events: Sequence[tuple[LogEntry, bytes]], upto: int) -> EventList:
    """Return the answer for events with their data; `epoch` is that of the log."""
    return EventList(
        data=[
            EventShape(
                id=entry.id,
                cursor=str(Position(epoch, entry.number)),
                event=NAMES[type(entry.event)],
                at=entry.event.at,
                data=msgspec.Raw(data),
            )
            for entry, data in events
        ],
        meta=FeedMeta(cursor=str(Position(epoch, upto))),
    )


@operation.get("/events", tag=TAG, errors=(CursorExpired,), is_own=True)
async def list_events(call: Call, query: ListEvents) -> EventList:
    """List what happened in the app after a cursor, in order, each event once.

    Begin without `since`: the answer has no events and the cursor of now. Give the `cursor` of each
    answer back as `since`. With `wait`, an answer without events comes only after that time; else
    it comes as soon as there is one. An answer may have fewer events than `limit`, or none, before
    the end of the log.

    `data` shows things as they are when they are read, and no deleted content. An event whose
    subject is gone is left out, and so is one that the server fails to show for a defect
    (`GET /events/set-aside`). A cursor that the log can't be continued from is refused with
    `ERR_CURSOR_EXPIRED`: fetch what you show anew, and begin without `since`.
    """
    page = await _wait_for_page(call, query)
    return event_list(page.head.epoch, page.events, page.upto.number)


@operation.get("/events/set-aside", tag=TAG, is_own=True)
async def list_set_aside_events(call: Call, query: ListSetAside) -> Listing[SetAsideShape]:
    """List the events that the server failed to process for a defect, newest first.

    What follows from such an event is missing: webhooks or sockets are not told of it, nobody is
    notified, a message is not found by searches, or the change feed leaves it out. Other events are
    not affected. The server's log has the details. The newest 1,000 are kept, for 14 days.
    """
    page = await list_set_aside(call.runtime, call.app_id, query.request())
    return page_answer(page, [set_aside_shape(each) for each in page.items])


async def _wait_for_page(call: Call, query: ListEvents) -> FeedPage:
    """Return a page with events, or the last one that was read before the wait ended."""
    loop = asyncio.get_running_loop()
    ends = loop.time() + query.wait
    page = await read_page(call.runtime, call.app_id, query.position(), query.limit)
    while not page.events and page.is_at_head and (left := ends - loop.time()) > 0:
        # Nothing of the database is held meanwhile.
        waiting = call.runtime.newest.wait_beyond(call.app_id, page.upto, left)
        if not await call.wait_for(waiting):
            break
        page = await read_page(call.runtime, call.app_id, page.upto, query.limit)
    return page

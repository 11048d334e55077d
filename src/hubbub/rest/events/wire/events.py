"""The shapes of the change feed."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from hubbub.http.documented import documented_as
from hubbub.http.operation import Envelope
from hubbub.outbox.heads import Position
from hubbub.outbox.log import LogEntry
from hubbub.outbox.positions import parse_position
from hubbub.outbox.registry import NAMES
from hubbub.rest.wire.shapes import EventCursor, Json, Shape
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

"""The shapes of events that were set aside."""

from typing import Annotated

from msgspec import Meta

from hubbub.outbox.set_aside import SetAside
from hubbub.rest.wire.shapes import PageQuery, Shape


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

"""The shapes of messages that are sent later."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from hubbub.http.documented import documented_as
from hubbub.records.scheduled.model import STATUSES, ScheduledMessage
from hubbub.rest.messages.wire.message import DataObject
from hubbub.rest.wire.enums import MessageCategory, ReceiverType
from hubbub.rest.wire.shapes import PageQuery, Shape

ScheduledStatus = Literal["pending", "failed"]


class ScheduledContent(Shape, kw_only=True):
    """A message as it will be sent."""

    muid: str | None = None
    sender: str
    receiver_type: ReceiverType
    receiver: str
    category: Annotated[str, documented_as(MessageCategory)]
    type: str
    data: DataObject
    parent_id: str | None = None
    quoted_message_id: str | None = None
    tags: list[str] | None = None


class ScheduledFailure(Shape, kw_only=True):
    """Why a message could not be sent at its time, the last time."""

    code: str
    message: str
    failed_at: int


# Without further fields, so that a message is never one.
class ScheduledShape(Shape, kw_only=True, forbid_unknown_fields=True):
    """A message that is sent later."""

    scheduled_id: str
    send_at: Annotated[
        int,
        Meta(description="When it is sent, in seconds since 1970; if it repeats, the next time."),
    ]
    repeat: Annotated[str | None, Meta(description="How it is repeated: an RRULE.")] = None
    time_zone: Annotated[
        str | None, Meta(description="The IANA name of the time zone in which it is repeated.")
    ] = None
    status: Annotated[
        ScheduledStatus,
        Meta(description="`failed` if it could not be sent, and is not tried again."),
    ]
    message: ScheduledContent
    failure: ScheduledFailure | None = None
    created_at: int
    updated_at: int


class ListScheduled(PageQuery, kw_only=True):
    """A page of messages that are sent later."""

    status: Annotated[
        ScheduledStatus | None, Meta(description="Only those that wait, or that have failed.")
    ] = None

    def statuses(self) -> tuple[str, ...]:
        """Return the states of the messages that are wanted."""
        return STATUSES if self.status is None else (self.status,)


def scheduled_shape(scheduled: ScheduledMessage) -> ScheduledShape:
    """Return a message that is sent later as it is shown."""
    draft = scheduled.read_draft()
    return ScheduledShape(
        scheduled_id=scheduled.id,
        send_at=scheduled.send_at,
        repeat=scheduled.repeat,
        time_zone=scheduled.time_zone,
        status=scheduled.status,  # type: ignore[arg-type]  # one of these, as stored
        message=ScheduledContent(
            muid=scheduled.muid,
            sender=draft.sender,
            receiver_type=draft.receiver_type,  # type: ignore[arg-type]  # as it was checked
            receiver=draft.receiver,
            category=draft.category,
            type=draft.type,
            data=msgspec.Raw(draft.data.encode()),
            parent_id=_text(draft.parent_id),
            quoted_message_id=_text(draft.quoted_id),
            tags=list(draft.tags) or None,
        ),
        failure=_failure(scheduled),
        created_at=scheduled.created_at,
        updated_at=scheduled.updated_at,
    )


def _failure(scheduled: ScheduledMessage) -> ScheduledFailure | None:
    if scheduled.failed_at is None:
        return None
    return ScheduledFailure(
        code=scheduled.code or "",
        message=scheduled.reason or "",
        failed_at=scheduled.failed_at,
    )


def _text(message_id: int | None) -> str | None:
    return None if message_id is None else str(message_id)

"""The shapes of deliveries."""

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from hubbub.domain.deliveries.find import FoundDelivery
from hubbub.domain.deliveries.sample import Sample
from hubbub.http.documented import documented_as
from hubbub.kernel.errors import BadInput
from hubbub.records.webhooks.deliveries import DeliveryFilter
from hubbub.records.webhooks.model import Delivery, State
from hubbub.rest.wire.shapes import PageQuery, Shape, Timestamp

DeliveryState = Annotated[
    Literal["pending", "delivered", "failed"],
    Meta(
        title="DeliveryState",
        description="Whether a delivery waits, was accepted, or was given up.",
    ),
]
TriggerName = Annotated[str, Meta(max_length=100)]
From = Annotated[Timestamp, Meta(description="Deliveries of events from this time on, in seconds.")]
To = Annotated[Timestamp, Meta(description="Deliveries of events up to this time, in seconds.")]


class AttemptShape(Shape):
    """An attempt to make a delivery: what the receiver answered, or why it could not be called."""

    at: int
    duration: Annotated[int, Meta(description="In milliseconds.")]
    status: int | None = None
    answer: Annotated[str | None, Meta(description="The beginning of the answer's body.")] = None
    error: str | None = None


class DeliveryShape(Shape, kw_only=True):
    """A delivery: the call that tells a webhook of an event."""

    id: Annotated[str, Meta(description="The `id` of the body, and the header `webhook-id`.")]
    event_id: str
    trigger: str
    state: Annotated[str, documented_as(DeliveryState)]
    created_at: int
    reason: Annotated[
        str | None,
        Meta(
            description=(
                "Why it waits or has failed: what came of the latest attempt; `erased` if its"
                " content was erased."
            )
        ),
    ] = None
    next_attempt_at: Annotated[
        int | None,
        Meta(
            description=(
                "When it, or the one of its conversation that it waits for, is tried next, in"
                " seconds since 1970. Absent unless it is pending, and of a stopped webhook."
            )
        ),
    ] = None
    attempts: list[AttemptShape]


class ListDeliveries(PageQuery):
    """The page and the filters of a list of deliveries."""

    state: Annotated[DeliveryState | None, Meta(description="Only those in this state.")] = None
    trigger: Annotated[TriggerName | None, Meta(description="Only those of this trigger.")] = None
    from_timestamp: From | None = None
    to_timestamp: To | None = None

    def filter(self) -> DeliveryFilter:
        """Return the conditions.

        Raises:
            BadInput: the range ends before it begins.
        """
        return _filter(self.from_timestamp, self.to_timestamp, self.state, self.trigger)


class ReplayDeliveries(Shape):
    """The deliveries to make again: those created in a range of time, both ends included."""

    from_timestamp: From
    to_timestamp: To
    state: Annotated[DeliveryState | None, Meta(description="Only those in this state.")] = None

    def filter(self) -> DeliveryFilter:
        """Return the conditions.

        Raises:
            BadInput: the range ends before it begins.
        """
        return _filter(self.from_timestamp, self.to_timestamp, self.state, None)


class QueuedDeliveries(Shape):
    """How many deliveries were queued."""

    success: bool
    queued: int


class SampleShape(Shape):
    """A sample that will be delivered."""

    id: str
    trigger: str


class QueuedSamples(QueuedDeliveries, kw_only=True):
    """The samples that were queued."""

    deliveries: list[SampleShape]


_decode_attempts = msgspec.json.Decoder(list[AttemptShape]).decode


def delivery_shape(found: FoundDelivery) -> DeliveryShape:
    """Return a delivery on the wire."""
    delivery, attempts = found.delivery, _decode_attempts(found.delivery.attempts)
    return DeliveryShape(
        id=delivery.id,
        event_id=delivery.event_id,
        trigger=delivery.trigger_id,
        state=delivery.state,
        created_at=delivery.created_at,
        reason=_reason(delivery, attempts),
        next_attempt_at=found.next_attempt_at,
        attempts=attempts,
    )


def _reason(delivery: Delivery, attempts: Sequence[AttemptShape]) -> str | None:
    """Return why a delivery was not made, or not yet; None if nothing has failed."""
    if delivery.state == State.DELIVERED:
        return None
    if delivery.reason is not None or not attempts:
        return delivery.reason
    status = attempts[-1].status
    if status is not None and 200 <= status < 300:
        return None  # it was accepted before, and is made again
    return attempts[-1].error or f"It answered with the status {status}."


def sample_shapes(samples: list[Sample]) -> QueuedSamples:
    """Return queued samples on the wire."""
    shapes = [SampleShape(id=each.id, trigger=each.trigger_id) for each in samples]
    return QueuedSamples(success=True, queued=len(shapes), deliveries=shapes)


def _filter(
    from_time: int | None, to_time: int | None, state: str | None, trigger_id: str | None
) -> DeliveryFilter:
    if from_time is not None and to_time is not None and from_time > to_time:
        raise BadInput.field("toTimestamp", "The toTimestamp must not be before fromTimestamp.")
    return DeliveryFilter(
        state=State(state) if state is not None else None,
        trigger_id=trigger_id,
        from_time=from_time,
        to_time=to_time,
    )

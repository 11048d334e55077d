"""`/stats`: read the request, call the domain, write the answer."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from hubbub.domain.metrics.find import SPAN_SECONDS, Usage, find_traffic, find_usage
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.kernel.errors import BadInput
from hubbub.records.metrics.model import Traffic
from hubbub.rest.wire.shapes import Shape

LEAST_MILLISECONDS = 100_000_000_000
"""From here on a number is milliseconds: as seconds it would be after the year 5138."""
Moment = Annotated[
    int,
    Meta(
        ge=0,
        le=253_402_300_799_999,
        description="Seconds since 1970; from 100,000,000,000 on milliseconds.",
    ),
]
Milliseconds = Annotated[int, Meta(description="Milliseconds since 1970.")]
MillisecondsText = Annotated[str, Meta(description="Milliseconds since 1970, as text.")]


class UsageQuery(Shape):
    """The range of time: all of each day that it touches, in UTC, counts."""

    from_date: Moment
    to_date: Moment

    def range(self) -> "TimeRange":
        """Return the range in milliseconds.

        Raises:
            BadInput: it ends before it begins.
        """
        first, last = _milliseconds(self.from_date), _milliseconds(self.to_date)
        if first > last:
            raise BadInput.fields(
                {
                    "fromDate": ["The fromDate must not be after the toDate."],
                    "toDate": ["The toDate must not be before the fromDate."],
                }
            )
        return TimeRange(from_date=first, to_date=last)


def _milliseconds(moment: int) -> int:
    return moment if moment >= LEAST_MILLISECONDS else moment * 1000


class TimeRange(Shape):
    """The range of time of the request."""

    from_date: Milliseconds
    to_date: Milliseconds


class UsageMetrics(msgspec.Struct):
    """The usage of an app in a range of days."""

    audio_minutes: Annotated[int, Meta(description="0: Hubbub has no calls.")]
    video_minutes: Annotated[int, Meta(description="0: Hubbub has no calls.")]
    recorded_minutes: Annotated[int, Meta(description="0: Hubbub has no calls.")]
    active_users: Annotated[
        int, Meta(description="The number of users who were active on at least one of the days.")
    ]
    concurrent_users: Annotated[
        int, Meta(description="The most connections that were open at the same time.")
    ]


class UsageShape(msgspec.Struct):
    """The metrics of a range of time."""

    metrics: UsageMetrics
    time_range: TimeRange


def usage_shape(usage: Usage, asked: TimeRange) -> UsageShape:
    """Return the usage in a range on the wire."""
    metrics = UsageMetrics(0, 0, 0, usage.active_users, usage.peak_connections)
    return UsageShape(metrics, asked)


class DataPoint(Shape):
    """What happened in five minutes, from `startTime` on and before `endTime`."""

    start_time: MillisecondsText
    end_time: MillisecondsText
    messages_sent: Annotated[
        int, Meta(description="Without action messages, imports and repeated muids.")
    ]
    read_receipts: Annotated[
        int, Meta(description="The number of times that a user marked messages as read.")
    ]
    delivery_receipts: Annotated[
        int, Meta(description="The same for messages marked as delivered, not by reading them.")
    ]


class MessageStats(Shape):
    """The messages and receipts of the last hour."""

    app_id: str
    start_time: MillisecondsText
    end_time: MillisecondsText
    data_points: Annotated[list[DataPoint], Meta(description="12, the oldest one first.")]


def message_stats(app_id: str, traffic: Sequence[Traffic]) -> MessageStats:
    """Return the traffic of consecutive spans on the wire."""
    points = [_data_point(span) for span in traffic]
    return MessageStats(
        app_id=app_id,
        start_time=points[0].start_time,
        end_time=points[-1].end_time,
        data_points=points,
    )


def _data_point(span: Traffic) -> DataPoint:
    return DataPoint(
        start_time=f"{span.at * 1000}",
        end_time=f"{(span.at + SPAN_SECONDS) * 1000}",
        messages_sent=span.messages,
        read_receipts=span.reads,
        delivery_receipts=span.deliveries,
    )


TAG = operation.Tag("Metrics", "The usage of an app, and the messages of the last hour.")


@operation.get("/stats", tag=TAG)
async def get_usage_metrics(call: Call, query: UsageQuery) -> UsageShape:
    """Count the users who were active in a range of days, and the peak of connections.

    Days are those of UTC. A range counts all of each day that it touches, so `active_users` of one
    month are its monthly active users. A user is active who sends a message or does something else
    that changes messages, conversations or groups, with an auth token or by `onBehalfOf`. Bots are
    not counted, nor are imports. The figures are a few seconds old.
    """
    asked = query.range()
    first, last = asked.from_date // 1000, asked.to_date // 1000
    return usage_shape(await find_usage(call.runtime, call.app_id, first, last), asked)


@operation.get("/stats/messages", tag=TAG)
async def get_message_metrics(call: Call) -> MessageStats:
    """Count the messages and receipts of the last hour, in spans of five minutes.

    The last span ends now. Messages are counted by `sentAt`. Each call that marks messages as read,
    or as delivered, is one receipt, however many messages it covers; one that marks nothing new is
    none. The figures are a few seconds old.
    """
    return message_stats(call.app_id, await find_traffic(call.runtime, call.app_id))

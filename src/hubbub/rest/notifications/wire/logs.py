"""The shapes of the log of notifications: the query, the entries, and the cursors."""

from dataclasses import fields
from typing import Annotated, Literal

from msgspec import Meta, field

from hubbub.domain.notifications.happening import Trigger
from hubbub.http.documented import documented_as
from hubbub.http.operation import Envelope
from hubbub.kernel.pages import Slice, SliceRequest
from hubbub.records.notifications.logs import Log, LogFilter, NotificationEntry
from hubbub.records.notifications.model import Reason
from hubbub.rest.wire.enums import Affix, MessageCategory, ReceiverType
from hubbub.rest.wire.shapes import Id, Json, Shape, ShortText
from hubbub.rest.wire.slices import Current, SliceMeta

LIMIT = 20
COMPONENT = "notifications-core"
GROUP = "group"
IDS = ("sender", "receiver", "reaction_sender", "reaction_receiver", "member")

Number = Annotated[int, Meta(ge=1, le=2**63 - 1)]
Milliseconds = Annotated[
    int, Meta(ge=0, le=99_999_999_999_999, description="Milliseconds since 1970.")
]
LogId = Annotated[str, Meta(max_length=24, pattern=r"^[0-9a-f]{24}$(?!\n)")]
Channel = Annotated[Literal["push", "email", "sms"], Meta(title="NotificationChannel")]
ProviderKind = Annotated[
    Literal["fcm", "apns", "webpush", "sendgrid", "smtp", "twilio", "custom"],
    Meta(title="NotificationProvider"),
]
NotificationTrigger = Annotated[
    Trigger,
    Meta(
        title="NotificationTrigger",
        description="What happened: `after_message` is a message or reply; `initiated` to"
        " `unanswered` are calls.",
    ),
]
ReasonName = Annotated[Reason, Meta(title="NotificationReason")]
MAY_LEAD = "The entry from which the slice continues."


class ListLogs(Shape):
    """The filters of the log, and the entry after or before which a slice begins."""

    message_id: Annotated[Number | None, Meta(description="Only what is about this message.")] = (
        None
    )
    reaction_id: Annotated[Number | None, Meta(description="Only what is about this reaction.")] = (
        None
    )
    from_ms: Annotated[
        Milliseconds | None, Meta(description="Only what is about messages sent since then.")
    ] = field(default=None, name="from")
    to_ms: Annotated[
        Milliseconds | None, Meta(description="Only what is about messages sent until then.")
    ] = field(default=None, name="to")
    message_category: Annotated[
        MessageCategory | None, Meta(description="The category of the message.")
    ] = None
    message_type: Annotated[
        ShortText | None, Meta(description="The type of the message, such as `text`.")
    ] = None
    trigger: Annotated[NotificationTrigger | None, Meta(description="What happened.")] = None
    sender: Annotated[Id | None, Meta(description="Who sent the message.")] = None
    receiver: Annotated[Id | None, Meta(description="The user or the group of the message.")] = None
    receiver_type: Annotated[
        ReceiverType | None, Meta(description="Whether it was to a user or to a group.")
    ] = None
    reaction_sender: Annotated[Id | None, Meta(description="Who reacted.")] = None
    reaction_receiver: Annotated[Id | None, Meta(description="Who was reacted to.")] = None
    member: Annotated[
        Id | None, Meta(description="Who was to be notified, of what happened in a group.")
    ] = None
    channel: Annotated[Channel | None, Meta(description="How they were to be notified.")] = None
    provider: Annotated[ProviderKind | None, Meta(description="What it was sent with.")] = None
    is_triggered: Annotated[
        bool | None, Meta(description="Whether a provider was asked to send it.")
    ] = field(default=None, name="notificationTriggered")
    reason: Annotated[
        ReasonName | None, Meta(description="Why no provider was asked to send it.")
    ] = None
    is_success: Annotated[bool | None, Meta(description="Whether the provider accepted it.")] = (
        field(default=None, name="success")
    )
    affix: Affix = "prepend"
    log_id: Annotated[LogId | None, Meta(description=MAY_LEAD)] = None

    def request(self) -> SliceRequest[str]:
        """Return the slice that is asked for."""
        return SliceRequest(limit=LIMIT, is_before=self.affix == "prepend", cursor=self.log_id)

    def wanted(self) -> LogFilter:
        """Return the conditions."""
        given = {each.name: getattr(self, each.name) for each in fields(LogFilter)}
        return LogFilter(**given | {name: _lower(given[name]) for name in IDS})


def _lower(id_: str | None) -> str | None:
    return None if id_ is None else id_.lower()


class LogShape(Shape, kw_only=True):
    """What was decided and sent for one person, on one channel and device."""

    id: str = field(name="_id")
    started_at_ms: int = field(name="processingStartedAtMS")
    ended_at_ms: int = field(name="processingEndedAtMS")
    duration: int = field(name="totalProcessingTimeInMS")
    component: str
    channel: Annotated[str, documented_as(Channel)]
    provider: Annotated[str, documented_as(ProviderKind)] | None = None
    message_id: int | None = None
    reaction_id: int | None = None
    trigger: Annotated[str, documented_as(NotificationTrigger)]
    message_sent_at_ms: int | None = field(default=None, name="messageSentAtMS")
    sender: str | None = None
    reaction_sender: str | None = None
    receiver: str | None = None
    reaction_receiver: str | None = None
    receiver_type: Annotated[str, documented_as(ReceiverType)] | None = None
    member: Annotated[str, Meta(description="Who was notified, of a group.")] | None = None
    token_type: str | None = None
    push_token: (
        Annotated[str, Meta(description="The token; of Web Push the endpoint only.")] | None
    ) = None
    provider_id: str | None = None
    payload: Annotated[Json, Meta(description="What was sent.")] | None = None
    is_triggered: bool = field(name="notificationTriggered")
    reason: ReasonName | None = None
    is_success: Annotated[bool, Meta(description="Whether the provider accepted it.")] | None = (
        field(default=None, name="success")
    )
    error: (
        Annotated[str, Meta(description="What the provider said if it did not accept it.")] | None
    ) = None
    state: (
        Annotated[
            Literal["waiting"],
            Meta(
                description="`waiting` while the provider fails: it is asked again. An entry with"
                " the outcome takes the place of this one."
            ),
        ]
        | None
    ) = None
    next_attempt_ms: (
        Annotated[
            int, Meta(description="When the provider is asked again, in milliseconds since 1970.")
        ]
        | None
    ) = field(default=None, name="nextAttemptAtMS")


class LogCursor(Shape):
    """The query parameters that continue the log: `affix` and `logId`."""

    affix: Affix
    log_id: str
    message_id: int | None = None


class LogList(Envelope):
    """A slice of the log, in ascending order."""

    data: list[LogShape]
    meta: SliceMeta[LogCursor]


def log_list(found: Slice[Log]) -> LogList:
    """Return the answer for a slice of the log."""
    items = found.items
    return LogList(
        data=[_log_shape(log.id, log.entry) for log in items],
        meta=SliceMeta(
            current=Current(limit=found.limit, count=len(items)),
            previous=_cursor("prepend", items[0]) if found.has_older else None,
            next=_cursor("append", items[-1]) if found.has_newer else None,
        ),
    )


def _cursor(affix: Affix, log: Log) -> LogCursor:
    return LogCursor(affix=affix, log_id=log.id, message_id=log.entry.message_id)


def _log_shape(id_: str, entry: NotificationEntry) -> LogShape:
    return LogShape(
        id=id_,
        duration=entry.ended_at_ms - entry.started_at_ms,
        component=COMPONENT,
        member=entry.uid if entry.receiver_type == GROUP else None,
        state=None if entry.next_attempt_ms is None else "waiting",
        **{name: getattr(entry, name) for name in SAME},
    )


SAME = {*NotificationEntry.__struct_fields__} & {*LogShape.__struct_fields__}
"""The fields of an entry that are shown as they are."""

"""Webhooks, their deliveries, and the refusals about them."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct, field

from hubbub.kernel.errors import Conflict, LimitReached, NotFound
from hubbub.kernel.fields import Absent, FieldMark, FieldText
from hubbub.outbound.spelling import WebhookUrl
from hubbub.outbox.work import queue as work

MOST_WEBHOOKS = 25
PARTS = 100
"""The greatest number of deliveries of an event to one webhook."""
PLANNING = "webhooks"
"""The name of the consumer of the log that plans deliveries."""
ENABLED = ""
"""Stands in the place of a trigger in the periods in which a webhook is enabled."""
ERASED = "erased"
"""Why a delivery was dropped: what it was to send was erased."""


class WebhookNotFound(NotFound):
    """The app has no webhook with that id."""

    code = "ERR_WEBHOOK_NOT_FOUND"

    def __init__(self, webhook_id: str) -> None:
        super().__init__(f"The webhook with the id {webhook_id} does not exist.")


class WebhookAlreadyExists(Conflict):
    """The app has another webhook with that id."""

    code = "ERR_WEBHOOK_ALREADY_EXISTS"

    def __init__(self, webhook_id: str) -> None:
        super().__init__(
            f"A webhook with the id {webhook_id} exists already.",
            details={"id": ["The id is taken."]},
        )


class TooManyWebhooks(LimitReached):
    """The app is at its limit of webhooks."""

    def __init__(self) -> None:
        super().__init__(
            f"The app has {MOST_WEBHOOKS} webhooks already.",
            details={"webhooks": [f"The limit is {MOST_WEBHOOKS} webhooks per app."]},
        )


class TriggerNotFound(NotFound):
    """There is no trigger with that id."""

    code = "ERR_TRIGGER_NOT_FOUND"

    def __init__(self, trigger_id: str) -> None:
        super().__init__(
            f"The trigger {trigger_id} does not exist.",
            dev_message="GET /triggers lists the triggers.",
        )


class DeliveryNotFound(NotFound):
    """The webhook has no delivery with that id; deliveries are kept for some days."""

    code = "ERR_DELIVERY_NOT_FOUND"

    def __init__(self, delivery_id: str) -> None:
        super().__init__(f"The delivery with the id {delivery_id} does not exist.")


# Python's `$` also matches before a final newline: hence `(?!\n)` in the patterns below.
WebhookId = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=50,
        pattern=r"^(?!\.{1,2}$)[A-Za-z0-9._-]+$(?!\n)",
        description="A-Z, a-z, 0-9, `.`, `_` and `-`, but not `.` or `..` alone.",
    ),
]
WebhookName = Annotated[str, Meta(min_length=1, max_length=50)]
Username = Annotated[
    str,
    Meta(
        max_length=50,
        pattern=r"^[^:\x00-\x1f\x7f]*$(?!\n)",
        description="For Basic auth; without colon and control characters.",
    ),
]
Password = Annotated[
    str,
    Meta(
        max_length=100,
        pattern=r"^[^\x00-\x1f\x7f]*$(?!\n)",
        description="For Basic auth; without control characters.",
    ),
]
IsEnabled = Annotated[bool, Meta(description="Whether anything is sent to it.")]
Retries = Annotated[
    bool, Meta(description="Whether a delivery that failed is tried again, for some days.")
]


class Webhook(Struct, frozen=True, rename="camel"):
    """A webhook of an app: where it is told, and how it can check who tells it.

    Its fields are the columns of its table, and those of bodies and answers, except internal ones.
    """

    number: Annotated[int, FieldMark.INTERNAL, FieldMark.FIXED]
    """Its identity; another webhook that later has the same id has another number."""
    id: Annotated[
        WebhookId, FieldMark.FIXED, FieldText("The id of the webhook, unique in the app.")
    ]
    name: WebhookName
    url: WebhookUrl = field(name="webhookURL")
    uses_basic_auth: bool = field(default=False, name="useBasicAuth")
    username: Annotated[Username | None, Absent()] = None
    password: Annotated[
        Password | None, FieldMark.SECRET, Absent(), FieldText("Only the mark `•••`.")
    ] = None
    is_enabled: Annotated[IsEnabled, FieldText("Whether the webhook is called.")] = field(
        default=True, name="enabled"
    )
    retries: Annotated[
        Retries,
        FieldText("Whether a call that fails is repeated; without it there is one attempt."),
    ] = field(default=False, name="retryOnFailure")
    secret: Annotated[str, FieldMark.INTERNAL, FieldMark.SECRET] = ""
    former_secret: Annotated[str | None, FieldMark.INTERNAL, FieldMark.SECRET] = None
    """Signs too, until `former_until`."""
    former_until: Annotated[int | None, FieldMark.INTERNAL] = None
    paused_at: Annotated[
        int | None,
        FieldMark.MADE,
        FieldText("Since when it is paused, in seconds since 1970: every attempt failed."),
    ] = None
    created_at: Annotated[int, FieldMark.MADE, FieldMark.FIXED] = 0
    updated_at: Annotated[int | None, FieldMark.MADE] = None
    portal_round: Annotated[int, FieldMark.INTERNAL] = 0
    """What links to its portal are signed with, besides; raised to revoke all of them."""

    @property
    def is_stopped(self) -> bool:
        """Return whether nothing is delivered."""
        return not self.is_enabled or self.paused_at is not None


@dataclass(frozen=True, slots=True)
class Period:
    """The events, after `from_event` and up to `upto_event`, that a webhook is to be told of.

    Of those that have the trigger, or, if `trigger_id` is empty, those while it was enabled.
    """

    webhook: int
    trigger_id: str
    from_event: int
    upto_event: int | None

    def includes(self, event: int) -> bool:
        """Return whether an event of that number is in the period."""
        return self.from_event < event and (self.upto_event is None or event <= self.upto_event)


@dataclass(frozen=True, slots=True)
class WebhookQueue(work.Queue):
    """The deliveries of a webhook."""

    webhook: int
    is_stopped: bool
    """Then `due_at` is `NEVER`."""
    failing_since: int | None
    """The time, in seconds, since which every attempt has failed; None after a success."""


class State(StrEnum):
    """How far a delivery is."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"


def delivery_id(epoch: int, event: int, part: int) -> str:
    """Return the id of a delivery."""
    return f"{epoch}-{event}-{part}" if part else f"{epoch}-{event}"


@dataclass(frozen=True, slots=True)
class Delivery:
    """An event that a webhook is to be told of."""

    webhook: int
    event: int
    part: int
    """An event with several triggers, or a test, has several bodies."""
    epoch: int
    """The epoch of the event's id."""
    trigger_id: str
    conversation: int
    """The conversation that the event belongs to; 0 if none."""
    partition: int
    """Deliveries of a partition are made one after the other: its conversation, or its own one."""
    state: str
    tries: int
    """The attempts since it was planned or replayed."""
    attempts: str
    """All attempts, as JSON: a list of `{at, duration, status?, answer?, error?}`."""
    created_at: int
    reason: str | None = None
    """Why it was given up, if that was not for its attempts."""

    @property
    def id(self) -> str:
        """Return its id, which is also that of its body."""
        return delivery_id(self.epoch, self.event, self.part)

    @property
    def event_id(self) -> str:
        """Return the id of its event."""
        return delivery_id(self.epoch, self.event, 0)

    @property
    def own_partition(self) -> int:
        """Return the partition in which it waits for no other delivery, and no other one for it."""
        return -(self.event * PARTS + self.part)


@dataclass(frozen=True, slots=True)
class Body:
    """What is sent of an event, to whichever webhook."""

    event: int
    part: int
    id: str
    body: str
    """A JSON object without its last brace: the webhook follows."""
    created_at: int
    message: int = 0
    """The message whose content it holds; 0 if none."""
    quoted: int = 0
    """The message that this one quotes; 0 if none."""
    uid: str = ""
    """The user whom it is about; empty if it is about a message or a group."""

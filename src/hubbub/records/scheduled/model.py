"""Messages that are sent later, and the refusals about them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from hubbub.kernel.errors import BadInput, LimitReached, NotFound, Refusal
from hubbub.outbox.work.queue import Queue
from hubbub.records.conversations.model import ConversationKey
from hubbub.records.messages.model import Draft

MESSAGES = "messages"
"""The kind of the queue of messages that are sent later."""
PENDING, FAILED = "pending", "failed"
STATUSES = (PENDING, FAILED)
MOST_AHEAD_SECONDS = 366 * 86_400
"""How far ahead the time of something scheduled may lie."""
KEPT_SECONDS = 30 * 86_400
"""How long a message is kept that could not be sent."""
LONGEST_REASON = 1000
_encode = msgspec.json.Encoder().encode
_decode_draft = msgspec.json.Decoder(Draft).decode


class ScheduledMessageNotFound(NotFound):
    """There is no such message to be sent later, or it is somebody else's."""

    code = "ERR_SCHEDULED_MESSAGE_NOT_FOUND"

    def __init__(self, scheduled_id: str) -> None:
        super().__init__(
            f"The scheduled message with id {scheduled_id} does not exist.",
            dev_message="It may have been sent, or cancelled, in the meantime.",
        )


class TooManyScheduledMessages(LimitReached):
    """The user has as many messages to be sent later as they may have."""

    def __init__(self, uid: str, limit: int) -> None:
        super().__init__(
            f"The user with UID {uid} has {limit:,} scheduled messages already.",
            details={"sendAt": [f"The limit is {limit:,} scheduled messages per user."]},
        )


@dataclass(frozen=True, slots=True)
class ScheduledQueue(Queue):
    """What is due in an app some time; `kind` says what that is."""

    kind: str


@dataclass(frozen=True, slots=True)
class ScheduledMessage:
    """A row of `scheduled_messages`; `draft` is JSON text. Times in seconds."""

    id: str
    sender: str
    muid: str | None
    """As its sender gave it."""
    receiver_type: str
    receiver: str
    lane: str
    draft: str
    send_at: int
    due_at: int
    """When it is sent, or tried again, in milliseconds."""
    place: int
    """The order of messages of the same time."""
    is_by_token: bool
    """Whether its sender's rates apply."""
    first_at: int
    """Of a repeated message, its first time."""
    time_zone: str | None
    repeat: str | None
    version: int
    """Raised with each change."""
    status: str
    code: str | None
    """Why it was not sent, the last time."""
    reason: str | None
    failed_at: int | None
    created_at: int
    updated_at: int

    @property
    def order(self) -> tuple[int, int]:
        """Return its position among what is due."""
        return self.due_at, self.place

    def read_draft(self) -> Draft:
        """Return the message as its sender has written it."""
        return _decode_draft(self.draft)

    def next_draft(self) -> Draft:
        """Return the message as it is sent: its muid is the same whenever that is tried again."""
        once = self.muid or self.id
        muid = once if self.repeat is None else f"{self.id}-{self.send_at}"
        return msgspec.structs.replace(self.read_draft(), muid=muid)


def encode_draft(draft: Draft) -> str:
    """Return a draft as it is stored: the secret of the call is not needed again."""
    return _encode(msgspec.structs.replace(draft, token=None)).decode()


def lane_of(key: ConversationKey) -> str:
    """Return the lane of the messages to a conversation."""
    return "/".join(key)


def check_ahead(field: str, at: int, now: int) -> None:
    """Check the time of something scheduled, in seconds.

    Raises:
        BadInput: the time has passed, or lies too far ahead.
    """
    if at < now:
        raise BadInput.field(field, f"The {field} must not be in the past; it is {now} now.")
    if at > now + MOST_AHEAD_SECONDS:
        days = MOST_AHEAD_SECONDS // 86_400
        raise BadInput.field(field, f"The {field} must lie within {days} days.")


def failure_of(refusal: Refusal, now: int) -> Mapping[str, Any]:
    """Return the fields of a message that say why it was not sent."""
    reason = refusal.message[:LONGEST_REASON]
    return {"code": refusal.code, "reason": reason, "failed_at": now, "updated_at": now}

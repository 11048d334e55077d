"""Reasons, flags and reviews of messages, and the refusals about them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec

from hubbub.kernel.errors import Conflict, LimitReached, NotFound
from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.messages.model import Draft

FLAGGED, HELD = "flagged", "held"
"""The kinds of reviews."""
PENDING, APPROVED, DISAPPROVED = "pending", "approved", "disapproved"
NO_RULE = ""
"""The rule of a flag that a user has set."""
MOST_REASONS = 100
"""The reasons of an app: somebody chooses from them on a screen."""


class ReasonNotFound(NotFound):
    """The app has no such reason."""

    code = "ERR_REASON_NOT_FOUND"

    def __init__(self, reason_id: str) -> None:
        super().__init__(f"The reason with id {reason_id} does not exist.")


class ReasonAlreadyExists(Conflict):
    """The app has a reason with this id."""

    code = "ERR_REASON_ALREADY_EXISTS"

    def __init__(self, reason_id: str) -> None:
        super().__init__(
            f"A reason with the id {reason_id} exists already.",
            details={"id": ["It is taken."]},
        )


class TooManyReasons(LimitReached):
    """The app has as many reasons as it may have."""

    def __init__(self) -> None:
        super().__init__(
            f"The app has {MOST_REASONS} reasons already.",
            details={"id": [f"The limit is {MOST_REASONS} per app."]},
        )


class AlreadyReviewed(Conflict):
    """Somebody has reviewed the message before."""

    code = "ERR_ALREADY_REVIEWED"

    def __init__(self, review: "Review") -> None:
        by, at = review.reviewed_by or "", review.reviewed_at or 0
        time = datetime.fromtimestamp(at, UTC).isoformat()
        super().__init__(
            f"The message with id {review.message} was {review.status} by {by} at {time}.",
            details={"reviewedBy": [by], "reviewedAt": [str(at)], "status": [review.status]},
        )


@dataclass(frozen=True, slots=True)
class FlagReason:
    """A reason to flag a message."""

    id: str
    name: str
    description: str | None
    created_at: int
    updated_at: int


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag of a user, or of a rule; `number` is the latest event number at that time."""

    message: int
    uid: str
    rule: str
    reason: str | None
    remark: str | None
    number: int
    flagged_at: int


def flag_by_rule(message_id: int, rule: str, number: int, now: int) -> Flag:
    """Return the flag of a rule; `number` is the latest event number."""
    return Flag(message_id, SYSTEM_UID, rule, None, None, number, now)


@dataclass(frozen=True, slots=True)
class Review:
    """A message that is to be reviewed, or that was; times in seconds."""

    kind: str
    message: int
    status: str
    opened_at: int
    reviewed_at: int | None = None
    reviewed_by: str | None = None


class BlockingRule(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A rule that blocked a message, with the condition that matched, as both were then."""

    rule_id: str
    rule_name: str
    revision_id: str
    condition: dict[str, Any]
    action: tuple[str, ...]
    term: str | None = None


@dataclass(frozen=True, slots=True)
class HeldMessage:
    """A message that is held; `draft` and `matches` are JSON text. Times in seconds."""

    message: int
    sender: str
    muid: str | None
    receiver_type: str
    receiver: str
    sent_at: int
    draft: str | None
    """None once it was delivered."""
    matches: str
    appeal: str | None = None
    appealed_at: int | None = None

    def read_draft(self) -> Draft | None:
        """Return the message as it would be sent; None once it was delivered."""
        return _decode_draft(self.draft) if self.draft is not None else None

    def read_matches(self) -> Sequence[BlockingRule]:
        """Return the rules that blocked it; the one that decided is first."""
        return _decode_matches(self.matches)


def hold(
    draft: Draft, matches: Sequence[BlockingRule], *, message_id: int, sent_at: int
) -> HeldMessage:
    """Return what is stored of a message that rules block."""
    kept = msgspec.structs.replace(draft, token=None)  # the secret of a call is not needed again
    return HeldMessage(
        message=message_id,
        sender=draft.sender,
        muid=draft.muid,
        receiver_type=draft.receiver_type,
        receiver=draft.receiver,
        sent_at=sent_at,
        draft=_encode(kept).decode(),
        matches=_encode(matches).decode(),
    )


_decode_draft = msgspec.json.Decoder(Draft).decode
_decode_matches = msgspec.json.Decoder(tuple[BlockingRule, ...]).decode
_encode = msgspec.json.Encoder().encode

"""Reasons, flags and reviews of messages, and the refusals about them."""

from dataclasses import dataclass
from datetime import UTC, datetime

from hubbub.kernel.errors import Conflict, LimitReached, NotFound

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


@dataclass(frozen=True, slots=True)
class Review:
    """A message that is to be reviewed, or that was; times in seconds."""

    kind: str
    message: int
    status: str
    opened_at: int
    reviewed_at: int | None = None
    reviewed_by: str | None = None

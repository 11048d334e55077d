"""The shapes of messages that are to be reviewed, or that were."""

from typing import Annotated

from msgspec import Meta

from hubbub.domain.moderated.find import ReviewedMessage
from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.moderated.model import Flag, Review
from hubbub.rest.messages.wire.message import MessageShape, message_shape
from hubbub.rest.wire.shapes import Shape


class FlagShape(Shape, kw_only=True):
    """A flag of a message, by a user or by a rule."""

    uid: str
    rule_id: str | None = None
    reason_id: str | None = None
    remark: str | None = None
    flagged_at: int


class ReviewShape(Shape, kw_only=True):
    """How a review stands."""

    status: str
    reviewed_at: int | None = None
    reviewed_by: str | None = None


class FlaggedShape(ReviewShape, kw_only=True):
    """A message with its flags and its review."""

    message: MessageShape
    flags: list[FlagShape]
    flags_count: Annotated[int, Meta(description="The number of the flags.")]


def flagged_shape(found: ReviewedMessage) -> FlaggedShape:
    """Return a flagged message on the wire."""
    review = found.review
    return FlaggedShape(
        message=message_shape(found.message, with_tags=True, is_app=True),
        flags=[_flag_shape(each) for each in found.flags],
        flags_count=len(found.flags),
        status=review.status,
        reviewed_at=review.reviewed_at,
        reviewed_by=review.reviewed_by,
    )


def review_shape(review: Review) -> ReviewShape:
    """Return a review on the wire."""
    return ReviewShape(
        status=review.status, reviewed_at=review.reviewed_at, reviewed_by=review.reviewed_by
    )


def _flag_shape(flag: Flag) -> FlagShape:
    return FlagShape(
        uid=flag.uid or SYSTEM_UID,
        rule_id=flag.rule or None,
        reason_id=flag.reason,
        remark=flag.remark,
        flagged_at=flag.flagged_at,
    )

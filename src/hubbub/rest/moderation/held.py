"""`/moderation/blocked-messages` and `/messages/{id}/appeal`: messages that rules hold."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from hubbub.domain.moderated import find
from hubbub.domain.moderated.find import ReviewedMessage
from hubbub.domain.moderated.held import appeal_held, review_held
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import Acting
from hubbub.kernel.errors import BadInput
from hubbub.records.audit.model import API_KEY, Doer
from hubbub.records.messages.model import MessageIdNotFound
from hubbub.records.moderated.model import APPROVED, DISAPPROVED, AlreadyReviewed
from hubbub.records.users.model import UidNotFound
from hubbub.rest.messages.wire.message import MessageShape, message_shape
from hubbub.rest.moderation.wire.lists import (
    ModerationListing,
    ModerationQuery,
    moderation_listing,
)
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import Json, Shape, SuccessMessage

TAG = operation.Tag(
    "Moderation - Blocked Messages",
    "Messages that rules have blocked, which only their senders see until they are reviewed.",
)
Remark = Annotated[str, Meta(max_length=1000)]


class ReviewBlocked(Shape, kw_only=True):
    """The decision on a blocked message."""

    status: Annotated[
        Literal["approved", "rejected", "disapproved"] | None,
        Meta(description="Whether the message is delivered now, or stays hidden."),
    ] = None
    reviewed: Annotated[
        bool | None,
        Meta(description="True, without a `status`, keeps the message hidden."),
    ] = None

    def decided(self) -> str:
        """Return the status that the review ends with.

        Raises:
            BadInput: there is no decision.
        """
        if self.status is None and not self.reviewed:
            raise BadInput.field("status", "The status must be approved or rejected.")
        return APPROVED if self.status == "approved" else DISAPPROVED


class AppealHeld(Shape, kw_only=True):
    """Why a message should be delivered."""

    remark: Annotated[Remark | None, Meta(description="What its sender says about it.")] = None


class AppealShape(Shape, kw_only=True):
    """The appeal of a message's sender."""

    remark: str | None = None
    appealed_at: int


class BlockedShape(Shape, kw_only=True):
    """A message that rules have blocked, with the rule that decided, as it was then."""

    rule_id: str
    rule_name: str
    revision_id: str
    condition: Json
    term: Annotated[str | None, Meta(description="The word or pattern that was found.")] = None
    action: list[str]
    message: MessageShape
    appeal: AppealShape | None = None
    created_at: int
    updated_at: int


@operation.get("/moderation/blocked-messages", tag=TAG)
async def list_moderation_blocked_messages(
    call: Call, query: ModerationQuery
) -> ModerationListing[BlockedShape]:
    """List the messages that rules have blocked and that are to be reviewed, newest first.

    Each has the rule that decided, with the condition that matched, and the appeal of its sender,
    if there is one.
    """
    page = await find.list_held(call.runtime, call.app_id, query.request())
    return moderation_listing(page, [_blocked_shape(each) for each in page.items])


@operation.patch(
    "/moderation/blocked-messages/{id}", tag=TAG, errors=(MessageIdNotFound, AlreadyReviewed)
)
async def review_blocked_message(
    call: Call, message_id: path.MessageId, body: ReviewBlocked
) -> SuccessMessage:
    """Deliver a blocked message, or reject it.

    An approved one is delivered at its place, with its id and time, and counts as unread; sessions
    hear `message_sent`. A rejected one stays as it is: only its sender sees it. Either way it moves
    to the reviewed messages.
    """
    status = body.decided()
    await review_held(
        call.runtime,
        call.app_id,
        message_id,
        status,
        by=call.actor.name,
        recorded=Doer(API_KEY),
    )
    is_short = status == APPROVED and body.reviewed is None
    done = "approved" if is_short else "reviewed successfully"
    return SuccessMessage(success=True, message=f"Message with ID {message_id} has been {done}.")


@operation.post(
    "/messages/{id}/appeal",
    tag=TAG,
    acting=Acting.REQUIRED,
    is_own=True,
    errors=(UidNotFound, MessageIdNotFound, AlreadyReviewed),
)
async def appeal_blocked_message(
    call: Call, message_id: path.MessageId, body: AppealHeld
) -> SuccessMessage:
    """Appeal against the blocking of one's own message.

    The reviewers see the appeal with the message; another one replaces it.
    """
    await appeal_held(call.runtime, call.app_id, call.actor, message_id, body.remark)
    return SuccessMessage(
        success=True, message=f"The appeal for message with id {message_id} has been received."
    )


def _blocked_shape(found: ReviewedMessage) -> BlockedShape:
    held, review = found.held, found.review
    assert held is not None  # the list has no other messages
    rule, *_ = held.read_matches()
    condition: dict[str, Any] = rule.condition
    appeal = None
    if held.appealed_at is not None:
        appeal = AppealShape(remark=held.appeal or None, appealed_at=held.appealed_at)
    return BlockedShape(
        rule_id=rule.rule_id,
        rule_name=rule.rule_name,
        revision_id=rule.revision_id,
        condition=condition,
        term=rule.term,
        action=list(rule.action),
        message=message_shape(found.message, with_tags=True, is_app=True),
        appeal=appeal,
        created_at=review.opened_at,
        updated_at=max(review.opened_at, held.appealed_at or 0),
    )

"""`/messages/{id}/flagged` and the lists of flagged and of reviewed messages."""

from typing import Annotated, Literal

from msgspec import Meta

from hubbub.domain.moderated import find
from hubbub.domain.moderated.flag import flag_message as flag
from hubbub.domain.moderated.flagged import review_flagged
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import Acting
from hubbub.records.audit.model import API_KEY, Doer
from hubbub.records.messages.model import MessageActionNotAllowed, MessageIdNotFound
from hubbub.records.moderated.model import AlreadyReviewed, ReasonNotFound
from hubbub.records.users.model import UidNotFound
from hubbub.rest.moderation.wire.lists import (
    ModerationListing,
    ModerationQuery,
    moderation_listing,
)
from hubbub.rest.moderation.wire.reviews import (
    FlaggedShape,
    ReviewShape,
    flagged_shape,
    review_shape,
)
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import Id, Shape, SuccessMessage

FLAGGED = operation.Tag(
    "Moderation - Flagged Messages",
    "Messages that users, or rules, have flagged, and their reviews.",
)
REVIEWED = operation.Tag(
    "Moderation - Reviewed Messages",
    "Messages that were flagged or blocked, and that the app has reviewed.",
)
Remark = Annotated[str, Meta(max_length=1000)]


class FlagMessage(Shape, kw_only=True):
    """Why a message is flagged."""

    reason_id: Id | None = None
    remark: Annotated[Remark | None, Meta(description="What the user says about it.")] = None


class ReviewFlagged(Shape, kw_only=True):
    """The decision on a flagged message."""

    status: Annotated[
        Literal["approved", "disapproved"],
        Meta(description="Whether the message stays, or is hidden as deleted ones are."),
    ]


@operation.post(
    "/messages/{id}/flagged",
    tag=FLAGGED,
    acting=Acting.REQUIRED,
    errors=(UidNotFound, MessageIdNotFound, MessageActionNotAllowed, ReasonNotFound),
)
async def flag_message(call: Call, message_id: path.MessageId, body: FlagMessage) -> SuccessMessage:
    """Flag a message for a review, as a user who may read it.

    A user flags a message once; again it replaces the reason and the remark, and opens the review
    anew if there was one.
    """
    await flag(
        call.runtime,
        call.app_id,
        call.actor,
        message_id,
        reason_id=body.reason_id.lower() if body.reason_id else None,
        remark=body.remark,
    )
    return SuccessMessage(
        success=True, message=f"Message with id {message_id} has been flagged successfully."
    )


@operation.get("/moderation/flagged-messages", tag=FLAGGED)
async def list_flagged_messages(
    call: Call, query: ModerationQuery
) -> ModerationListing[FlaggedShape]:
    """List the flagged messages that are to be reviewed, latest flag first.

    Each has all its flags; those of rules have a `ruleId`.
    """
    page = await find.list_flagged(call.runtime, call.app_id, query.request())
    return moderation_listing(page, [flagged_shape(each) for each in page.items])


@operation.patch(
    "/moderation/flagged-messages/{id}",
    tag=FLAGGED,
    errors=(MessageIdNotFound, AlreadyReviewed),
)
async def review_flagged_message(
    call: Call, message_id: path.MessageId, body: ReviewFlagged
) -> ReviewShape:
    """Approve a flagged message, or disapprove it.

    A disapproved one is deleted softly: its participants see that it was deleted, and the app its
    content. Either way it moves to the reviewed messages.
    """
    reviewed = await review_flagged(
        call.runtime,
        call.app_id,
        message_id,
        body.status,
        by=call.actor.name,
        recorded=Doer(API_KEY),
    )
    return review_shape(reviewed)


@operation.get("/moderation/reviewed-messages", tag=REVIEWED)
async def list_reviewed_messages(
    call: Call, query: ModerationQuery
) -> ModerationListing[FlaggedShape]:
    """List the messages that were reviewed, latest review first.

    A message that was flagged again since waits for its next review, and is not in the list.
    """
    page = await find.list_reviewed(call.runtime, call.app_id, query.request())
    return moderation_listing(page, [flagged_shape(each) for each in page.items])

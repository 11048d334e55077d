"""`/moderation/reasons`: the reasons from which users choose when they flag a message."""

from typing import Annotated

from msgspec import Meta

from hubbub.domain.moderated import reasons
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import Envelope
from hubbub.records.moderated.model import (
    FlagReason,
    ReasonAlreadyExists,
    ReasonNotFound,
    TooManyReasons,
)
from hubbub.rest.moderation.wire.lists import (
    ModerationListing,
    ModerationQuery,
    moderation_listing,
)
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import Id, Name, Shape, ShortText

TAG = operation.Tag(
    "Moderation - Reasons",
    "The reasons from which users choose when they flag a message.",
)


class CreateReason(Shape, kw_only=True):
    """A new reason."""

    id: Id
    name: Name
    description: ShortText | None = None


class UpdateReason(Shape, kw_only=True):
    """Changes of a reason; what is absent stays."""

    name: Name | None = None
    description: Annotated[
        ShortText | None, Meta(description="An empty one removes the description.")
    ] = None


class FlagReasonShape(Shape, kw_only=True):
    """A reason to flag a message."""

    id: str
    name: str
    description: str | None = None
    created_at: int
    updated_at: int


class ReasonDeleted(Envelope):
    """The acknowledgement that a reason was deleted; it stands at the root of the answer."""

    success: bool
    message: str


@operation.post("/moderation/reasons", tag=TAG, errors=(ReasonAlreadyExists, TooManyReasons))
async def create_reason(call: Call, body: CreateReason) -> FlagReasonShape:
    """Create a reason to flag messages.

    An app has at most 100.
    """
    made = await reasons.create_reason(
        call.runtime, call.app_id, body.id.lower(), body.name, body.description
    )
    return _shape(made)


@operation.get("/moderation/reasons", tag=TAG)
async def list_reasons(call: Call, query: ModerationQuery) -> ModerationListing[FlagReasonShape]:
    """List the reasons to flag messages, newest first.

    Pages have 50 reasons unless `perPage`, or `limit`, says otherwise.
    """
    page = await reasons.list_reasons(call.runtime, call.app_id, query.request())
    return moderation_listing(page, [_shape(each) for each in page.items])


@operation.get("/moderation/reasons/{id}", tag=TAG, errors=(ReasonNotFound,))
async def get_reason_details(call: Call, reason_id: path.ReasonId) -> FlagReasonShape:
    """Get a reason to flag messages.

    Its `id` is what a flag names.
    """
    return _shape(await reasons.get_reason(call.runtime, call.app_id, reason_id))


@operation.put("/moderation/reasons/{id}", tag=TAG, errors=(ReasonNotFound,))
async def update_reason_details(
    call: Call, reason_id: path.ReasonId, body: UpdateReason
) -> FlagReasonShape:
    """Change the name or description of a reason.

    Flags that name the reason by its id stay as they are.
    """
    changed = await reasons.update_reason(
        call.runtime, call.app_id, reason_id, body.name, body.description
    )
    return _shape(changed)


@operation.delete("/moderation/reasons/{id}", tag=TAG, errors=(ReasonNotFound,))
async def delete_reason(call: Call, reason_id: path.ReasonId) -> ReasonDeleted:
    """Delete a reason.

    Flags that name it keep its id. The answer has no `data`.
    """
    await reasons.delete_reason(call.runtime, call.app_id, reason_id)
    return ReasonDeleted(
        success=True, message=f"The reason with id {reason_id} has been deleted successfully."
    )


def _shape(reason: FlagReason) -> FlagReasonShape:
    return FlagReasonShape(
        id=reason.id,
        name=reason.name,
        description=reason.description,
        created_at=reason.created_at,
        updated_at=reason.updated_at,
    )

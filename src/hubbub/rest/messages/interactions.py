"""Use of interactive messages: read the request, call the domain, write the answer."""

from hubbub.domain.interactions.interact import interact
from hubbub.domain.interactions.submit import list_submissions, submit_form
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import Acting
from hubbub.records.blocks.model import BlockedReceiver, BlockedSender
from hubbub.records.interactions.model import (
    AlreadySubmitted,
    SubmissionsNotShown,
    TooManyElements,
    UseNotAllowed,
)
from hubbub.records.messages.model import BlockedByRule, MessageIdNotFound
from hubbub.records.users.model import UidNotFound
from hubbub.rest.messages.messages import TAG
from hubbub.rest.messages.wire import interactions as wire
from hubbub.rest.messages.wire.interactions import (
    SubmissionList,
    SubmissionShape,
    submission_list,
    submission_shape,
)
from hubbub.rest.messages.wire.message import MessageShape, message_shape
from hubbub.rest.wire import path
from hubbub.rest.wire.slices import SliceQuery

USING = (UidNotFound, MessageIdNotFound, UseNotAllowed, BlockedSender, BlockedReceiver)


@operation.patch(
    "/messages/{id}/interacted", tag=TAG, acting=Acting.REQUIRED, errors=(*USING, TooManyElements)
)
async def mark_interacted(
    call: Call,
    message_id: path.MessageId,
    body: wire.MarkInteracted,
) -> MessageShape:
    """Mark elements of an interactive message as used by the acting user.

    Each element is marked once and keeps the time of its first use. The answer is the message, with
    all elements that the acting user has used in `data.interactions`. In a `customInteractive`
    message any id is accepted. The sender may use the message only if `data.allowSenderInteraction`
    is true.

    When the used elements first complete the `interactionGoal` of the message, this is announced.
    The `type` of a goal is `any` (or `anyAction`), `anyOf` (or `oneOf`) or `allOf` of its
    `elementIds`, or `none`. If it lists no elements, any use completes it.
    """
    view = await interact(call.runtime, call.app_id, call.actor, message_id, body.element_ids())
    return message_shape(view, with_tags=True, is_app=call.actor.is_app)


@operation.post(
    "/messages/{id}/submissions",
    tag=TAG,
    acting=Acting.REQUIRED,
    errors=(*USING, AlreadySubmitted, BlockedByRule),
    is_own=True,
)
async def submit_message_form(
    call: Call,
    message_id: path.MessageId,
    body: wire.SubmitForm,
) -> SubmissionShape:
    """Submit a form for the acting user.

    Each value is checked against its element. A value is required if its element has `optional`
    false; without that field it may be left out. Choices must be among the options; text must fit
    into `maxLines`. Dates and times must be in the `dateTimeFormat` of the element (names in
    English), or else in ISO 8601 according to its `mode`, and within `from` and `to`. Labels and
    buttons have no value. Elements with a value, and the submit button, count as used.

    A user may submit any number of times, unless the submit button has `disableAfterInteracted`.

    Moderation rules judge the values as they judge texts, also to mask them. What they would keep
    back is refused, and they flag nothing.
    """
    submission = await submit_form(
        call.runtime, call.app_id, call.actor, message_id, body.form_data
    )
    return submission_shape(submission)


@operation.get(
    "/messages/{id}/submissions",
    tag=TAG,
    acting=Acting.OPTIONAL,
    errors=(UidNotFound, MessageIdNotFound, SubmissionsNotShown),
    is_own=True,
)
async def list_message_submissions(
    call: Call,
    message_id: path.MessageId,
    query: SliceQuery,
) -> SubmissionList:
    """List the submissions of a form, oldest first.

    Only the sender of the form and the app may do this. A deleted message shows users none.
    """
    found = await list_submissions(
        call.runtime, call.app_id, call.actor, message_id, query.request()
    )
    return submission_list(found)

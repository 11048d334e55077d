"""What users do with interactive messages: read the request, call the domain, write the answer."""

from hubbub.domain.interactions.find import list_submissions
from hubbub.domain.interactions.interact import interact
from hubbub.domain.interactions.submit import submit_form
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
from hubbub.records.messages.model import MessageIdNotFound
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

USING = (UidNotFound, MessageIdNotFound, UseNotAllowed, BlockedSender, BlockedReceiver)


@operation.patch(
    "/messages/{id}/interacted",
    tag=TAG,
    acting=Acting.REQUIRED,
    for_users=True,
    errors=(*USING, TooManyElements),
)
async def mark_interacted(
    call: Call,
    id: int,  # noqa: A002  # the path's word
    body: wire.MarkInteracted,
) -> MessageShape:
    """Mark elements of an interactive message as used by the acting user.

    Each is marked once: what was used before keeps its time. The answer is the message, with all
    that he has used in `data.interactions`. Of a `customInteractive` message any id will do. Who
    sent it may use it only where `data.allowSenderInteraction` is true.

    The first time that what he has used completes the message's `interactionGoal`, it is told. Its
    `type` is `any` (or `anyAction`), `anyOf` (or `oneOf`) or `allOf` of its `elementIds`, or
    `none`; where it lists no elements, any use completes it.
    """
    told = await interact(call.runtime, call.app_id, call.actor, id, body.element_ids())
    return message_shape(told, with_tags=True, is_app=call.actor.is_app)


@operation.post(
    "/messages/{id}/submissions",
    tag=TAG,
    acting=Acting.REQUIRED,
    for_users=True,
    errors=(*USING, AlreadySubmitted),
)
async def submit_message_form(
    call: Call,
    id: int,  # noqa: A002  # the path's word
    body: wire.SubmitForm,
) -> SubmissionShape:
    """Submit a form for the acting user.

    Each value is checked against its element: what is not `optional` must be there, choices must
    be among the options, text must fit into `maxLines`, dates and times must be in the element's
    `dateTimeFormat` (names in English), or without one in ISO 8601 as its `mode` has it, from
    `from` to `to`. Labels and buttons take no value. What was filled in, and the submit button,
    count as used.

    A user may submit as often as he likes, unless the submit button has `disableAfterInteracted`.
    """
    submission = await submit_form(call.runtime, call.app_id, call.actor, id, body.form_data)
    return submission_shape(submission)


@operation.get(
    "/messages/{id}/submissions",
    tag=TAG,
    acting=Acting.OPTIONAL,
    for_users=True,
    errors=(UidNotFound, MessageIdNotFound, SubmissionsNotShown),
)
async def list_message_submissions(
    call: Call,
    id: int,  # noqa: A002  # the path's word
    query: wire.ListSubmissions,
) -> SubmissionList:
    """List what was submitted with a form, for who sent it and for the app; the first first.

    A message that was deleted shows users none.
    """
    found = await list_submissions(call.runtime, call.app_id, call.actor, id, query.stretch())
    return submission_list(found)

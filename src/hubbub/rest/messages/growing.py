"""Appends to messages that grow, their end, and stop requests: read, call the domain, answer."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from hubbub.domain.access.rates import Rate, take_appends
from hubbub.domain.growing.append import CALL_SECONDS, Appended, append
from hubbub.domain.growing.append_together import Append, append_together
from hubbub.domain.growing.finish import finish
from hubbub.domain.growing.stop import request_stop
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.errors import Problem, body_of
from hubbub.http.operation import Acting, Envelope
from hubbub.kernel.errors import Refusal
from hubbub.records.blocks.model import BlockedReceiver, BlockedSender
from hubbub.records.growing.model import MessageNotGrowing, SequenceGap
from hubbub.records.messages.model import MessageIdNotFound, MessageNotASender
from hubbub.records.users.model import UidNotFound
from hubbub.rest.messages.messages import GROUP_ERRORS, TAG
from hubbub.rest.messages.wire.message import MessageShape, message_shape
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import Shape, SuccessMessage

LARGEST_SEQUENCE = 2**53
MOST_APPENDS = 1_000
MESSAGE = "/messages/{id}"
ERRORS = (UidNotFound, MessageIdNotFound, MessageNotASender, MessageNotGrowing)


AppendedText = Annotated[
    str, Meta(description="It follows the text so far; an empty one only keeps it growing.")
]
AppendNumber = Annotated[
    int,
    Meta(
        ge=1,
        le=LARGEST_SEQUENCE,
        description="1 for the first append of a message, and one more for each further one.",
    ),
]


class AppendBody(Shape, kw_only=True):
    """A text to append to a message that grows."""

    text: AppendedText
    sequence: AppendNumber
    durable: Annotated[bool, Meta(description="Whether to answer only when it is on disk.")] = False


class AppendedShape(Shape, kw_only=True):
    """An append that was taken."""

    id: str
    sequence: Annotated[int, Meta(description="The number of the append.")]
    length: Annotated[int, Meta(description="The code points of the text after this append.")]


class AppendToOne(Shape, kw_only=True):
    """A text to append to one of several messages."""

    id: Annotated[str, Meta(pattern="^[0-9]+$", description="The id of the message.")]
    text: AppendedText
    sequence: AppendNumber


class AppendsBody(Shape, kw_only=True):
    """Texts to append to messages that grow."""

    appends: Annotated[
        list[AppendToOne],
        Meta(
            min_length=1,
            max_length=MOST_APPENDS,
            description="Several to one message are appended in their order.",
        ),
    ]


class AppendOutcome(Shape, kw_only=True):
    """The outcome of one of several appends."""

    success: bool
    data: AppendedShape | None = None
    error: Problem | None = None


class AppendOutcomes(Envelope, kw_only=True):
    """The outcomes of appends, in their order."""

    data: list[AppendOutcome]


class FinishBody(Shape, kw_only=True):
    """The end of a message that grows."""

    data: Annotated[
        Any,
        Meta(
            description="An object: each of its properties replaces the stored one; `text` replaces"
            " what was appended."
        ),
    ] = None
    status: Annotated[
        Literal["done", "failed"], Meta(description="How it ended; readers are shown it.")
    ] = "done"


@operation.post(
    f"{MESSAGE}/append",
    tag=TAG,
    acting=Acting.OPTIONAL,
    rate=Rate.APPEND,
    errors=(*ERRORS, SequenceGap),
    codes=("ERR_INVALID_MESSAGE_DATA",),
    is_own=True,
)
async def append_message(call: Call, message_id: path.MessageId, body: AppendBody) -> AppendedShape:
    """Append a text to a message that grows.

    Its sender and the app may do this. Sessions are told at most 20 times a second, by
    `message_appended`. The text is on disk within a second, and at once with `durable`. An append
    that was taken before changes nothing and is answered again; one that leaves a gap is refused
    with the next `sequence` in `details`. The text may have `limits.growingText` bytes of UTF-8.
    """
    await call.runtime.allowances.wait(call.app_id, CALL_SECONDS)
    taken = await append(
        call.direct or call.runtime,
        call.app_id,
        call.actor,
        message_id,
        body.text,
        body.sequence,
        is_durable=body.durable,
    )
    if taken.is_repeated:
        call.answer_headers["Idempotent-Replayed"] = "true"
    return AppendedShape(id=str(message_id), sequence=taken.sequence, length=taken.length)


@operation.post(
    "/messages/append",
    tag=TAG,
    acting=Acting.OPTIONAL,
    rate=Rate.APPEND,
    errors=(UidNotFound,),
    is_own=True,
)
async def append_messages(call: Call, body: AppendsBody) -> AppendOutcomes:
    """Append texts to several messages that grow.

    Each append is as one of `POST /messages/{id}/append`, without `durable`, and counts as one
    towards `limits.userAppendsPerMinute`. The answer has one outcome for each, in their order; one
    that is refused affects no other. A bot that answers many people sends together what it has for
    all of them at a moment: that costs a fraction of as many calls.
    """
    appends = [
        Append(path.parse_message_id(each.id, f"appends.{place}.id"), each.text, each.sequence)
        for place, each in enumerate(body.appends)
    ]
    if call.is_by_token and call.actor.uid is not None:
        await take_appends(call.runtime, call.app_id, call.actor.uid, len(appends) - 1)
    runtime = call.direct or call.runtime
    outcomes = await append_together(runtime, call.app_id, call.actor, appends)
    return AppendOutcomes(
        data=[
            _outcome_shape(each.id, outcome)
            for each, outcome in zip(body.appends, outcomes, strict=True)
        ]
    )


def _outcome_shape(id_: str, outcome: Appended | Refusal) -> AppendOutcome:
    if isinstance(outcome, Refusal):
        return AppendOutcome(success=False, error=body_of(outcome).error)
    taken = AppendedShape(id=id_, sequence=outcome.sequence, length=outcome.length)
    return AppendOutcome(success=True, data=taken)


@operation.post(
    f"{MESSAGE}/finish",
    tag=TAG,
    acting=Acting.OPTIONAL,
    errors=(*ERRORS, *GROUP_ERRORS, BlockedSender, BlockedReceiver),
    codes=(
        "ERR_INVALID_MESSAGE_DATA",
        "ERR_INVALID_MESSAGE_TEXT",
        "ERR_INVALID_METADATA",
    ),
    is_own=True,
    is_body_optional=True,
)
async def finish_message(call: Call, message_id: path.MessageId, body: FinishBody) -> MessageShape:
    """End a message that grows.

    Its sender and the app may do this. From now on it is a message like any other: it can be
    edited, people are notified of it, and it has `data.grown`. One to which nobody appends for
    `limits.growingSilence` seconds is ended by the server, with the status `failed`.
    """
    view = await finish(
        call.direct or call.runtime,
        call.app_id,
        call.actor,
        message_id,
        body.data,
        body.status,
    )
    return message_shape(view, with_tags=True, is_app=call.actor.is_app)


@operation.post(
    f"{MESSAGE}/stop",
    tag=TAG,
    acting=Acting.OPTIONAL,
    errors=(UidNotFound, MessageIdNotFound, MessageNotGrowing, *GROUP_ERRORS),
    is_own=True,
)
async def stop_message(call: Call, message_id: path.MessageId) -> SuccessMessage:
    """Ask the sender of a message that grows to end it.

    Each participant may do this. Sessions and webhooks are told `message_stop_requested` the first
    time; the sender decides what follows.
    """
    await request_stop(call.runtime, call.app_id, call.actor, message_id)
    return SuccessMessage(
        success=True, message=f"The sender of the message {message_id} was asked to end it."
    )

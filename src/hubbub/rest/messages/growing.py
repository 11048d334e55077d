"""`/messages/{id}/append`, `/finish` and `/stop`: read the request, call the domain, answer."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from hubbub.domain.access.rates import Rate
from hubbub.domain.growing.append import append
from hubbub.domain.growing.finish import finish
from hubbub.domain.growing.stop import request_stop
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import Acting
from hubbub.records.blocks.model import BlockedReceiver, BlockedSender
from hubbub.records.growing.model import MessageNotGrowing, SequenceGap
from hubbub.records.messages.model import MessageIdNotFound, MessageNotASender
from hubbub.records.users.model import UidNotFound
from hubbub.rest.messages.messages import GROUP_ERRORS, TAG
from hubbub.rest.messages.wire.message import MessageShape, message_shape
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import Shape, SuccessMessage

LARGEST_SEQUENCE = 2**53
MESSAGE = "/messages/{id}"
ERRORS = (UidNotFound, MessageIdNotFound, MessageNotASender, MessageNotGrowing)


class AppendBody(Shape, kw_only=True):
    """A text to append to a message that grows."""

    text: Annotated[
        str, Meta(description="It follows the text so far; an empty one only keeps it growing.")
    ]
    sequence: Annotated[
        int,
        Meta(
            ge=1,
            le=LARGEST_SEQUENCE,
            description="1 for the first append of a message, and one more for each further one.",
        ),
    ]
    durable: Annotated[bool, Meta(description="Whether to answer only when it is on disk.")] = False


class AppendedShape(Shape, kw_only=True):
    """An append that was taken."""

    id: str
    sequence: Annotated[int, Meta(description="The number of the append.")]
    length: Annotated[int, Meta(description="The code points of the text after this append.")]


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

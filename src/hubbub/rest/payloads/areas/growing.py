"""The payloads of events about messages that grow."""

from typing import Annotated

from msgspec import Meta

from hubbub.records.conversations.model import conversation_id
from hubbub.records.growing.events import MessageGrown, MessageStopRequested
from hubbub.rest.payloads.areas.messages import MessageJson
from hubbub.rest.payloads.areas.people import PayloadUser, payload_user
from hubbub.rest.payloads.facts import Facts, Named, Payload
from hubbub.rest.payloads.samples import BEN, PAIR, sample_message
from hubbub.rest.wire.shapes import Json, Shape


class GrownPayload(Shape, kw_only=True):
    """The data of `message_grown`: the message with its whole text."""

    message: MessageJson


class StoppedMessage(Shape, kw_only=True):
    """A message that grows."""

    id: str
    conversation_id: str


class StopPayload(Shape, kw_only=True):
    """The data of `message_stop_requested`."""

    message: Annotated[StoppedMessage, Meta(description="The message that is to end.")]
    by: PayloadUser


def grown(facts: Facts, event: MessageGrown) -> bytes | None:
    """Return the data of `message_grown`; None if the message is gone."""
    row = facts.message_row(event.message)
    return b'{"message":%b}' % row if row is not None else None


def stop_requested(facts: Facts, event: MessageStopRequested) -> StopPayload | None:
    """Return the data of `message_stop_requested`; None if the message is gone."""
    message = facts.messages.get(event.message)
    if message is None:
        return None
    return StopPayload(
        message=StoppedMessage(id=str(message.id), conversation_id=conversation_id(message.key)),
        by=payload_user(facts.user(event.by)),
    )


def _add_grown(named: Named, event: MessageGrown) -> None:
    named.shown.add(event.message)


def _add_stop(named: Named, event: MessageStopRequested) -> None:
    named.messages.add(event.message)
    named.uids.add(event.by)


PAYLOADS = (
    Payload((MessageGrown,), GrownPayload, grown, _add_grown),
    Payload((MessageStopRequested,), StopPayload, stop_requested, _add_stop),
)

SAMPLES: dict[str, Json] = {
    "message_grown": {
        "message": sample_message("Hello Ben!", data={"grown": {"status": "done", "appends": 3}})
    },
    "message_stop_requested": {"message": {"id": "101", "conversationId": PAIR}, "by": BEN},
}

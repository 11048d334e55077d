"""The payloads of events about pinned messages."""

from hubbub.records.conversations.model import conversation_id
from hubbub.records.pins.events import MessagePinned, MessageUnpinned, PinEvent
from hubbub.rest.payloads.areas.people import PayloadUser, payload_user
from hubbub.rest.payloads.facts import Facts, Named, Payload
from hubbub.rest.payloads.samples import BEN_ON_MESSAGE, NOW
from hubbub.rest.wire.shapes import Json, Shape


class PinPayload(Shape, kw_only=True):
    """The data of `message_pinned` and, without `pinnedAt`, of `message_unpinned`; `by` did it."""

    message_id: str
    conversation_id: str
    by: PayloadUser
    pinned_at: int | None = None


def changed(facts: Facts, event: PinEvent) -> PinPayload | None:
    """Return the data of a pin that was made or removed; None if the message is gone."""
    message = facts.messages.get(event.message)
    if message is None:
        return None
    return PinPayload(
        message_id=str(message.id),
        conversation_id=conversation_id(message.key),
        by=payload_user(facts.user(event.by)),
        pinned_at=event.at if isinstance(event, MessagePinned) else None,
    )


def _add_ids(named: Named, event: PinEvent) -> None:
    named.messages.add(event.message)
    named.uids.add(event.by)


PAYLOADS = (Payload((MessagePinned, MessageUnpinned), PinPayload, changed, _add_ids),)

SAMPLES: dict[str, Json] = {
    "message_pinned": {**BEN_ON_MESSAGE, "pinnedAt": NOW + 30},
    "message_unpinned": BEN_ON_MESSAGE,
}

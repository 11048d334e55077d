"""The payload of the event about messages that were removed when their time was over."""

from hubbub.records.retention.events import MessagesExpired
from hubbub.rest.payloads.areas.conversations import PayloadConversation, payload_conversation
from hubbub.rest.payloads.facts import Facts, Named, Payload
from hubbub.rest.payloads.samples import NOW, PAIR_CONVERSATION
from hubbub.rest.wire.shapes import Json, Shape


class MessagesExpiredPayload(Shape, kw_only=True):
    """The data of `messages_expired`: messages were removed, as their time was over.

    There are no action messages, and no tombstones are left. Unread numbers and the last message
    of the conversation may have changed.
    """

    conversation: PayloadConversation
    message_ids: list[str]
    expired_at: int


def _expired(facts: Facts, event: MessagesExpired) -> MessagesExpiredPayload | None:
    """Return the data of `messages_expired`; None if the whole conversation is gone."""
    conversation = facts.seats.conversations.get(event.conversation)
    if conversation is None:
        return None
    return MessagesExpiredPayload(
        conversation=payload_conversation(conversation.key),
        message_ids=[str(id_) for id_ in event.messages],
        expired_at=event.at,
    )


def _add_conversation(named: Named, event: MessagesExpired) -> None:
    named.conversations.add(event.conversation)


PAYLOADS = (Payload((MessagesExpired,), MessagesExpiredPayload, _expired, _add_conversation),)

SAMPLES: dict[str, Json] = {
    "messages_expired": {
        "conversation": PAIR_CONVERSATION,
        "messageIds": ["101", "102"],
        "expiredAt": NOW + 30,
    },
}

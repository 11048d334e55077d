"""Events of retention."""

import msgspec

from hubbub.outbox.audience import ALL, Audience, conversation_unknown, participant_keys
from hubbub.outbox.registry import event


@event(
    "messages_expired",
    "Messages were removed as their time was over, by retention or because they disappear.",
    told=Audience(ALL, participant_keys, conversation_unknown, tells_only=True),
    actor=None,  # nobody did it
)
class MessagesExpired(msgspec.Struct, frozen=True):
    """These messages of a conversation were removed; nothing is left of them."""

    messages: list[int]
    conversation: int
    at: int

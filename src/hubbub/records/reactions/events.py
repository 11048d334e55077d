"""What happens to reactions; `id` is the reaction's own."""

from typing import ClassVar

import msgspec


class ReactionEvent(msgspec.Struct, frozen=True, kw_only=True):
    """What both of them tell."""

    id: int
    message: int
    conversation: int
    reaction: str
    uid: str
    reacted_at: int
    at: int


class MessageReactionAdded(ReactionEvent, frozen=True, kw_only=True):
    """He reacted to the message."""

    event_name: ClassVar[str] = "message_reaction_added"


class MessageReactionRemoved(ReactionEvent, frozen=True, kw_only=True):
    """He took a reaction back."""

    event_name: ClassVar[str] = "message_reaction_removed"

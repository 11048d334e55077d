"""Events of reactions; `id` is the reaction's."""

import msgspec

from hubbub.outbox.audience import NODES_ALONE, PARTICIPANTS_OF_MESSAGE, Audience, no_keys
from hubbub.outbox.registry import event

AUTHORS, REDACTED = ("uid",), {"reaction": ""}


class ReactionEvent(msgspec.Struct, frozen=True, kw_only=True):
    """A reaction of user `uid` to a message changed."""

    id: int
    message: int
    conversation: int
    reaction: str
    """Empty once the user was erased."""
    uid: str
    reacted_at: int
    at: int


@event(
    "message_reaction_added",
    "A user reacted to a message.",
    told=PARTICIPANTS_OF_MESSAGE,
    actor="uid",
    trigger="message",
    authors=AUTHORS,
    redacted=REDACTED,
)
class MessageReactionAdded(ReactionEvent, frozen=True, kw_only=True):
    """The user reacted to the message."""


@event(
    "message_reaction_imported",
    told=Audience(NODES_ALONE, no_keys, tells_only=True),
    actor=None,
    internal=True,
    authors=AUTHORS,
    redacted=REDACTED,
)
class MessageReactionImported(ReactionEvent, frozen=True, kw_only=True):
    """The user had reacted to the imported message in the earlier system."""


@event(
    "message_reaction_removed",
    "A user removed a reaction.",
    told=PARTICIPANTS_OF_MESSAGE,
    actor="uid",
    trigger="message",
    trigger_text="A user removed a reaction from a message.",
    authors=AUTHORS,
    redacted=REDACTED,
)
class MessageReactionRemoved(ReactionEvent, frozen=True, kw_only=True):
    """The user removed their reaction."""

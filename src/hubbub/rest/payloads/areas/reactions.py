"""The payloads of triggers about reactions."""

from hubbub.records.reactions.events import (
    MessageReactionAdded,
    MessageReactionRemoved,
    ReactionEvent,
)
from hubbub.rest.payloads.areas.people import NamedUser, named_user
from hubbub.rest.payloads.facts import Facts, Named, Payload
from hubbub.rest.payloads.samples import NOW, sample_named_user
from hubbub.rest.wire.shapes import Json, Shape


class PayloadReaction(Shape, kw_only=True):
    """A user's reaction to a message."""

    id: str
    message_id: str
    reaction: str
    uid: str
    reacted_at: int
    reacted_by: NamedUser


class ReactionPayload(Shape, kw_only=True):
    """The data of `message_reaction_added` and `message_reaction_removed`."""

    reaction: PayloadReaction


def reacted(facts: Facts, event: ReactionEvent) -> ReactionPayload | None:
    """Return the data of a reaction that was added or removed; None if it was erased."""
    is_erased = not event.reaction or not facts.has_user(event.uid)
    if is_erased or event.message not in facts.messages:
        return None
    return ReactionPayload(
        reaction=PayloadReaction(
            id=str(event.id),
            message_id=str(event.message),
            reaction=event.reaction,
            uid=event.uid,
            reacted_at=event.reacted_at,
            reacted_by=named_user(facts.user(event.uid)),
        )
    )


def _add_ids(named: Named, event: ReactionEvent) -> None:
    named.messages.add(event.message)
    named.uids.add(event.uid)


PAYLOADS = (
    Payload((MessageReactionAdded, MessageReactionRemoved), ReactionPayload, reacted, _add_ids),
)

_REACTION: Json = {
    "id": "205",
    "messageId": "101",
    "reaction": "👍",
    "uid": "ben",
    "reactedAt": NOW + 20,
    "reactedBy": sample_named_user("ben"),
}
SAMPLES: dict[str, Json] = {
    "message_reaction_added": {"reaction": _REACTION},
    "message_reaction_removed": {"reaction": _REACTION},
}

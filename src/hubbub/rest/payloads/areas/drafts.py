"""The payloads of events about drafts."""

import msgspec

from hubbub.records.drafts.events import DraftChanged
from hubbub.records.drafts.model import DraftKey, conversation_of
from hubbub.records.drafts.store import find_drafts
from hubbub.rest.messages.wire.message import DataObject
from hubbub.rest.payloads.areas.conversations import PayloadConversation, payload_conversation
from hubbub.rest.payloads.facts import Facts, Named, Payload
from hubbub.rest.payloads.samples import NOW, PAIR_CONVERSATION
from hubbub.rest.wire.shapes import Json, Shape


class DraftContent(Shape, kw_only=True):
    """What a user has begun to write."""

    data: DataObject
    updated_at: int


class DraftPayload(Shape, kw_only=True):
    """The data of `draft_changed`: the draft as it is now; without one, it was removed."""

    conversation: PayloadConversation
    draft: DraftContent | None = None


def changed(facts: Facts, event: DraftChanged) -> DraftPayload:
    """Return the data of `draft_changed`."""
    draft = facts.found(find_drafts).get(_key(event))
    return DraftPayload(
        conversation=payload_conversation(conversation_of(_key(event))),
        draft=None
        if draft is None
        else DraftContent(data=msgspec.Raw(draft.data.encode()), updated_at=draft.updated_at),
    )


def _key(event: DraftChanged) -> DraftKey:
    return event.uid, event.receiver_type, event.receiver


def _add_ids(named: Named, event: DraftChanged) -> None:
    named.others[find_drafts].add(_key(event))


PAYLOADS = (Payload((DraftChanged,), DraftPayload, changed, _add_ids),)

SAMPLES: dict[str, Json] = {
    "draft_changed": {
        "conversation": PAIR_CONVERSATION,
        "draft": {"data": {"text": "Dear Ben, "}, "updatedAt": NOW},
    },
}

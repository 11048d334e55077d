"""What imported messages bring along: references by muid, edits and reactions."""

from collections.abc import Container, Iterator, Mapping, Sequence

import msgspec

from hubbub.kernel.errors import BadInput, Refusal
from hubbub.kernel.text import SYSTEM_UID
from hubbub.outbox import next_event_number
from hubbub.records.conversations.model import GROUP
from hubbub.records.messages import store
from hubbub.records.messages.model import (
    Draft,
    ImportedPast,
    Message,
    MessageNotImported,
    MuidReference,
)
from hubbub.records.messages.traits import HAS_REACTIONS
from hubbub.records.reactions.events import MessageReactionImported
from hubbub.records.reactions.model import Reaction
from hubbub.records.reactions.store import insert_reactions
from hubbub.records.users.model import UidNotFound
from hubbub.storage.interface import Transaction

Imported = tuple[Message, ImportedPast]


def references_of(draft: Draft) -> Iterator[tuple[str, MuidReference]]:
    """Yield the references of a draft by muid, each with the name of its field."""
    past = draft.imported
    if past is not None and past.parent is not None:
        yield "parentId", past.parent
    if past is not None and past.quoted is not None:
        yield "quotedMessageId", past.quoted


def reactors_of(draft: Draft) -> list[str]:
    """Return the uids of the users who reacted to an imported message."""
    return [each.uid for each in draft.imported.reactions] if draft.imported is not None else []


def resolve_references(
    draft: Draft, by_muid: Mapping[store.SenderMuid, Message], found: dict[int, Message]
) -> Draft | Refusal:
    """Return a draft with the ids of the messages that it names by muid; add these to `found`."""
    ids: dict[str, int | None] = {"parentId": draft.parent_id, "quotedMessageId": draft.quoted_id}
    for field, reference in references_of(draft):
        candidates = (by_muid.get((sender, reference.muid)) for sender in reference.senders)
        message = next((each for each in candidates if each and not each.is_erased), None)
        if message is None:
            return MessageNotImported(field, reference)
        ids[field] = message.id
        found[message.id] = message
    return msgspec.structs.replace(
        draft, parent_id=ids["parentId"], quoted_id=ids["quotedMessageId"]
    )


def refuse_reactors(draft: Draft, people: Container[str]) -> Refusal | None:
    """Return why the reactions of an imported message can't be stored, or None."""
    both = None if draft.receiver_type == GROUP else (draft.sender, draft.receiver)
    for index, uid in enumerate(reactors_of(draft)):
        if uid == SYSTEM_UID or uid not in people:
            return UidNotFound(uid)
        if both is not None and uid not in both:
            return BadInput.field(
                f"reactions.{index}.uid", f"The user {uid} takes no part in this conversation."
            )
    return None


def with_reactions(draft: Draft) -> Draft:
    """Return a draft with the trait of its reactions, if it has some."""
    if not reactors_of(draft):
        return draft
    return msgspec.structs.replace(draft, traits=draft.traits | HAS_REACTIONS)


async def write_past(tx: Transaction, imported: Sequence[Imported], now: int) -> None:
    """Store the edits and reactions of messages that were stored in this transaction."""
    for message, past in imported:
        if past.edited_at is not None:
            await _store_edit(tx, message, past.edited_at)
    reactions = [_react(tx, each, now) for each in _reactions_of(imported)]
    if reactions:
        await insert_reactions(tx, reactions)


async def _store_edit(tx: Transaction, message: Message, at: int) -> None:
    before = msgspec.structs.replace(message)
    message.edited_at, message.edited_by, message.updated_at = at, message.sender, at
    await store.update_message(tx, before, message, next_event_number(tx))


def _reactions_of(imported: Sequence[Imported]) -> Iterator[tuple[Message, str, str, int]]:
    for message, past in imported:
        for each in past.reactions:
            yield message, each.reaction, each.uid, each.reacted_at


def _react(tx: Transaction, given: tuple[Message, str, str, int], now: int) -> Reaction:
    """Return a reaction, and announce it to consumers: its number is that of its event."""
    message, reaction, uid, reacted_at = given
    stored = Reaction(message.id, reaction, uid, next_event_number(tx), reacted_at)
    tx.announce(
        MessageReactionImported(
            id=stored.number,
            message=message.id,
            conversation=message.conversation,
            reaction=reaction,
            uid=uid,
            reacted_at=reacted_at,
            at=now,
        )
    )
    return stored

"""What imported messages bring along: references by muid, edits and reactions."""

from collections.abc import Container, Iterator, Mapping, Sequence

import msgspec

from hubbub.domain.access.sending import SendContext
from hubbub.kernel.errors import BadInput, Refusal
from hubbub.kernel.text import SYSTEM_UID
from hubbub.outbox import next_event_number
from hubbub.records.conversations.model import GROUP
from hubbub.records.messages import store
from hubbub.records.messages.model import (
    HAS_REACTIONS,
    IS_PINNED,
    Brought,
    Draft,
    Message,
    MessageNotImported,
    MuidReference,
)
from hubbub.records.pins.model import BY_APP, Pin
from hubbub.records.pins.store import insert_pin
from hubbub.records.reactions.events import MessageReactionImported
from hubbub.records.reactions.model import Reaction
from hubbub.records.reactions.store import insert_reactions
from hubbub.records.users.model import UidNotFound
from hubbub.storage.interface import Transaction

Imported = tuple[Message, Brought]


def references_of(brought: Brought) -> Iterator[tuple[str, MuidReference]]:
    """Yield the references by muid, each with the name of its field."""
    if brought.parent is not None:
        yield "parentId", brought.parent
    if brought.quoted is not None:
        yield "quotedMessageId", brought.quoted


def prepare(
    draft: Draft,
    brought: Brought,
    by_muid: Mapping[store.SenderMuid, Message],
    context: SendContext,
) -> Draft | Refusal:
    """Return an imported draft with what it brings along, or why that can't be stored."""
    resolved = _resolve_references(draft, brought, by_muid, context)
    if isinstance(resolved, Refusal):
        return resolved
    refusal = context.refuse_references(resolved)
    refusal = refusal or _refuse_reactors(resolved, brought, context.people)
    traits = (HAS_REACTIONS if brought.reactions else 0) | (IS_PINNED if brought.pinned_at else 0)
    if refusal is not None or not traits:
        return refusal or resolved
    return msgspec.structs.replace(resolved, traits=resolved.traits | traits)


def _resolve_references(
    draft: Draft,
    brought: Brought,
    by_muid: Mapping[store.SenderMuid, Message],
    context: SendContext,
) -> Draft | Refusal:
    """Return a draft with the ids of the messages that it names by muid; add these to `found`."""
    ids: dict[str, int | None] = {"parentId": draft.parent_id, "quotedMessageId": draft.quoted_id}
    conversation, found = context.conversations.get(draft.key), context.messages
    number = conversation.number if conversation else None
    for field, reference in references_of(brought):
        candidates = (by_muid.get((sender, reference.muid)) for sender in reference.senders)
        known = [each for each in candidates if each and not each.is_erased]
        here = (each for each in known if each.conversation == number)
        message = next(here, known[0] if known else None)
        if message is None:
            return MessageNotImported(field, reference)
        ids[field] = message.id
        found[message.id] = message
    return msgspec.structs.replace(
        draft, parent_id=ids["parentId"], quoted_id=ids["quotedMessageId"]
    )


def _refuse_reactors(draft: Draft, brought: Brought, people: Container[str]) -> Refusal | None:
    """Return why the reactions of an imported message can't be stored, or None."""
    both = None if draft.receiver_type == GROUP else (draft.sender, draft.receiver)
    for index, uid in enumerate(each.uid for each in brought.reactions):
        if uid == SYSTEM_UID or uid not in people:
            return UidNotFound(uid)
        if both is not None and uid not in both:
            return BadInput.field(
                f"reactions.{index}.uid", f"The user {uid} takes no part in this conversation."
            )
    return None


async def write_brought(tx: Transaction, imported: Sequence[Imported], now: int) -> None:
    """Store the edits and reactions of messages that were stored in this transaction."""
    for message, brought in imported:
        if brought.edited_at is not None:
            await _store_edit(tx, message, brought.edited_at)
        if brought.pinned_at is not None:
            await _store_pin(tx, message, brought.pinned_at)
        if brought.deleted_at is not None:
            await _store_deletion(tx, message, brought.deleted_at)
    reactions = [_react(tx, each, now) for each in _reactions_of(imported)]
    if reactions:
        await insert_reactions(tx, reactions)


async def _store_edit(tx: Transaction, message: Message, at: int) -> None:
    before = msgspec.structs.replace(message)
    message.edited_at, message.edited_by, message.updated_at = at, message.sender, at
    await store.update_message(tx, before, message, next_event_number(tx))


async def _store_pin(tx: Transaction, message: Message, at: int) -> None:
    pin = Pin(message.conversation, message.id, BY_APP, next_event_number(tx), at)
    await insert_pin(tx, pin)


async def _store_deletion(tx: Transaction, message: Message, at: int) -> None:
    message.deleted_at, message.deleted_by = at, message.sender
    await store.set_deleted(tx, message.id, by=message.sender, at=at, number=next_event_number(tx))


def _reactions_of(imported: Sequence[Imported]) -> Iterator[tuple[Message, str, str, int]]:
    for message, brought in imported:
        for each in brought.reactions:
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

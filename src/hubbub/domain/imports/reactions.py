"""Import reactions to messages that are stored already."""

from collections.abc import Sequence
from dataclasses import dataclass

from hubbub.domain.imports.times import refuse_time
from hubbub.kernel.errors import BadInput, Conflict, Refusal
from hubbub.kernel.text import SYSTEM_UID
from hubbub.outbox import lock_counters, next_event_number
from hubbub.records.conversations.model import GROUP
from hubbub.records.messages import store as messages_store
from hubbub.records.messages.model import HAS_REACTIONS, Message, MessageNotImported, MuidReference
from hubbub.records.reactions.events import MessageReactionImported
from hubbub.records.reactions.model import MOST_KINDS, Reaction, TooManyReactions
from hubbub.records.reactions.store import find_counts, find_reactions, insert_reactions
from hubbub.records.users.model import UidNotFound
from hubbub.records.users.store import find_users
from hubbub.storage.interface import Transaction


class AlreadyReacted(Conflict):
    """The user has given this reaction already."""

    code = "ERR_REACTION_ALREADY_EXISTS"

    def __init__(self, uid: str, reaction: str) -> None:
        super().__init__(f"The user with UID {uid} has reacted with {reaction} already.")


@dataclass(frozen=True, slots=True)
class ImportedReaction:
    """A reaction of `uid` to the message of `sender` with a muid; without `at`, as old as that."""

    muid: str
    sender: str
    uid: str
    reaction: str
    at: int | None = None


async def import_reactions(
    tx: Transaction, given: Sequence[ImportedReaction], now: int
) -> list[Reaction | Refusal]:
    """Store reactions with their past; one outcome each, in order."""
    await lock_counters(tx)
    pairs = [(each.sender, each.muid) for each in given]
    messages = await messages_store.find_by_muid(tx, pairs)
    users = await find_users(tx, {each.uid for each in given})
    ids = {message.id for message in messages.values()}
    counts = await find_counts(tx, ids)
    kinds = {id_: {count.reaction for count in found} for id_, found in counts.items()}
    keys = [
        (messages[pair].id, each.reaction, each.uid)
        for each, pair in zip(given, pairs, strict=True)
        if pair in messages
    ]
    taken = set(await find_reactions(tx, keys))
    outcomes: list[Reaction | Refusal] = []
    for each, pair in zip(given, pairs, strict=True):
        message = messages.get(pair)
        refusal = _refuse(each, message, now, is_known=each.uid in users)
        if refusal is not None or message is None:
            outcomes.append(refusal or UidNotFound(each.uid))
            continue
        of_message = kinds.setdefault(message.id, set())
        if (message.id, each.reaction, each.uid) in taken:
            outcomes.append(AlreadyReacted(each.uid, each.reaction))
        elif len(of_message | {each.reaction}) > MOST_KINDS:
            outcomes.append(TooManyReactions(message.id))
        else:
            of_message.add(each.reaction)
            taken.add((message.id, each.reaction, each.uid))
            outcomes.append(_react(tx, each, message, now))
    stored = [outcome for outcome in outcomes if isinstance(outcome, Reaction)]
    if stored:
        await insert_reactions(tx, stored)
        await messages_store.add_trait(tx, {each.message for each in stored}, HAS_REACTIONS)
    return outcomes


def _refuse(
    given: ImportedReaction, message: Message | None, now: int, *, is_known: bool
) -> Refusal | None:
    if message is None or message.is_erased:
        return MessageNotImported("muid", MuidReference(given.muid, (given.sender,)))
    if not is_known or given.uid == SYSTEM_UID:
        return UidNotFound(given.uid)
    if message.receiver_type != GROUP and given.uid not in (message.sender, message.receiver):
        return BadInput.field("uid", f"The user {given.uid} takes no part in this conversation.")
    return refuse_time("at", given.at, sent_at=message.sent_at, now=now)


def _react(tx: Transaction, given: ImportedReaction, message: Message, now: int) -> Reaction:
    at = message.sent_at if given.at is None else given.at
    reaction = Reaction(message.id, given.reaction, given.uid, next_event_number(tx), at)
    tx.announce(
        MessageReactionImported(
            id=reaction.number,
            message=message.id,
            conversation=message.conversation,
            reaction=given.reaction,
            uid=given.uid,
            reacted_at=at,
            at=now,
        )
    )
    return reaction

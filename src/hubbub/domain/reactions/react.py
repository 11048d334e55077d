"""Add reactions to messages, and remove them.

Works on lists: concurrent calls of an app become one batch. A request that changes nothing writes
and announces nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.taking_part import PartContext, load_part_context
from hubbub.kernel.errors import Refusal
from hubbub.outbox import lock_counters, next_event_number
from hubbub.records.erasure.store import find_erased_people
from hubbub.records.messages import store as messages_store
from hubbub.records.messages.model import HAS_REACTIONS
from hubbub.records.reactions import store
from hubbub.records.reactions.events import MessageReactionAdded, MessageReactionRemoved
from hubbub.records.reactions.model import MOST_KINDS, Reaction, TooManyReactions
from hubbub.storage.batched import Batched
from hubbub.storage.interface import Transaction

ADDS = "addReaction"
"""The permission of scopes in groups."""


@dataclass(frozen=True, slots=True)
class ReactionRequest:
    """A user adds a reaction to a message, or removes it."""

    actor: Actor
    message_id: int
    reaction: str
    is_removal: bool = False

    @property
    def uid(self) -> str:
        return self.actor.name

    @property
    def key(self) -> store.ReactionKey:
        return self.message_id, self.reaction, self.uid


async def react(
    tx: Transaction, requests: Sequence[ReactionRequest], now: int
) -> list[Refusal | None]:
    """Carry out requests; one outcome each, and a refusal affects only its own request."""
    await lock_counters(tx)
    batch = _Batch(
        tx,
        now,
        context=await load_part_context(tx, requests),
        given=await store.find_reactions(tx, (each.key for each in requests)),
        counts=await _find_counts(tx, [each.message_id for each in requests]),
    )
    batch.drop_erased(await find_erased_people(tx, {each.uid for each in requests}))
    outcomes = [batch.apply(each) for each in requests]
    await batch.write()
    return outcomes


def _adds_only(requests: Sequence[ReactionRequest]) -> bool:
    """Return whether requests only add rows, which PostgreSQL can do in one statement."""
    return not any(each.is_removal for each in requests)


REACT = Batched[ReactionRequest, None](react, lock_counters, is_optimistic=_adds_only)


async def _find_counts(tx: Transaction, message_ids: Sequence[int]) -> dict[int, dict[str, int]]:
    """Return the number of users per reaction, by message."""
    counts = await store.find_counts(tx, message_ids)
    return {id_: {each.reaction: each.count for each in some} for id_, some in counts.items()}


@dataclass(slots=True)
class _Batch:
    """The reactions of a batch; a later request sees the changes of earlier ones."""

    tx: Transaction
    now: int
    context: PartContext
    given: dict[store.ReactionKey, Reaction]
    counts: dict[int, dict[str, int]]
    added: dict[store.ReactionKey, Reaction] = field(default_factory=dict)
    removed: list[Reaction] = field(default_factory=list)

    def apply(self, request: ReactionRequest) -> Refusal | None:
        """Carry out a request; return its refusal. One that changes nothing succeeds."""
        refusal = self.context.refuse(request, ADDS)
        if refusal is not None:
            return refusal
        is_given = request.key in self.given
        if not request.is_removal and not is_given:
            return self._add(request)
        if request.is_removal and is_given:
            self._remove(request)
        return None

    def _add(self, request: ReactionRequest) -> Refusal | None:
        counts = self.counts.setdefault(request.message_id, {})
        if request.reaction not in counts and len(counts) >= MOST_KINDS:
            return TooManyReactions(request.message_id)
        counts[request.reaction] = counts.get(request.reaction, 0) + 1
        reaction = Reaction(*request.key, number=next_event_number(self.tx), reacted_at=self.now)
        self.given[request.key] = self.added[request.key] = reaction
        self._announce(MessageReactionAdded, reaction)
        return None

    def drop_erased(self, erased: Mapping[str, int]) -> None:
        """Drop the reactions of former holders of the uids, whose erasure is still running."""
        for reaction in list(self.given.values()):
            if reaction.number <= erased.get(reaction.uid, 0):
                self._drop(reaction)

    def _drop(self, reaction: Reaction) -> None:
        del self.given[reaction.key]
        counts = self.counts[reaction.message]
        counts[reaction.reaction] -= 1
        if counts[reaction.reaction] == 0:
            del counts[reaction.reaction]
        if self.added.pop(reaction.key, None) is None:
            self.removed.append(reaction)

    def _remove(self, request: ReactionRequest) -> None:
        reaction = self.given[request.key]
        self._drop(reaction)
        self._announce(MessageReactionRemoved, reaction)

    def _announce(
        self, event: type[MessageReactionAdded | MessageReactionRemoved], reaction: Reaction
    ) -> None:
        self.tx.announce(
            event(
                id=reaction.number,
                message=reaction.message,
                conversation=self.context.messages[reaction.message].conversation,
                reaction=reaction.reaction,
                uid=reaction.uid,
                reacted_at=reaction.reacted_at,
                at=self.now,
            )
        )

    async def write(self) -> None:
        """Write the added and removed reactions, and the messages' trait."""
        if self.removed:
            await store.delete_reactions(self.tx, self.removed)
        if self.added:
            await store.insert_reactions(self.tx, list(self.added.values()))
        changed = {each.message for each in (*self.removed, *self.added.values())}
        with_reactions = {id_ for id_ in changed if self.counts.get(id_)}
        await messages_store.add_trait(self.tx, with_reactions, HAS_REACTIONS)
        await messages_store.remove_trait(self.tx, changed - with_reactions, HAS_REACTIONS)

"""Add reactions to messages, and remove them.

Works on lists: concurrent calls of an app become one batch. A request that changes nothing writes
and announces nothing.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import is_shown
from hubbub.domain.access.people import UidPair, find_revoked_tokens, refuse_actor, refuse_blocked
from hubbub.domain.access.permissions import refuse_scope
from hubbub.kernel.errors import Refusal
from hubbub.kernel.text import SYSTEM_UID
from hubbub.outbox import lock_counters, next_event_number
from hubbub.records.blocks.store import find_blocks
from hubbub.records.conversations.model import GROUP, Conversation, ConversationKey, Participant
from hubbub.records.conversations.store import find_conversations, find_participants
from hubbub.records.erasure.store import find_erased_people
from hubbub.records.groups.model import Group
from hubbub.records.groups.store import find_groups
from hubbub.records.members.model import Member
from hubbub.records.members.store import find_members
from hubbub.records.messages import store as messages_store
from hubbub.records.messages.model import (
    ACTION,
    HAS_REACTIONS,
    Message,
    MessageActionNotAllowed,
    MessageIdNotFound,
)
from hubbub.records.reactions import store
from hubbub.records.reactions.events import MessageReactionAdded, MessageReactionRemoved
from hubbub.records.reactions.model import MOST_KINDS, Reaction, TooManyReactions
from hubbub.records.users.model import Person, UidNotFound
from hubbub.records.users.store import find_people
from hubbub.storage.batched import Batched
from hubbub.storage.interface import Transaction


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
        context=await _load_context(tx, requests),
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


@dataclass(frozen=True, slots=True)
class _ReactionContext:
    """The stored messages, users and groups of the requests."""

    people: Mapping[str, Person]
    messages: Mapping[int, Message]
    conversations: Mapping[ConversationKey, Conversation]
    participants: Mapping[tuple[int, str], Participant]
    groups: Mapping[str, Group]
    members: Mapping[tuple[int, str], Member]
    blocks: Collection[UidPair]
    revoked: Collection[str]

    def refuse(self, request: ReactionRequest) -> Refusal | None:
        """Return why the user may not do this; None if they may."""
        person = self.people.get(request.uid)
        refusal = refuse_actor(person, request.actor, self.revoked)
        if refusal is not None:
            return refusal
        message = self.messages.get(request.message_id)
        if message is None or person is None or not self._can_see(person, message):
            return MessageIdNotFound(request.message_id)
        if message.category == ACTION or message.deleted_at is not None:
            return MessageActionNotAllowed(request.message_id)
        if message.receiver_type == GROUP:
            return None if request.is_removal else self._refuse_in_group(message, request.uid)
        other = message.other_than(request.uid)
        if not request.is_removal and not self._is_active(other):
            return UidNotFound(other)
        return refuse_blocked((request.uid, other), self.blocks)

    def _can_see(self, person: Person, message: Message) -> bool:
        participant = self.participants.get((message.conversation, person.user.uid))
        if participant is None or message.id <= participant.hidden_id:
            return False
        if not is_shown(message, person):
            return False
        conversation = self.conversations.get(message.key)
        exists = conversation is not None and conversation.number == message.conversation
        return exists or message.category == ACTION  # its users don't determine its key

    def _refuse_in_group(self, message: Message, uid: str) -> Refusal | None:
        member = self.members.get((message.conversation, uid))
        if member is None:
            return MessageIdNotFound(message.id)
        return refuse_scope(self.groups[message.receiver], member.scope, "addReaction")

    def _is_active(self, uid: str) -> bool:
        person = self.people.get(uid)
        return uid == SYSTEM_UID or (person is not None and person.user.is_active)


async def _load_context(tx: Transaction, requests: Sequence[ReactionRequest]) -> _ReactionContext:
    messages = await messages_store.find_messages(tx, [each.message_id for each in requests])
    pairs = [
        (messages[each.message_id], each.uid) for each in requests if each.message_id in messages
    ]
    participants = [(message.conversation, uid) for message, uid in pairs]
    guids = {message.receiver for message, _ in pairs if message.receiver_type == GROUP}
    between_two = [
        (uid, message.other_than(uid)) for message, uid in pairs if message.receiver_type != GROUP
    ]
    return _ReactionContext(
        people=await find_people(
            tx, {each.uid for each in requests} | {other for _, other in between_two} - {SYSTEM_UID}
        ),
        messages=messages,
        conversations=await find_conversations(tx, (message.key for message, _ in pairs)),
        participants=await find_participants(tx, participants),
        groups=await find_groups(tx, guids),
        members=await find_members(tx, participants if guids else ()),
        blocks=await find_blocks(tx, [each for pair in between_two for each in (pair, pair[::-1])]),
        revoked=await find_revoked_tokens(tx, (each.actor.token for each in requests)),
    )


async def _find_counts(tx: Transaction, message_ids: Sequence[int]) -> dict[int, dict[str, int]]:
    """Return the number of users per reaction, by message."""
    counts = await store.find_counts(tx, message_ids)
    return {id_: {each.reaction: each.count for each in some} for id_, some in counts.items()}


@dataclass(slots=True)
class _Batch:
    """The reactions of a batch; a later request sees the changes of earlier ones."""

    tx: Transaction
    now: int
    context: _ReactionContext
    given: dict[store.ReactionKey, Reaction]
    counts: dict[int, dict[str, int]]
    added: dict[store.ReactionKey, Reaction] = field(default_factory=dict)
    removed: list[Reaction] = field(default_factory=list)

    def apply(self, request: ReactionRequest) -> Refusal | None:
        """Carry out a request; return its refusal. One that changes nothing succeeds."""
        refusal = self.context.refuse(request)
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

"""React to messages, and take reactions back.

It works on lists: concurrent calls of an app become one. What changes nothing writes nothing, and
nobody is told of it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import is_shown
from hubbub.domain.access.people import find_revoked_tokens, refuse_actor
from hubbub.domain.access.permissions import refuse_scope
from hubbub.kernel.errors import Refusal
from hubbub.kernel.text import SYSTEM_UID
from hubbub.outbox import lock_counters, next_event_number
from hubbub.records.blocks.model import BlockedReceiver, BlockedSender
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
    Message,
    MessageActionNotAllowed,
    MessageIdNotFound,
)
from hubbub.records.messages.traits import HAS_REACTIONS
from hubbub.records.reactions import store
from hubbub.records.reactions.events import MessageReactionAdded, MessageReactionRemoved
from hubbub.records.reactions.model import MOST_KINDS, Reaction, TooManyReactions
from hubbub.records.users.model import Person, UidNotFound
from hubbub.records.users.store import find_people
from hubbub.storage.batched import Batched
from hubbub.storage.interface import Transaction


@dataclass(frozen=True, slots=True)
class Reacting:
    """A user who gives a reaction to a message, or takes it back."""

    actor: Actor
    message_id: int
    reaction: str
    is_taken_back: bool = False

    @property
    def uid(self) -> str:
        return self.actor.name

    @property
    def key(self) -> store.ReactionKey:
        return self.message_id, self.reaction, self.uid


async def react(tx: Transaction, wanted: Sequence[Reacting], now: int) -> list[Refusal | None]:
    """Carry out reactions; one outcome each, and one refusal never undoes another."""
    await lock_counters(tx)
    change = _Change(
        tx,
        now,
        context=await _look_up(tx, wanted),
        given=await store.find_reactions(tx, (each.key for each in wanted)),
        kinds=await _find_kinds(tx, [each.message_id for each in wanted]),
    )
    change.forget(await find_erased_people(tx, {each.uid for each in wanted}))
    outcomes = [change.take(each) for each in wanted]
    await change.write()
    return outcomes


REACT = Batched[Reacting, None](react)


@dataclass(frozen=True, slots=True)
class _Context:
    """What the wanted reactions name, as it is in the store."""

    people: Mapping[str, Person]
    messages: Mapping[int, Message]
    conversations: Mapping[ConversationKey, Conversation]
    participants: Mapping[tuple[int, str], Participant]
    groups: Mapping[str, Group]
    members: Mapping[tuple[int, str], Member]
    blocks: Mapping[tuple[str, str], int]
    revoked: Collection[str]

    def refuse(self, wanted: Reacting) -> Refusal | None:
        """Why somebody may not do this, if so."""
        person = self.people.get(wanted.uid)
        refusal = refuse_actor(person, wanted.actor, self.revoked)
        if refusal is not None:
            return refusal
        message = self.messages.get(wanted.message_id)
        if message is None or person is None or not self._is_seen(message, person):
            return MessageIdNotFound(wanted.message_id)
        if message.category == ACTION or message.deleted_at is not None:
            return MessageActionNotAllowed(wanted.message_id)
        if message.receiver_type == GROUP:
            return None if wanted.is_taken_back else self._refuse_in_group(message, wanted.uid)
        other = message.other_than(wanted.uid)
        if not wanted.is_taken_back and not self._is_there(other):
            return UidNotFound(other)
        return self._refuse_between_two(message, wanted.uid)

    def _is_seen(self, message: Message, person: Person) -> bool:
        participant = self.participants.get((message.conversation, person.user.uid))
        if participant is None or message.id <= participant.hidden_id:
            return False
        if not is_shown(message, person):
            return False
        conversation = self.conversations.get(message.key)
        is_there = conversation is not None and conversation.number == message.conversation
        return is_there or message.category == ACTION  # its key is not told by whom it names

    def _refuse_in_group(self, message: Message, uid: str) -> Refusal | None:
        member = self.members.get((message.conversation, uid))
        if member is None:
            return MessageIdNotFound(message.id)
        return refuse_scope(self.groups[message.receiver], member.scope, "addReaction")

    def _is_there(self, uid: str) -> bool:
        person = self.people.get(uid)
        return uid == SYSTEM_UID or (person is not None and person.user.is_active)

    def _refuse_between_two(self, message: Message, uid: str) -> Refusal | None:
        other = message.other_than(uid)
        if (other, uid) in self.blocks:
            return BlockedSender(uid, other)
        return BlockedReceiver(uid, other) if (uid, other) in self.blocks else None


async def _look_up(tx: Transaction, wanted: Sequence[Reacting]) -> _Context:
    messages = await messages_store.find_messages(tx, [each.message_id for each in wanted])
    about = [
        (messages[each.message_id], each.uid) for each in wanted if each.message_id in messages
    ]
    places = [(message.conversation, uid) for message, uid in about]
    guids = {message.receiver for message, _ in about if message.receiver_type == GROUP}
    between_two = [
        (uid, message.other_than(uid)) for message, uid in about if message.receiver_type != GROUP
    ]
    return _Context(
        people=await find_people(
            tx, {each.uid for each in wanted} | {other for _, other in between_two} - {SYSTEM_UID}
        ),
        messages=messages,
        conversations=await find_conversations(tx, (message.key for message, _ in about)),
        participants=await find_participants(tx, places),
        groups=await find_groups(tx, guids),
        members=await find_members(tx, places if guids else ()),
        blocks=await find_blocks(
            tx, [pair for one, other in between_two for pair in ((one, other), (other, one))]
        ),
        revoked=await find_revoked_tokens(tx, (each.actor.token for each in wanted)),
    )


async def _find_kinds(tx: Transaction, message_ids: Sequence[int]) -> dict[int, dict[str, int]]:
    """How many gave each of the reactions that messages have."""
    counts = await store.find_counts(tx, message_ids)
    return {id_: {each.reaction: each.count for each in some} for id_, some in counts.items()}


class _Facts(TypedDict):
    """What is told of a reaction."""

    id: int
    message: int
    conversation: int
    reaction: str
    uid: str
    reacted_at: int
    at: int


@dataclass(slots=True)
class _Change:
    """The reactions of a call, as they change what is given."""

    tx: Transaction
    now: int
    context: _Context
    given: dict[store.ReactionKey, Reaction]
    kinds: dict[int, dict[str, int]]
    added: dict[store.ReactionKey, Reaction] = field(default_factory=dict)
    removed: list[Reaction] = field(default_factory=list)

    def take(self, wanted: Reacting) -> Refusal | None:
        """Carry out one, or say why not; what is so already stays so."""
        refusal = self.context.refuse(wanted)
        if refusal is not None:
            return refusal
        is_given = wanted.key in self.given
        if not wanted.is_taken_back and not is_given:
            return self._give(wanted)
        if wanted.is_taken_back and is_given:
            self._take_back(wanted)
        return None

    def _give(self, wanted: Reacting) -> Refusal | None:
        kinds = self.kinds.setdefault(wanted.message_id, {})
        if wanted.reaction not in kinds and len(kinds) >= MOST_KINDS:
            return TooManyReactions(wanted.message_id)
        kinds[wanted.reaction] = kinds.get(wanted.reaction, 0) + 1
        reaction = Reaction(*wanted.key, number=next_event_number(self.tx), reacted_at=self.now)
        self.given[wanted.key] = self.added[wanted.key] = reaction
        self.tx.announce(MessageReactionAdded(**self._facts(reaction)))
        return None

    def forget(self, erased: Mapping[str, int]) -> None:
        """Drop what former holders of the users' uids gave, who are just being erased."""
        for reaction in list(self.given.values()):
            if reaction.number <= erased.get(reaction.uid, 0):
                self._drop(reaction)

    def _drop(self, reaction: Reaction) -> None:
        del self.given[reaction.key]
        kinds = self.kinds[reaction.message]
        kinds[reaction.reaction] -= 1
        if kinds[reaction.reaction] == 0:
            del kinds[reaction.reaction]
        if self.added.pop(reaction.key, None) is None:
            self.removed.append(reaction)

    def _take_back(self, wanted: Reacting) -> None:
        reaction = self.given[wanted.key]
        self._drop(reaction)
        self.tx.announce(MessageReactionRemoved(**self._facts(reaction)))

    def _facts(self, reaction: Reaction) -> _Facts:
        return {
            "id": reaction.number,
            "message": reaction.message,
            "conversation": self.context.messages[reaction.message].conversation,
            "reaction": reaction.reaction,
            "uid": reaction.uid,
            "reacted_at": reaction.reacted_at,
            "at": self.now,
        }

    async def write(self) -> None:
        """Write what has changed."""
        if self.removed:
            await store.delete_reactions(self.tx, self.removed)
        if self.added:
            await store.insert_reactions(self.tx, list(self.added.values()))
        changed = {each.message for each in (*self.removed, *self.added.values())}
        has_some = {id_ for id_ in changed if self.kinds.get(id_)}
        await messages_store.add_trait(self.tx, has_some, HAS_REACTIONS)
        await messages_store.remove_trait(self.tx, changed - has_some, HAS_REACTIONS)

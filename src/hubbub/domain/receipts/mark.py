"""Mark messages as delivered, read or unread: up to one of them, or all.

Concurrent marks of an app become one call, so everything works on lists. A mark that changes
nothing writes nothing.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import is_shown, other_of, refuse_conversation
from hubbub.domain.access.people import find_revoked_tokens, refuse_actor
from hubbub.domain.receipts.announce import announce_receipts_of_all, announce_receipts_of_members
from hubbub.kernel.errors import Refusal
from hubbub.outbox import lock_counters
from hubbub.records.conversations.events import (
    ConversationDelivered,
    ConversationRead,
    ConversationUnread,
)
from hubbub.records.conversations.model import (
    GROUP,
    Conversation,
    ConversationKey,
    Participant,
    conversation_id,
)
from hubbub.records.conversations.store import find_conversations, find_participants, store_marks
from hubbub.records.messages.counts import (
    count_of_others_between,
    count_own_beyond,
    find_newest_of_others,
)
from hubbub.records.messages.model import ConversationNotAccessible, MessageIdNotFound
from hubbub.records.messages.store import (
    MessagePosition,
    find_message_positions,
    find_messages_and_tombstones,
)
from hubbub.records.metrics.model import Traffic
from hubbub.records.metrics.store import add_traffic
from hubbub.records.receipts.events import (
    MessageDeliveryReceipt,
    MessageReadReceipt,
    ReceiptEventFields,
)
from hubbub.records.receipts.model import (
    DELIVERED,
    READ,
    Receipt,
    ReceiptPosition,
    deliver,
    mark_unread,
    read,
    unread_after,
    unread_position,
)
from hubbub.records.receipts.store import insert_receipts
from hubbub.records.users.model import Person, UidNotFound
from hubbub.records.users.store import find_people
from hubbub.storage.batched import Batched
from hubbub.storage.interface import Transaction

UNREAD = "unread"
MOST_COUNTED = 10_000
"""From this many messages on, ordinals are used instead, which count erased messages, too."""
OwnEvent = ConversationRead | ConversationUnread


@dataclass(frozen=True, slots=True)
class Mark:
    """A request to mark a conversation up to a message, or all of it."""

    actor: Actor
    kind: str
    key: ConversationKey
    message_id: int | None = None

    @property
    def uid(self) -> str:
        """Return the uid of the user who marks."""
        return self.actor.name


@dataclass(frozen=True, slots=True)
class Marked:
    """The conversation that was marked, and the id of the last marked message."""

    conversation: Conversation
    upto: int
    moved: ConversationRead | ConversationDelivered | None = None
    """How far the user is now in a group, if that has changed: no event of the log says it."""


async def mark_messages(tx: Transaction, marks: Sequence[Mark], now: int) -> list[Marked | Refusal]:
    """Carry out marks; return one outcome each. A refusal does not affect other marks."""
    await lock_counters(tx)
    marking = await _start(tx, marks, now)
    outcomes = [await marking.apply(mark) for mark in marks]
    await marking.write()
    return outcomes


def _are_of_users(marks: Sequence[Mark]) -> bool:
    """Return whether no mark is in a group, whose progress is read after the marks are written."""
    return all(mark.key[0] != GROUP for mark in marks)


MARK = Batched[Mark, Marked](mark_messages, lock_counters, is_optimistic=_are_of_users)


@dataclass(slots=True)
class _Marking:
    """The state of a call: stored records, and the participants and receipts that marks change."""

    tx: Transaction
    now: int
    people: dict[str, Person]
    conversations: dict[ConversationKey, Conversation]
    participants: dict[tuple[int, str], Participant]
    positions: dict[int, MessagePosition]
    revoked: Collection[str]
    moved: dict[tuple[int, str], tuple[Conversation, Participant]] = field(default_factory=dict)
    receipts: list[Receipt] = field(default_factory=list)
    own: dict[tuple[int, str], type[OwnEvent]] = field(default_factory=dict)
    """The events for the sessions of users who moved without a receipt."""
    advanced: Counter[str] = field(default_factory=Counter)
    """The number of marks of each kind that have receipts."""

    async def apply(self, mark: Mark) -> Marked | Refusal:
        """Carry out one mark, or return why not."""
        try:
            conversation, participant = await self._access(mark)
            await self._check_kind(mark)
            position = self._position_of(mark, conversation, participant)
        except Refusal as refusal:
            return refusal
        if mark.kind == UNREAD:
            position = position or await self._before_newest(conversation, participant)
            await self._mark_unread(conversation, participant, position)
            return Marked(conversation, position.id)
        position = position or ReceiptPosition(conversation.last_id, conversation.counted)
        has_moved = await self._advance(mark.kind, conversation, participant, position)
        marked = Marked(conversation, position.id)
        if has_moved and conversation.kind == GROUP:
            return replace(marked, moved=_moved_event(mark.kind, marked, participant, self.now))
        return marked

    async def _access(self, mark: Mark) -> tuple[Conversation, Participant]:
        person = self.people.get(mark.uid)
        refusal = refuse_actor(person, mark.actor, self.revoked)
        if refusal is not None or person is None:
            raise refusal or UidNotFound(mark.uid)
        other = other_of(mark.key, mark.uid)
        if other is not None and not (other in self.people and self.people[other].user.is_active):
            raise UidNotFound(other)
        conversation = self.conversations.get(mark.key)
        participant = (
            self.participants.get((conversation.number, mark.uid)) if conversation else None
        )
        if conversation is None or participant is None:
            await refuse_conversation(self.tx, person, mark.key)
            raise ConversationNotAccessible(conversation_id(mark.key))
        return conversation, participant

    async def _check_kind(self, mark: Mark) -> None:
        """Check that the user's role may list the kind of the marked message."""
        person = self.people[mark.uid]
        if mark.message_id is None or not person.rules.permissions:
            return
        found = await find_messages_and_tombstones(self.tx, [mark.message_id])
        if any(not is_shown(message, person) for message in found.values()):
            raise MessageIdNotFound(mark.message_id)

    def _position_of(
        self, mark: Mark, conversation: Conversation, participant: Participant
    ) -> ReceiptPosition | None:
        """Return the position of the marked message; None if the mark has no message id."""
        if mark.message_id is None:
            return None
        stored = self.positions.get(mark.message_id)
        is_hidden = stored is None or stored.id <= participant.hidden_id
        if stored is None or is_hidden or stored.conversation != conversation.number:
            raise MessageIdNotFound(mark.message_id)
        return ReceiptPosition(stored.id, stored.ordinal)

    async def _advance(
        self,
        kind: str,
        conversation: Conversation,
        participant: Participant,
        position: ReceiptPosition,
    ) -> bool:
        """Mark up to a position; return whether the user was not as far before."""
        if kind == DELIVERED:
            delivered = deliver(participant, position.id, self.now)
            receipts = [delivered] if delivered else []
            has_moved = bool(receipts)
        else:
            has_moved = position.id > participant.read_id
            receipts = await self._read(conversation, participant, position) if has_moved else []
        self.advanced[kind] += bool(receipts)
        pair = (conversation.number, participant.uid)
        if has_moved:
            self.moved[pair] = (conversation, participant)
            if not receipts and conversation.kind != GROUP:
                self.own[pair] = ConversationRead
        self.receipts += receipts
        return has_moved

    async def _read(
        self, conversation: Conversation, participant: Participant, upto: ReceiptPosition
    ) -> list[Receipt]:
        own = await self._count_own_beyond(conversation, participant, upto)
        had = None
        if (
            upto.id < participant.read_reached  # what is after both has never been read
            and unread_after(conversation, upto, own) > 0
            and not self._is_by_ordinal(participant)
        ):
            had = await self._count_had(conversation, participant, upto)
        return read(participant, conversation, upto, own=own, had=had, now=self.now)

    async def _count_had(
        self, conversation: Conversation, participant: Participant, upto: ReceiptPosition
    ) -> int | None:
        """Count the unread messages up to a position; None stands for too many to count.

        If one was delivered late, others up to the position had been read: those that have never
        been read stay unread.
        """
        uid, reached = participant.uid, participant.read_reached
        between = await self._count_others_between(conversation, uid, participant.read_id, upto.id)
        stored = (await find_message_positions(self.tx, [reached])).get(reached)
        if between is None or stored is None:
            return between
        own = await count_own_beyond(self.tx, conversation, uid, reached, stored)
        never = unread_after(conversation, ReceiptPosition(stored.id, stored.ordinal), own)
        return min(between, participant.unread_in(conversation) - never)

    async def _before_newest(
        self, conversation: Conversation, participant: Participant
    ) -> ReceiptPosition:
        """Return the position before the newest message of others, so that it becomes unread."""
        newest = await find_newest_of_others(
            self.tx, conversation.number, participant.uid, after_id=participant.floor_id
        )
        if newest is None:
            return ReceiptPosition(conversation.last_id, conversation.counted)
        return ReceiptPosition(newest.id - 1, newest.ordinal - 1)

    async def _mark_unread(
        self, conversation: Conversation, participant: Participant, after: ReceiptPosition
    ) -> None:
        position = unread_position(participant, after)
        if position is None:
            return
        back = await self._count_others_between(
            conversation, participant.uid, position.id, participant.read_id
        )
        own = await self._count_own_beyond(conversation, participant, position)
        mark_unread(participant, conversation, position, own=own, back=back)
        pair = (conversation.number, participant.uid)
        self.moved[pair] = (conversation, participant)
        self.own[pair] = ConversationUnread

    def _is_by_ordinal(self, participant: Participant) -> bool:
        """Return whether the read count agrees with the ordinal of the read position."""
        stored = self.positions.get(participant.read_id)
        if stored is None or stored.conversation != participant.conversation:
            return participant.read_id == participant.read_count == 0
        return stored.ordinal == participant.read_count

    async def _count_others_between(
        self, conversation: Conversation, uid: str, after_id: int, upto_id: int
    ) -> int | None:
        """Count the messages of others between two ids; None stands for `MOST_COUNTED` or more."""
        positions = self.positions.get(after_id), self.positions.get(upto_id)
        found = await count_of_others_between(
            self.tx, conversation, uid, (after_id, upto_id), positions, limit=MOST_COUNTED
        )
        return found if found < MOST_COUNTED else None

    async def _count_own_beyond(
        self, conversation: Conversation, participant: Participant, position: ReceiptPosition
    ) -> int:
        if position.id >= conversation.last_id:
            return 0
        return await count_own_beyond(
            self.tx, conversation, participant.uid, position.id, self.positions.get(position.id)
        )

    async def write(self) -> None:
        """Write and announce the changes: in groups receipts of all, and those that are heard."""
        if not self.moved:
            return
        await store_marks(self.tx, [participant for _, participant in self.moved.values()])
        await insert_receipts(self.tx, self.receipts)
        await self._count()
        for pair, event in self.own.items():
            self.tx.announce(_own_event(event, *self.moved[pair], self.now))
        changed = (conversation for conversation, _ in self.moved.values())
        guids = {each.number: each.left_id for each in changed if each.kind == GROUP}
        for receipt in self.receipts:
            if receipt.conversation not in guids:
                self._announce(receipt, *self.moved[receipt.conversation, receipt.uid])
        in_groups = [each for each in self.receipts if each.conversation in guids]
        await announce_receipts_of_members(self.tx, in_groups, guids)
        await announce_receipts_of_all(self.tx, guids.keys(), self.now)

    async def _count(self) -> None:
        """Count the marks with receipts for the metrics: those in groups have no event."""
        reads, deliveries = self.advanced[READ], self.advanced[DELIVERED]
        if reads or deliveries:
            await add_traffic(self.tx, [Traffic(self.now, reads=reads, deliveries=deliveries)])

    def _announce(
        self, receipt: Receipt, conversation: Conversation, participant: Participant
    ) -> None:
        fields: ReceiptEventFields = {
            "conversation": conversation.number,
            "receiver_type": conversation.kind,
            "receiver": conversation.other_than(participant.uid),
            "uid": participant.uid,
            "after": receipt.after_id,
            "upto": receipt.upto_id,
            "at": receipt.at,
        }
        if receipt.kind == READ:
            count, own = participant.read_count, participant.own_in(conversation)
            self.tx.announce(MessageReadReceipt(read_count=count, own=own, **fields))
        else:
            self.tx.announce(MessageDeliveryReceipt(**fields))


def _own_event(
    event: type[OwnEvent], conversation: Conversation, participant: Participant, now: int
) -> OwnEvent:
    return event(
        conversation=participant.conversation,
        uid=participant.uid,
        read_id=participant.read_id,
        read_count=participant.read_count,
        own=participant.own_in(conversation),
        at=now,
        counted=conversation.counted,
    )


def _moved_event(
    kind: str, marked: Marked, participant: Participant, now: int
) -> ConversationRead | ConversationDelivered:
    if kind == READ:
        read = _own_event(ConversationRead, marked.conversation, participant, now)
        assert isinstance(read, ConversationRead)
        return read
    return ConversationDelivered(
        conversation=participant.conversation, uid=participant.uid, upto=marked.upto, at=now
    )


def _uids_in(marks: Sequence[Mark]) -> set[str]:
    """Return the uids of those who mark, and of the other users in their conversations."""
    others = (other_of(mark.key, mark.uid) for mark in marks)
    return {mark.uid for mark in marks} | {other for other in others if other is not None}


async def _start(tx: Transaction, marks: Sequence[Mark], now: int) -> _Marking:
    """Return the state of a call, with the records that its marks refer to."""
    conversations = await find_conversations(tx, (mark.key for mark in marks))
    pairs = [
        (conversations[mark.key].number, mark.uid) for mark in marks if mark.key in conversations
    ]
    participants = await find_participants(tx, pairs)
    marked = {mark.message_id for mark in marks if mark.message_id}
    reached = {participant.read_id for participant in participants.values()}
    return _Marking(
        tx,
        now,
        people=await find_people(tx, _uids_in(marks)),
        conversations=conversations,
        participants=participants,
        positions=await find_message_positions(tx, sorted(marked | reached)),
        revoked=await find_revoked_tokens(tx, (mark.actor.token for mark in marks)),
    )

"""Mark messages as delivered, read or unread: up to one of them, or all.

It works on lists: concurrent marks of an app become one call. A mark that advances nothing writes
nothing.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.conversations import is_shown, other_of, refuse_conversation
from hubbub.domain.access.people import find_revoked_tokens, refuse_actor
from hubbub.domain.receipts.everybody import tell_of_everybody
from hubbub.kernel.errors import Refusal
from hubbub.outbox import lock_counters
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
from hubbub.records.receipts.events import (
    ConversationRead,
    ConversationUnread,
    MessageDeliveryReceipt,
    MessageReadReceipt,
    ReceiptEventFields,
)
from hubbub.records.receipts.model import (
    DELIVERED,
    READ,
    Place,
    Receipt,
    deliver,
    place_of_unreading,
    read,
)
from hubbub.records.receipts.store import insert_receipts
from hubbub.records.users.model import Person, UidNotFound
from hubbub.records.users.store import find_people
from hubbub.storage.batched import Batched
from hubbub.storage.interface import Transaction

UNREAD = "unread"
MOST_COUNTED = 10_000
"""Of so many messages they are told by ordinals, be they still there or not."""
OwnEvent = ConversationRead | ConversationUnread


@dataclass(frozen=True, slots=True)
class Mark:
    """What somebody marks: a conversation up to a message, or all of it."""

    actor: Actor
    kind: str
    key: ConversationKey
    message_id: int | None = None

    @property
    def uid(self) -> str:
        return self.actor.name


@dataclass(frozen=True, slots=True)
class Marked:
    """The conversation that was marked, and up to which message."""

    conversation: Conversation
    upto: int


async def mark_messages(tx: Transaction, marks: Sequence[Mark], now: int) -> list[Marked | Refusal]:
    """Carry out marks; one outcome each, and one refusal never undoes another."""
    await lock_counters(tx)
    marking = await _look_up(tx, marks, now)
    outcomes = [await marking.take(mark) for mark in marks]
    await marking.write()
    return outcomes


MARK = Batched[Mark, Marked](mark_messages)


@dataclass(slots=True)
class _Marking:
    """The marks of a call, as they move people on."""

    tx: Transaction
    now: int
    people: dict[str, Person]
    conversations: dict[ConversationKey, Conversation]
    participants: dict[tuple[int, str], Participant]
    spots: dict[int, MessagePosition]
    revoked: Collection[str]
    moved: dict[tuple[int, str], tuple[Conversation, Participant]] = field(default_factory=dict)
    receipts: list[Receipt] = field(default_factory=list)
    own: dict[tuple[int, str], type[OwnEvent]] = field(default_factory=dict)
    """What the sessions of those are told who moved without a receipt."""

    async def take(self, mark: Mark) -> Marked | Refusal:
        """Carry out one mark, or say why not."""
        try:
            conversation, participant = await self._access(mark)
            await self._check_kind(mark)
            place = self._place(mark, conversation, participant)
        except Refusal as refusal:
            return refusal
        if mark.kind == UNREAD:
            place = place or await self._before_newest(conversation, participant)
            await self._unread(conversation, participant, place)
        else:
            place = place or Place(conversation.last_id, conversation.counted)
            await self._advance(mark.kind, conversation, participant, place)
        return Marked(conversation, place.id)

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
        """What is of a kind that his role does not show is nothing to mark up to."""
        person = self.people[mark.uid]
        if mark.message_id is None or not person.rules.permissions:
            return
        found = await find_messages_and_tombstones(self.tx, [mark.message_id])
        if any(not is_shown(message, person) for message in found.values()):
            raise MessageIdNotFound(mark.message_id)

    def _place(
        self, mark: Mark, conversation: Conversation, participant: Participant
    ) -> Place | None:
        """The place that a message id names; None: there is none given."""
        if mark.message_id is None:
            return None
        spot = self.spots.get(mark.message_id)
        is_hidden = spot is None or spot.id <= participant.hidden_id
        if spot is None or is_hidden or spot.conversation != conversation.number:
            raise MessageIdNotFound(mark.message_id)
        return Place(spot.id, spot.ordinal)

    async def _advance(
        self, kind: str, conversation: Conversation, participant: Participant, place: Place
    ) -> None:
        if kind == DELIVERED:
            delivered = deliver(participant, place.id, self.now)
            receipts = [delivered] if delivered else []
            has_moved = bool(receipts)
        else:
            has_moved = place.id > participant.read_id
            own = await self._own_beyond(conversation, participant, place) if has_moved else 0
            if has_moved:
                place = await self._without_gone(conversation, participant, place, own)
            receipts = read(participant, place, own, self.now)
        pair = (conversation.number, participant.uid)
        if has_moved:
            self.moved[pair] = (conversation, participant)
            if not receipts and conversation.kind != GROUP:
                self.own[pair] = ConversationRead
        self.receipts += receipts

    async def _before_newest(self, conversation: Conversation, participant: Participant) -> Place:
        """The place before the newest message of others, which so becomes unread."""
        newest = await find_newest_of_others(
            self.tx, conversation.number, participant.uid, after_id=participant.floor_id
        )
        if newest is None:
            return Place(conversation.last_id, conversation.counted)
        return Place(newest.id - 1, newest.ordinal - 1)

    async def _unread(
        self, conversation: Conversation, participant: Participant, after: Place
    ) -> None:
        place = place_of_unreading(participant, after)
        if place is None:
            return
        unread, upto = participant.unread_in(conversation), participant.read_id
        back = await self._others_between(conversation, participant.uid, place.id, upto)
        participant.own = await self._own_beyond(conversation, participant, place)
        participant.read_id, participant.read_count = place.id, place.ordinal
        if back < MOST_COUNTED:
            unread += back
            participant.read_count = conversation.counted - participant.own - unread
        pair = (conversation.number, participant.uid)
        self.moved[pair] = (conversation, participant)
        self.own[pair] = ConversationUnread

    async def _without_gone(
        self, conversation: Conversation, participant: Participant, place: Place, own: int
    ) -> Place:
        """The place to which he reads, by which nothing becomes unread that was not.

        By ordinals alone, what was deleted for good before he marked as unread would.
        """
        if conversation.counted - place.ordinal - own <= 0 or self._is_by_ordinal(participant):
            return place
        unread, after = participant.unread_in(conversation), participant.read_id
        had = await self._others_between(conversation, participant.uid, after, place.id)
        ordinal = conversation.counted - own - (unread - had)
        return place if had == MOST_COUNTED else Place(place.id, max(place.ordinal, ordinal))

    def _is_by_ordinal(self, participant: Participant) -> bool:
        """Whether he has read so many as counted up to there, or nothing ever did."""
        spot = self.spots.get(participant.read_id)
        if spot is None or spot.conversation != participant.conversation:
            return participant.read_id == participant.read_count == 0
        return spot.ordinal == participant.read_count

    async def _others_between(
        self, conversation: Conversation, uid: str, after_id: int, upto_id: int
    ) -> int:
        """How many messages of others are there, of a stretch; `MOST_COUNTED` of so many."""
        spots = self.spots.get(after_id), self.spots.get(upto_id)
        return await count_of_others_between(
            self.tx, conversation, uid, (after_id, upto_id), spots, limit=MOST_COUNTED
        )

    async def _own_beyond(
        self, conversation: Conversation, participant: Participant, place: Place
    ) -> int:
        if place.id >= conversation.last_id:
            return 0
        return await count_own_beyond(
            self.tx, conversation, participant.uid, place.id, self.spots.get(place.id)
        )

    async def write(self) -> None:
        """Write who moved, and tell of it: one-to-one each mark, in groups what all have had."""
        if not self.moved:
            return
        await store_marks(self.tx, [participant for _, participant in self.moved.values()])
        await insert_receipts(self.tx, self.receipts)
        for pair, event in self.own.items():
            self.tx.announce(_own_event(event, self.moved[pair][1], self.now))
        groups = set()
        for conversation, participant in self.moved.values():
            if conversation.kind == GROUP:
                groups.add(conversation.number)
            else:
                self._tell(conversation, participant)
        await tell_of_everybody(self.tx, groups, self.now)

    def _tell(self, conversation: Conversation, participant: Participant) -> None:
        for receipt in self.receipts:
            if (receipt.conversation, receipt.uid) != (conversation.number, participant.uid):
                continue
            facts: ReceiptEventFields = {
                "conversation": conversation.number,
                "receiver_type": conversation.kind,
                "receiver": conversation.other_than(participant.uid),
                "uid": participant.uid,
                "after": receipt.after_id,
                "upto": receipt.upto_id,
                "at": receipt.at,
            }
            if receipt.kind == READ:
                count, own = participant.read_count, participant.own
                self.tx.announce(MessageReadReceipt(read_count=count, own=own, **facts))
            else:
                self.tx.announce(MessageDeliveryReceipt(**facts))


def _own_event(event: type[OwnEvent], participant: Participant, now: int) -> OwnEvent:
    return event(
        conversation=participant.conversation,
        uid=participant.uid,
        read_id=participant.read_id,
        read_count=participant.read_count,
        own=participant.own,
        at=now,
    )


def _named(marks: Sequence[Mark]) -> set[str]:
    """Who marks, and with whom they speak."""
    others = (other_of(mark.key, mark.uid) for mark in marks)
    return {mark.uid for mark in marks} | {other for other in others if other is not None}


async def _look_up(tx: Transaction, marks: Sequence[Mark], now: int) -> _Marking:
    conversations = await find_conversations(tx, (mark.key for mark in marks))
    pairs = [
        (conversations[mark.key].number, mark.uid) for mark in marks if mark.key in conversations
    ]
    participants = await find_participants(tx, pairs)
    named = {mark.message_id for mark in marks if mark.message_id}
    reached = {participant.read_id for participant in participants.values()}
    return _Marking(
        tx,
        now,
        people=await find_people(tx, _named(marks)),
        conversations=conversations,
        participants=participants,
        spots=await find_message_positions(tx, sorted(named | reached)),
        revoked=await find_revoked_tokens(tx, (mark.actor.token for mark in marks)),
    )

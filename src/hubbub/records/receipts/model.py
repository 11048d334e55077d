"""How marks move somebody on: pure rules, by message ids for receipts, by ordinals for counts."""

from dataclasses import dataclass

from hubbub.records.conversations.model import Participant

DELIVERED, READ = "delivered", "read"
EVERYBODY = ""
"""Whose receipts tell what all members of a group have had."""


_BUT = "!"


def all_but(uid: str) -> str:
    """Whose receipts tell what all members but one have had: the one who sent it."""
    return f"{_BUT}{uid}"


@dataclass(frozen=True, slots=True)
class Receipt:
    """Somebody had all messages after one id up to another, at one time."""

    conversation: int
    uid: str
    kind: str
    after_id: int
    upto_id: int
    at: int
    alone: str | None = None
    """Who was the group's only member then; of what he sent, it says nothing."""

    @property
    def sender(self) -> str | None:
        """Of whose messages alone it says anything; None: of everybody's."""
        return self.uid.removeprefix(_BUT) if self.uid.startswith(_BUT) else None


@dataclass(frozen=True, slots=True)
class Behind:
    """How far a group has come by one kind of marks, and how far was told that it has."""

    conversation: int
    guid: str
    last: str
    """Who is furthest behind."""
    least: int
    next_one: int | None
    """How far the one after him has come; None: he is alone."""
    reach: int
    """Up to where everybody's receipts go."""
    reach_of_others: int
    """Up to where those of all but the last go."""


def advance(group: Behind, kind: str, now: int) -> list[Receipt]:
    """The stretches that a group has moved on by: one of everybody, and one of all but the last."""
    receipts = []
    if group.least > group.reach:
        alone = group.last if group.next_one is None else None
        number, after, upto = group.conversation, group.reach, group.least
        receipts.append(Receipt(number, EVERYBODY, kind, after, upto, now, alone))
    after = max(group.reach_of_others, group.reach, group.least)
    if group.next_one is not None and group.next_one > after:
        whose = all_but(group.last)
        receipts.append(Receipt(group.conversation, whose, kind, after, group.next_one, now))
    return receipts


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a conversation: a message's id, and how many messages counted up to it."""

    id: int
    ordinal: int


def deliver(participant: Participant, upto: int, now: int) -> Receipt | None:
    """Note that messages were delivered; None: he had them."""
    if upto <= participant.delivered_reached:
        return None
    after = max(participant.delivered_reached, participant.floor_id)
    participant.delivered_reached = upto
    return Receipt(participant.conversation, participant.uid, DELIVERED, after, upto, now)


def read(participant: Participant, upto: Place, own_beyond: int, now: int) -> list[Receipt]:
    """Note that messages were read, which is having them delivered, too.

    `own_beyond` is how many of his own counting messages lie beyond the place.
    """
    if upto.id <= participant.read_id:
        return []
    participant.read_id, participant.read_count = upto.id, upto.ordinal
    participant.own = own_beyond
    if upto.id <= participant.read_reached:
        return []
    after = max(participant.read_reached, participant.floor_id)
    participant.read_reached = upto.id
    receipt = Receipt(participant.conversation, participant.uid, READ, after, upto.id, now)
    delivered = deliver(participant, upto.id, now)
    return [receipt, delivered] if delivered else [receipt]


def place_of_unreading(participant: Participant, after: Place) -> Place | None:
    """Where somebody has read up to when what comes after a place is unread again; None: as is."""
    place = after
    if after.id < participant.floor_id:
        place = Place(participant.floor_id, participant.floor_count)
    return place if place.id < participant.read_id else None

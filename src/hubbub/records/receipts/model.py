"""Receipts, and the rules by which marks advance: message ids for receipts, ordinals for counts."""

from dataclasses import dataclass

from hubbub.records.conversations.model import Conversation, Participant

DELIVERED, READ = "delivered", "read"
DAY = 86_400
"""In seconds; old receipts of a day are merged."""
EVERYBODY = ""
"""The stored uid of receipts that all members of a group have."""
_ALL_BUT = "!"


def all_but(uid: str) -> str:
    """Return the stored uid of receipts that all members of a group have, except one."""
    return f"{_ALL_BUT}{uid}"


def excepted_uid(stored: str) -> str | None:
    """Return the uid that `all_but` was given; None if the stored uid is of another form."""
    return stored.removeprefix(_ALL_BUT) if stored.startswith(_ALL_BUT) else None


@dataclass(frozen=True, slots=True)
class Receipt:
    """A user, or a group, had all messages after one id up to another at the same time."""

    conversation: int
    uid: str
    """A user's uid, `EVERYBODY`, or `all_but` of a uid."""
    kind: str
    after_id: int
    upto_id: int
    at: int
    alone: str | None = None
    """The only member of the group at that time; their own messages are not covered."""

    @property
    def sender(self) -> str | None:
        """The only sender whose messages are covered; None if those of all senders are."""
        return excepted_uid(self.uid)


@dataclass(frozen=True, slots=True)
class GroupProgress:
    """The positions of a group's members for one kind of mark, and how far its receipts reach."""

    conversation: int
    guid: str
    slowest: str
    """The uid of the member who is furthest behind."""
    slowest_id: int
    """Up to which message that member has come."""
    next_id: int | None
    """Up to which message the next member has come; None if there is no other member."""
    reach: int
    """The last message that receipts of all members cover."""
    reach_of_others: int
    """The last message that receipts of all members but the slowest cover."""


def advance(group: GroupProgress, kind: str, now: int) -> list[Receipt]:
    """Return the new receipts of a group: of all members, and of all but the slowest."""
    receipts = []
    if group.slowest_id > group.reach:
        alone = group.slowest if group.next_id is None else None
        number, after, upto = group.conversation, group.reach, group.slowest_id
        receipts.append(Receipt(number, EVERYBODY, kind, after, upto, now, alone))
    after = max(group.reach_of_others, group.reach, group.slowest_id)
    if group.next_id is not None and group.next_id > after:
        uid = all_but(group.slowest)
        receipts.append(Receipt(group.conversation, uid, kind, after, group.next_id, now))
    return receipts


@dataclass(frozen=True, slots=True)
class ReceiptPosition:
    """A message's id, and its ordinal: the number of counting messages up to it."""

    id: int
    ordinal: int


def deliver(participant: Participant, upto: int, now: int) -> Receipt | None:
    """Mark messages as delivered; return the receipt, or None if they were delivered before."""
    if upto <= participant.delivered_reached:
        return None
    after = max(participant.delivered_reached, participant.floor_id)
    participant.delivered_reached = upto
    return Receipt(participant.conversation, participant.uid, DELIVERED, after, upto, now)


def unread_after(conversation: Conversation, position: ReceiptPosition, own: int) -> int:
    """Return the unread messages after a position by ordinals, which count erased ones, too.

    `own` is the number of the reader's own messages after it.
    """
    return conversation.counted - position.ordinal - own


def read(
    participant: Participant,
    conversation: Conversation,
    upto: ReceiptPosition,
    *,
    own: int,
    had: int | None,
    now: int,
) -> list[Receipt]:
    """Mark messages as read and as delivered; return the new receipts.

    `own` is the number of the participant's own messages after `upto`, and `had` that of others'
    messages between the read position and `upto`, without erased ones. With `had`, no message
    becomes unread that was not: by ordinals alone, those would that were erased before the user
    marked earlier ones as unread.
    """
    if upto.id <= participant.read_id:
        return []
    unread = unread_after(conversation, upto, own)
    if had is not None:
        unread = min(unread, participant.unread_in(conversation) - had)
    set_read(participant, conversation, upto.id, own=own, unread=unread)
    if upto.id <= participant.read_reached:
        return []
    after = max(participant.read_reached, participant.floor_id)
    participant.read_reached = upto.id
    receipt = Receipt(participant.conversation, participant.uid, READ, after, upto.id, now)
    delivered = deliver(participant, upto.id, now)
    return [receipt, delivered] if delivered else [receipt]


def mark_unread(
    participant: Participant,
    conversation: Conversation,
    after: ReceiptPosition,
    *,
    own: int,
    back: int | None,
) -> None:
    """Mark the messages after `after`, which is before the read position, as unread.

    `own` is the number of the participant's own messages after it, and `back` that of others'
    messages up to the read position, without erased ones; None stands for too many to count.
    """
    unread = unread_after(conversation, after, own)
    if back is not None:
        unread = participant.unread_in(conversation) + back
    set_read(participant, conversation, after.id, own=own, unread=unread)


def set_read(
    participant: Participant, conversation: Conversation, read_id: int, *, own: int, unread: int
) -> None:
    """Set the read position so that the participant has a number of unread messages."""
    participant.read_id = read_id
    participant.read_count = conversation.counted - own - unread
    participant.own = own - conversation.own_of(participant.uid)


def unread_position(participant: Participant, after: ReceiptPosition) -> ReceiptPosition | None:
    """Return the read position that makes messages after `after` unread; None if it is no change.

    The position is never before the messages that the participant has.
    """
    position = after
    if after.id < participant.floor_id:
        position = ReceiptPosition(participant.floor_id, participant.floor_count)
    return position if position.id < participant.read_id else None

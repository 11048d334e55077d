"""Numbers of messages: unread, a sender's own, those of others, and by conversation."""

from collections.abc import Sequence

import msgspec

from hubbub.records.conversations.model import Conversation
from hubbub.records.messages.listing import MessageFilter, where_of
from hubbub.records.messages.store import SQL, MessagePosition
from hubbub.storage.interface import Snapshot
from hubbub.storage.queries import Where

LATEST = 2**62
"""A time after all messages."""
MOST_COUNTS = 10_000
"""The limit of numbers in one answer."""

Count = tuple[str, str, int]
"""The number of messages with a user, or in a group: (kind, uid or guid, number)."""


async def count_own_beyond(
    snapshot: Snapshot,
    conversation: Conversation,
    uid: str,
    after_id: int,
    position: MessagePosition | None,
) -> int:
    """Return the number of a sender's counting messages with ids above `after_id`.

    `position` is that of `after_id`, if known. It saves reading earlier messages, unless an import
    came later.
    """
    row = await snapshot.fetch_one(
        SQL.count_own_beyond,
        conversation=conversation.number,
        sender=uid,
        after_id=after_id,
        from_at=_earliest_after(conversation, after_id, position),
    )
    return int(row[0]) if row else 0


async def count_of_others_between(
    snapshot: Snapshot,
    conversation: Conversation,
    uid: str,
    ids: tuple[int, int],
    positions: tuple[MessagePosition | None, MessagePosition | None],
    *,
    limit: int,
) -> int:
    """Return the number of others' counting messages after one id up to another, or `limit`.

    Tombstones are not counted. `positions` are those of the ids, as in `count_own_beyond`.
    """
    (after_id, upto_id), (after, upto) = ids, positions
    is_in_order = upto is not None and after_id >= conversation.imported_id
    row = await snapshot.fetch_one(
        SQL.count_of_others_between,
        conversation=conversation.number,
        uid=uid,
        after_id=after_id,
        upto_id=upto_id,
        from_at=_earliest_after(conversation, after_id, after),
        upto_at=upto.sent_at if upto is not None and is_in_order else LATEST,
        limit=limit,
    )
    return int(row[0]) if row else 0


def _earliest_after(
    conversation: Conversation, after_id: int, position: MessagePosition | None
) -> int:
    """Return a time before which no message has an id above `after_id`, the id of `position`.

    Live messages have times in the order of their ids; those of a later import may have any.
    """
    if position is None or after_id < conversation.imported_id:
        return 0
    return position.sent_at


async def find_newest_of_others(
    snapshot: Snapshot, conversation: int, uid: str, *, after_id: int
) -> MessagePosition | None:
    """Return the position of the newest counting message of another sender; not of a tombstone."""
    row = await snapshot.fetch_one(
        SQL.find_newest_of_others, conversation=conversation, uid=uid, after_id=after_id
    )
    return MessagePosition(*row) if row else None


async def count_messages(
    snapshot: Snapshot, wanted: MessageFilter, whose: str | None
) -> list[Count]:
    """Return the numbers of messages by the other user of `whose`; without one, by receiver.

    If only unread messages are asked for, these are the unread counts of the reader's
    conversations: messages that were deleted permanently count until they are read.
    """
    if wanted.unread and wanted.reader is not None:
        return await _count_unread(snapshot, wanted)
    if wanted.viewer is not None and wanted.conversation is None:
        where, query = where_of(msgspec.structs.replace(wanted, viewer=None)), SQL.count_of_viewer
        where.args["viewer"] = wanted.viewer
    else:
        where, query = where_of(wanted), SQL.count_by_other
        where.args["whose"] = whose or ""
    if wanted.conversation is not None:
        where.add("c.number = :conversation")
    elif wanted.conversations is not None:
        where.add("c.number = ANY(:conversations)")
    rows = await snapshot.fetch(where.narrow(query), limit=MOST_COUNTS, **where.args)
    return [(row[0], row[1], row[2]) for row in rows]


async def count_replies(
    snapshot: Snapshot, wanted: MessageFilter, parents: Sequence[int]
) -> dict[int, int]:
    """Return the numbers of replies to messages that have some, by the ids of these."""
    where = where_of(wanted)
    rows = await snapshot.fetch(
        where.narrow(SQL.count_replies), parents=list(parents), **where.args
    )
    return {row[0]: row[1] for row in rows}


async def _count_unread(snapshot: Snapshot, wanted: MessageFilter) -> list[Count]:
    where, query = Where(), SQL.count_kept_unread
    if wanted.is_of_all_unread:
        if wanted.conversation is not None:
            where.add("p.conversation = :conversation", conversation=wanted.conversation)
        if wanted.receiver_type is not None:
            where.add("c.kind = :receiver_type", receiver_type=wanted.receiver_type)
    else:
        # The query itself has the conditions of the participant: visible and unread.
        where, query = (
            where_of(msgspec.structs.replace(wanted, viewer=None, unread=False)),
            SQL.count_unread,
        )
    args = {**where.args, "reader": wanted.reader, "limit": MOST_COUNTS}
    rows = await snapshot.fetch(where.narrow(query), **args)
    return [(row[0], row[1], row[2]) for row in rows]

"""The tables `conversations` and `participants`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hubbub.kernel.pages import PageRequest
from hubbub.kernel.text import SYSTEM_UID, fold, prefix_range
from hubbub.records.conversations.model import USER, Conversation, ConversationKey, Participant
from hubbub.records.users.model import encode_tags
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import Where, load_queries

SQL = load_queries(__package__, conversation_columns=Conversation, participant_columns=Participant)


async def find_conversations(
    snapshot: Snapshot, keys: Iterable[ConversationKey]
) -> dict[ConversationKey, Conversation]:
    """The conversations of those keys that exist."""
    asked = [
        {"kind": kind, "left_id": left, "right_id": right}
        for kind, left, right in dict.fromkeys(keys)
    ]
    rows = await snapshot.fetch_many(SQL.find_conversation, asked)
    found = [Conversation(*row) for row in rows]
    return {conversation.key: conversation for conversation in found}


async def insert_conversations(tx: Transaction, conversations: Sequence[Conversation]) -> None:
    """Store new conversations; of two people's, both become participants."""
    await tx.run_many(
        SQL.insert_conversation,
        [
            {
                "number": each.number,
                "kind": each.kind,
                "left_id": each.left_id,
                "right_id": each.right_id,
                "created_at": each.created_at,
            }
            for each in conversations
        ],
    )
    people = [
        (each.number, uid)
        for each in conversations
        if each.kind == USER
        for uid in dict.fromkeys((each.left_id, each.right_id))
        if uid != SYSTEM_UID
    ]
    # They take part from the very beginning: their first messages are in `conversations` already.
    rows = [{"conversation": number, "uid": uid, **_FROM_THE_BEGINNING} for number, uid in people]
    await tx.run_many(SQL.insert_participant, rows)


_FROM_THE_BEGINNING = {"reached": 0, "read_count": 0, "hidden_id": 0}


async def insert_participants(
    tx: Transaction, people: Sequence[tuple[Conversation, str]], *, sees_history: bool = True
) -> None:
    """Let users take part from the conversation's end on: what was said before is not unread."""
    await tx.run_many(
        SQL.insert_participant,
        [
            {
                "conversation": each.number,
                "uid": uid,
                "reached": each.last_id,
                "read_count": each.counted,
                "hidden_id": each.erased_upto if sees_history else each.last_id,
            }
            for each, uid in people
        ],
    )


async def advance_conversations(tx: Transaction, conversations: Iterable[Conversation]) -> None:
    """Store how far conversations have moved on."""
    await tx.run_many(
        SQL.advance_conversation,
        [
            {
                "number": each.number,
                "updated_at": each.updated_at,
                "last_id": each.last_id,
                "shown_id": each.shown_id,
                "shown_at": each.shown_at,
                "newest_sent_at": each.newest_sent_at,
                "counted": each.counted,
                "imported_id": each.imported_id,
            }
            for each in conversations
        ],
    )


async def add_own(tx: Transaction, own: Mapping[tuple[int, str], int]) -> None:
    """Count senders' own counting messages, by (conversation, uid)."""
    await tx.run_many(
        SQL.add_own,
        [
            {"conversation": number, "uid": uid, "own": count}
            for (number, uid), count in own.items()
        ],
    )


async def find_hidden_id(snapshot: Snapshot, number: int, uid: str | None) -> int | None:
    """Up to which message a history is hidden from a participant; None when he takes no part.

    The app (`uid` is None) takes part in every conversation that is there.
    """
    if uid is None:
        row = await snapshot.fetch_one(SQL.find_erased_upto, number=number)
    else:
        row = await snapshot.fetch_one(SQL.find_participant, conversation=number, uid=uid)
    return int(row[0]) if row else None


PersonIn = tuple[int, str]
"""A conversation and somebody who takes part in it: (number, uid)."""


async def find_participants(
    snapshot: Snapshot, pairs: Iterable[PersonIn]
) -> dict[PersonIn, Participant]:
    """Those of the pairs who take part."""
    asked = [{"conversation": number, "uid": uid} for number, uid in dict.fromkeys(pairs)]
    rows = await snapshot.fetch_many(SQL.find_participants, asked)
    return {(row[0], row[1]): Participant(*row) for row in rows}


async def store_marks(tx: Transaction, participants: Iterable[Participant]) -> None:
    """Store how far participants have come."""
    await tx.run_many(
        SQL.store_marks,
        [
            {
                "conversation": each.conversation,
                "uid": each.uid,
                "read_id": each.read_id,
                "read_count": each.read_count,
                "own": each.own,
                "read_reached": each.read_reached,
                "delivered_reached": each.delivered_reached,
            }
            for each in participants
        ],
    )


async def reset_participant(tx: Transaction, conversation: Conversation, uid: str) -> None:
    """Hide from somebody all that was said so far, and let it count no more; his pin goes."""
    await tx.run(
        SQL.reset_participant,
        conversation=conversation.number,
        uid=uid,
        reached=conversation.last_id,
        counted=conversation.counted,
    )
    await delete_pin(tx, conversation.number, uid)


async def empty_conversation(tx: Transaction, conversation: Conversation) -> None:
    """Let nobody find what was said so far, as `reset_participant` for all who take part."""
    await tx.run(
        SQL.reset_all_participants,
        conversation=conversation.number,
        reached=conversation.last_id,
        counted=conversation.counted,
    )
    await tx.run(SQL.delete_pins_of_users, conversation=conversation.number)
    await tx.run(SQL.empty_conversation, number=conversation.number)


async def list_others(
    snapshot: Snapshot, number: int, but: str, *, after: str, limit: int
) -> list[str]:
    """Who takes part in a conversation besides somebody, by uid, beyond `after`."""
    rows = await snapshot.fetch(
        SQL.list_others, conversation=number, but=but, after=after, limit=limit
    )
    return [row[0] for row in rows]


async def find_by_number(snapshot: Snapshot, number: int) -> Conversation:
    """The conversation of that number, which exists."""
    row = await snapshot.fetch_one(SQL.find_by_number, number=number)
    assert row is not None, f"there is no conversation {number}"
    return Conversation(*row)


async def find_by_numbers(snapshot: Snapshot, numbers: Iterable[int]) -> list[Conversation]:
    """The conversations of those numbers that exist."""
    asked = [{"number": number} for number in dict.fromkeys(numbers)]
    rows = await snapshot.fetch_many(SQL.find_by_number, asked)
    return [Conversation(*row) for row in rows]


async def store_tags(tx: Transaction, number: int, uid: str, tags: Sequence[str]) -> None:
    """Store the tags that somebody has given to a conversation, in place of those before."""
    await tx.run(SQL.store_tags, conversation=number, uid=uid, tags=encode_tags(tags))
    await tx.run(SQL.delete_tags, conversation=number, uid=uid)
    rows = [{"conversation": number, "uid": uid, "tag": tag} for tag in dict.fromkeys(tags)]
    await tx.run_many(SQL.insert_tag, rows)


async def find_pins(snapshot: Snapshot, number: int, uids: Sequence[str]) -> dict[str, int]:
    """Since when a conversation is pinned, by whose pin; '' is the app's."""
    rows = await snapshot.fetch(SQL.find_pins, conversation=number, uids=list(uids))
    return {row[0]: row[1] for row in rows}


async def count_pins(snapshot: Snapshot, uid: str) -> int:
    """How many conversations somebody has pinned; '' is the app."""
    row = await snapshot.fetch_one(SQL.count_pins, uid=uid)
    return int(row[0]) if row else 0


async def insert_pin(tx: Transaction, number: int, uid: str, at: int) -> None:
    """Pin a conversation for somebody; '' is the app, which pins for all."""
    await tx.run(SQL.insert_pin, conversation=number, uid=uid, pinned_at=at)


async def delete_pin(tx: Transaction, number: int, uid: str) -> None:
    """Unpin a conversation."""
    await tx.run(SQL.delete_pin, conversation=number, uid=uid)


@dataclass(frozen=True, slots=True)
class ConversationFilter:
    """Which conversations a list holds; None and empty ask for nothing."""

    uid: str | None = None
    """Whose; None: everybody's."""
    kind: str | None = None
    tags: Sequence[str] = ()
    user_tags: Sequence[str] = ()
    group_tags: Sequence[str] = ()
    search: str = ""
    unread_only: bool = False
    pinned_only: bool = False
    with_blocked: bool = False


@dataclass(frozen=True, slots=True)
class Listed:
    """A row of a list: a conversation, as somebody's, and since when it is pinned."""

    conversation: Conversation
    participant: Participant
    pinned_at: int | None


async def list_conversations(
    snapshot: Snapshot, wanted: ConversationFilter, page: PageRequest
) -> tuple[list[Listed], int]:
    """A page of conversations, and how many there are in all."""
    where = _where(wanted)
    is_own = wanted.uid is not None
    query, counting = (
        (SQL.list_seen, SQL.count_seen) if is_own else (SQL.list_all_seen, SQL.count_all_seen)
    )
    rows = await snapshot.fetch(
        where.narrow(query), limit=page.per_page, offset=page.offset, **where.args
    )
    count = await snapshot.fetch_one(where.narrow(counting), **where.args)
    found = await find_by_numbers(snapshot, (row[0] for row in rows))
    conversations = {conversation.number: conversation for conversation in found}
    participants = await find_participants(snapshot, [(row[0], row[1]) for row in rows])
    listed = [
        Listed(conversations[number], participants[number, uid], pinned_at)
        for number, uid, pinned_at in rows
    ]
    return listed, int(count[0]) if count else 0


def _where(wanted: ConversationFilter) -> Where:
    where = Where()
    if wanted.uid is not None:
        where.args["uid"] = wanted.uid
    if wanted.kind is not None:
        where.add("c.kind = :kind", kind=wanted.kind)
    if wanted.unread_only:
        where.add("c.counted - p.read_count - p.own > 0")
    if wanted.pinned_only:
        where.add(
            "EXISTS (SELECT 1 FROM conversation_pins x WHERE x.app_id = :app_id"
            " AND x.conversation = p.conversation AND (x.uid = p.uid OR x.uid = ''))"
        )
    if wanted.tags:
        where.add(
            "EXISTS (SELECT 1 FROM conversation_tags t WHERE t.app_id = :app_id"
            " AND t.conversation = p.conversation AND t.uid = p.uid AND t.tag = ANY(:tags))",
            tags=list(wanted.tags),
        )
    if wanted.user_tags or wanted.group_tags:
        where.add(
            "((c.kind = 'user' AND {other_side}"
            " IN (SELECT ut.uid FROM user_tags ut"
            " WHERE ut.app_id = :app_id AND ut.tag = ANY(:user_tags)))"
            " OR (c.kind = 'group' AND c.left_id IN (SELECT gt.guid FROM group_tags gt"
            " WHERE gt.app_id = :app_id AND gt.tag = ANY(:group_tags))))",
            user_tags=list(wanted.user_tags),
            group_tags=list(wanted.group_tags),
        )
    if wanted.search:
        lower, upper = prefix_range(fold(wanted.search)[:100])
        where.add(
            "((c.kind = 'user' AND {other_side}"
            " IN (SELECT uw.uid FROM user_words uw WHERE uw.app_id = :app_id"
            " AND uw.kind = 'name' AND uw.word >= :lower AND uw.word < :upper))"
            " OR (c.kind = 'group' AND c.left_id IN (SELECT gw.guid FROM group_words gw"
            " WHERE gw.app_id = :app_id AND gw.kind = 'name'"
            " AND gw.word >= :lower AND gw.word < :upper)))",
            lower=lower,
            upper=upper,
        )
    if wanted.uid is not None and not wanted.with_blocked:
        where.add(
            "(c.kind = 'group' OR NOT EXISTS (SELECT 1 FROM blocks b WHERE b.app_id = :app_id"
            " AND b.uid = p.uid AND b.blocked"
            " = {other_side}))"
        )
    return where


async def list_user_conversations(
    snapshot: Snapshot, uid: str
) -> list[tuple[int, ConversationKey]]:
    """The one-to-one conversations of a user: number and key."""
    rows = await snapshot.fetch(SQL.list_user_conversations, uid=uid)
    return [(row[0], (row[1], row[2], row[3])) for row in rows]


async def find_imported_id(snapshot: Snapshot, uid: str) -> int:
    """The newest message of all of somebody's conversations that came by an import; 0: none did."""
    row = await snapshot.fetch_one(SQL.find_imported_id, uid=uid)
    return int(row[0]) if row else 0


async def delete_participant(tx: Transaction, number: int, uid: str) -> None:
    """Let a user take part in a conversation no more; his pin and his tags of it go with him."""
    await tx.run(SQL.delete_participant, conversation=number, uid=uid)
    await tx.run(SQL.delete_pin, conversation=number, uid=uid)
    await tx.run(SQL.delete_tags, conversation=number, uid=uid)


async def leave_conversations(tx: Transaction, uid: str, numbers: Sequence[int]) -> None:
    """Let a user take part in these conversations no more."""
    await tx.run(SQL.leave_conversations, uid=uid, conversations=list(numbers))


async def delete_conversation(tx: Transaction, number: int) -> None:
    """Remove a conversation's row: nobody finds it any more."""
    await tx.run(SQL.delete_conversation, number=number)


async def forget_user(tx: Transaction, uid: str) -> None:
    """Remove what somebody called and pinned conversations by."""
    await tx.run(SQL.delete_pins_of, uid=uid)
    await tx.run(SQL.delete_tags_of, uid=uid)


async def end_user_conversations(tx: Transaction, uid: str) -> None:
    """Remove a user's one-to-one conversations, for both sides: nobody finds them any more."""
    await tx.run(SQL.end_user_conversations, uid=uid)

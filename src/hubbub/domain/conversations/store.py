"""The tables `conversations` and `participants`."""

from collections.abc import Iterable, Mapping, Sequence

from hubbub.domain.conversations.model import USER, Conversation, Key
from hubbub.kernel.text import SYSTEM_UID
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)


async def find_conversations(snapshot: Snapshot, keys: Iterable[Key]) -> dict[Key, Conversation]:
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
        (each, uid)
        for each in conversations
        if each.kind == USER
        for uid in dict.fromkeys((each.left_id, each.right_id))
        if uid != SYSTEM_UID
    ]
    await insert_participants(tx, people)


async def insert_participants(tx: Transaction, people: Sequence[tuple[Conversation, str]]) -> None:
    """Let users take part from the conversation's end on: what was said before is not unread."""
    await tx.run_many(
        SQL.insert_participant,
        [
            {
                "conversation": each.number,
                "uid": uid,
                "reached": each.last_id,
                "read_count": each.counted,
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


async def find_hidden_id(snapshot: Snapshot, number: int, uid: str) -> int | None:
    """Up to which message a participant's history is hidden; None when he takes no part."""
    row = await snapshot.fetch_one(SQL.find_participant, conversation=number, uid=uid)
    return int(row[0]) if row else None


async def is_there(snapshot: Snapshot, number: int) -> bool:
    """Whether a conversation exists, and is not just being erased."""
    return await snapshot.fetch_one(SQL.find_key, number=number) is not None


async def list_user_conversations(snapshot: Snapshot, uid: str) -> list[tuple[int, Key]]:
    """The one-to-one conversations of a user: number and key."""
    rows = await snapshot.fetch(SQL.list_user_conversations, uid=uid)
    return [(row[0], (row[1], row[2], row[3])) for row in rows]


async def delete_participant(tx: Transaction, number: int, uid: str) -> None:
    """Let a user take part in a conversation no more."""
    await tx.run(SQL.delete_participant, conversation=number, uid=uid)


async def leave_conversations(tx: Transaction, uid: str, numbers: Sequence[int]) -> None:
    """Let a user take part in these conversations no more."""
    await tx.run(SQL.leave_conversations, uid=uid, conversations=list(numbers))


async def delete_conversation(tx: Transaction, number: int) -> None:
    """Remove a conversation's row: nobody finds it any more."""
    await tx.run(SQL.delete_conversation, number=number)


async def end_user_conversations(tx: Transaction, uid: str) -> None:
    """Remove a user's one-to-one conversations, for both sides: nobody finds them any more."""
    await tx.run(SQL.end_user_conversations, uid=uid)

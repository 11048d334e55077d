"""The tables `conversations` and `participants`, with the pins and tags of conversations."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.conversations.model import USER, Conversation, ConversationKey, Participant
from hubbub.records.users.model import encode_tags
from hubbub.storage.cached import CachedKind
from hubbub.storage.dialect import Of
from hubbub.storage.interface import Row, Snapshot, Transaction
from hubbub.storage.queries import load_queries
from hubbub.storage.together import Asked

SQL = load_queries(__package__, conversation_columns=Conversation, participant_columns=Participant)
APP_PINS = ""
"""The owner of pins that the app sets, which everybody sees."""
_CONVERSATION_COLUMNS = len(msgspec.structs.fields(Conversation))


async def find_conversations(
    snapshot: Snapshot, keys: Iterable[ConversationKey]
) -> dict[ConversationKey, Conversation]:
    """Return the conversations with these keys, by key."""
    return await _CONVERSATIONS.find(snapshot, keys, _fetch_conversations)


_CONVERSATIONS = CachedKind[ConversationKey, Conversation](SQL.find_conversation, is_volatile=True)


async def _fetch_conversations(
    snapshot: Snapshot, keys: Iterable[ConversationKey]
) -> dict[ConversationKey, Conversation]:
    asked = [{"kind": kind, "left_id": left, "right_id": right} for kind, left, right in keys]
    rows = await snapshot.fetch_many(SQL.find_conversation, asked)
    found = [Conversation(*row) for row in rows]
    return {conversation.key: conversation for conversation in found}


async def insert_conversations(tx: Transaction, conversations: Sequence[Conversation]) -> None:
    """Store new conversations, and the participants of one-to-one conversations."""
    for each in conversations:
        _CONVERSATIONS.put(tx, each.key, each)
    await tx.run_many(SQL.insert_conversation, conversations)
    people = [
        (each.number, uid)
        for each in conversations
        if each.kind == USER
        for uid in dict.fromkeys((each.left_id, each.right_id))
        if uid != SYSTEM_UID
    ]
    # From the first message on: `conversations` have counted the messages of this call already.
    start = {"reached": 0, "read_count": 0, "hidden_id": 0}
    rows = [{"conversation": number, "uid": uid, **start} for number, uid in people]
    await tx.run_many(SQL.insert_participant, rows)


async def insert_participants(
    tx: Transaction, people: Sequence[tuple[Conversation, str]], *, sees_history: bool = True
) -> None:
    """Add participants to conversations; earlier messages are not unread for them."""
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
    """Store the fields of conversations that messages advance; they are advanced already."""
    await tx.run_many(SQL.advance_conversation, list(conversations))


async def add_own(tx: Transaction, own: Mapping[tuple[int, str], int]) -> None:
    """Add to the numbers of senders' own counting messages in groups, by (conversation, uid)."""
    await tx.run_many(
        SQL.add_own,
        [
            {"conversation": number, "uid": uid, "own": count}
            for (number, uid), count in own.items()
        ],
    )


async def find_hidden_id(snapshot: Snapshot, number: int, uid: str | None) -> int | None:
    """Return the message id after which a participant's history begins; None if there is none.

    The app (`uid` is None) sees every conversation that exists.
    """
    if uid is None:
        row = await snapshot.fetch_one(SQL.find_erased_upto, number=number)
    else:
        row = await snapshot.fetch_one(SQL.find_participant, conversation=number, uid=uid)
    return int(row[0]) if row else None


def ask_hidden_id(number: Of, uid: str) -> Asked:
    """Return what `find_hidden_id` asks, in a conversation that an earlier query finds."""
    return Asked(SQL.find_participant, {"conversation": number, "uid": uid})


async def find_history(
    snapshot: Snapshot, key: ConversationKey, uid: str
) -> tuple[int, int | None] | None:
    """Return the number of a conversation, and the message id after which a user's history begins.

    None if there is no conversation; without the second number if they do not take part in it.
    """
    asked = ask_history(key, uid)
    row = await snapshot.fetch_one(asked.query, **asked.args)
    return (row[0], row[1]) if row else None


def ask_history(key: ConversationKey, uid: str) -> Asked:
    """Return what `find_history` asks; its columns are `number` and `hidden_id`."""
    kind, left, right = key
    args = {"kind": kind, "left_id": left, "right_id": right, "uid": uid}
    return Asked(SQL.find_history, args)


ParticipantKey = tuple[int, str]
"""A conversation and a participant: (number, uid)."""


async def find_participants(
    snapshot: Snapshot, pairs: Iterable[ParticipantKey]
) -> dict[ParticipantKey, Participant]:
    """Return the participants of these pairs, by pair."""
    asked = [{"conversation": number, "uid": uid} for number, uid in dict.fromkeys(pairs)]
    rows = await snapshot.fetch_many(SQL.find_participants, asked)
    found = [Participant(*row) for row in rows]
    return {(each.conversation, each.uid): each for each in found}


Mark = tuple[Participant, ConversationKey]
"""A participant who has read something, and the key of the conversation."""


async def list_marks(snapshot: Snapshot, after: tuple[int, str], *, limit: int) -> list[Mark]:
    """Return participants of an app who have read something, those after a pair."""
    conversation, uid = after
    return _marks(
        await snapshot.fetch(SQL.list_marks, conversation=conversation, uid=uid, limit=limit)
    )


async def list_marks_in(snapshot: Snapshot, after: str, *, number: int, limit: int) -> list[Mark]:
    """Return participants of a conversation who have read something, those after a uid."""
    return _marks(
        await snapshot.fetch(SQL.list_marks_in, conversation=number, uid=after, limit=limit)
    )


async def list_marks_of(snapshot: Snapshot, after: int, *, uid: str, limit: int) -> list[Mark]:
    """Return the conversations of which a user has read something, those after a number."""
    return _marks(await snapshot.fetch(SQL.list_marks_of, uid=uid, conversation=after, limit=limit))


def _marks(rows: Iterable[Row]) -> list[Mark]:
    return [(Participant(*row[:-3]), (row[-3], row[-2], row[-1])) for row in rows]


async def store_marks(tx: Transaction, participants: Iterable[Participant]) -> None:
    """Store the watermarks of participants."""
    await tx.run_many(SQL.store_marks, list(participants))


async def list_beyond(snapshot: Snapshot, number: int, message_id: int) -> list[Participant]:
    """Return the participants of a conversation who have read a message, or beyond it."""
    rows = await snapshot.fetch(SQL.list_beyond, conversation=number, message=message_id)
    return [Participant(*row) for row in rows]


async def raise_floors(tx: Transaction, number: int, message_id: int) -> None:
    """Count a message before the floors that are beyond it."""
    await tx.run(SQL.raise_floors, conversation=number, message=message_id)


async def reset_participant(tx: Transaction, conversation: Conversation, uid: str) -> None:
    """Hide the messages so far from a participant, count them as read, and delete the pin."""
    await tx.run(
        SQL.reset_participant,
        conversation=conversation.number,
        uid=uid,
        reached=conversation.last_id,
        counted=conversation.counted,
        own=-conversation.own_of(uid),
    )
    await delete_pin(tx, conversation.number, uid)


async def empty_conversation(tx: Transaction, conversation: Conversation) -> None:
    """Hide the messages so far from all, as `reset_participant` does for one participant."""
    await tx.run(
        SQL.reset_all_participants,
        conversation=conversation.number,
        reached=conversation.last_id,
        counted=conversation.counted,
        left_id=conversation.left_id,
        left=-conversation.left_own,
        right=-conversation.right_own,
    )
    await tx.run(SQL.delete_pins_of_users, conversation=conversation.number)
    await tx.run(SQL.empty_conversation, number=conversation.number)


async def list_others(
    snapshot: Snapshot, number: int, but: str, *, after: str, limit: int
) -> list[str]:
    """Return the uids of the participants after `after`, without `but`, ascending."""
    rows = await snapshot.fetch(
        SQL.list_others, conversation=number, but=but, after=after, limit=limit
    )
    return [row[0] for row in rows]


async def find_by_number(snapshot: Snapshot, number: int) -> Conversation:
    """Return the conversation with this number, which exists."""
    row = await snapshot.fetch_one(SQL.find_by_number, number=number)
    assert row is not None, f"there is no conversation {number}"
    return Conversation(*row)


async def find_by_numbers(snapshot: Snapshot, numbers: Iterable[int]) -> list[Conversation]:
    """Return the conversations with these numbers, without those that do not exist."""
    asked = [{"number": number} for number in dict.fromkeys(numbers)]
    rows = await snapshot.fetch_many(SQL.find_by_number, asked)
    return [Conversation(*row) for row in rows]


async def find_with_participants(
    snapshot: Snapshot, pairs: Sequence[ParticipantKey]
) -> dict[ParticipantKey, tuple[Conversation, Participant]]:
    """Return the conversations and participants of pairs that exist, by pair."""
    asked = [{"conversation": number, "uid": uid} for number, uid in pairs]
    rows = await snapshot.fetch_many(SQL.find_with_participants, asked)
    found = {}
    for row in rows:
        participant = Participant(*row[_CONVERSATION_COLUMNS:])
        key = participant.conversation, participant.uid
        found[key] = Conversation(*row[:_CONVERSATION_COLUMNS]), participant
    return found


async def store_tags(tx: Transaction, number: int, uid: str, tags: Sequence[str]) -> None:
    """Replace the tags that a user has given to a conversation."""
    await tx.run(SQL.store_tags, conversation=number, uid=uid, tags=encode_tags(tags))
    await tx.run(SQL.delete_tags, conversation=number, uid=uid)
    rows = [{"conversation": number, "uid": uid, "tag": tag} for tag in dict.fromkeys(tags)]
    await tx.run_many(SQL.insert_tag, rows)


async def find_pins(snapshot: Snapshot, number: int, uids: Sequence[str]) -> dict[str, int]:
    """Return the times of a conversation's pins by uid; '' is the app."""
    rows = await snapshot.fetch(SQL.find_pins, conversation=number, uids=list(uids))
    return {row[0]: row[1] for row in rows}


async def list_pins(
    snapshot: Snapshot, numbers: Sequence[int], uids: Sequence[str]
) -> dict[ParticipantKey, int]:
    """Return the times of pins by conversation and uid; `APP_PINS` is the app."""
    if not numbers:
        return {}
    rows = await snapshot.fetch(SQL.list_pins, conversations=list(numbers), uids=list(uids))
    return {(row[0], row[1]): row[2] for row in rows}


async def count_pins(snapshot: Snapshot, uid: str) -> int:
    """Return the number of conversations that a user has pinned; '' is the app."""
    row = await snapshot.fetch_one(SQL.count_pins, uid=uid)
    return int(row[0]) if row else 0


async def insert_pin(tx: Transaction, number: int, uid: str, at: int) -> None:
    """Store a user's pin of a conversation; '' is the app, which pins for all."""
    await tx.run(SQL.insert_pin, conversation=number, uid=uid, pinned_at=at)


async def delete_pin(tx: Transaction, number: int, uid: str) -> None:
    """Delete a user's pin of a conversation."""
    await tx.run(SQL.delete_pin, conversation=number, uid=uid)


async def list_user_conversations(
    snapshot: Snapshot, uid: str
) -> list[tuple[int, ConversationKey]]:
    """Return the numbers and keys of a user's one-to-one conversations."""
    rows = await snapshot.fetch(SQL.list_user_conversations, uid=uid)
    return [(row[0], (row[1], row[2], row[3])) for row in rows]


async def find_imported_id(snapshot: Snapshot, uid: str) -> int:
    """Return the newest imported message id in a user's conversations; 0 if there is none."""
    row = await snapshot.fetch_one(SQL.find_imported_id, uid=uid)
    return int(row[0]) if row else 0


async def delete_participant(tx: Transaction, number: int, uid: str) -> None:
    """Delete a participant of a conversation, with the pin and the tags of the user."""
    await tx.run(SQL.delete_participant, conversation=number, uid=uid)
    await tx.run(SQL.delete_pin, conversation=number, uid=uid)
    await tx.run(SQL.delete_tags, conversation=number, uid=uid)


async def leave_conversations(tx: Transaction, uid: str, numbers: Sequence[int]) -> None:
    """Delete a user from the participants of conversations."""
    await tx.run(SQL.leave_conversations, uid=uid, conversations=list(numbers))


async def delete_conversation(tx: Transaction, number: int) -> None:
    """Delete a conversation's row, which hides it from all."""
    await tx.run(SQL.delete_conversation, number=number)


async def forget_user(tx: Transaction, uid: str) -> None:
    """Delete a user's pins and tags of conversations."""
    await tx.run(SQL.delete_pins_of, uid=uid)
    await tx.run(SQL.delete_tags_of, uid=uid)


async def end_user_conversations(tx: Transaction, uid: str) -> None:
    """Delete a user's one-to-one conversations, which hides them from both sides."""
    await tx.run(SQL.end_user_conversations, uid=uid)

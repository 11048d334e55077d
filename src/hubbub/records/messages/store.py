"""The rows of the tables `messages` and `message_tags`."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.conversations.model import Conversation
from hubbub.records.messages.model import Message, StoredMessage, WholeMessage
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import Query, load_queries

SenderMuid = tuple[str, str]


@dataclass(frozen=True, slots=True)
class MessagePosition:
    """The position of a message: its conversation, its time, and the messages counted up to it."""

    id: int
    conversation: int
    sent_at: int
    ordinal: int


@dataclass(frozen=True, slots=True)
class MessageRange:
    """The messages of a conversation after one id up to another, all within two times.

    They are those of one sender or, if `sender` is empty, of all senders but one.
    """

    conversation: int
    after_id: int
    upto_id: int
    from_at: int
    upto_at: int
    sender: str
    other_than: str


@dataclass(frozen=True, slots=True)
class Erasable:
    """A message to delete permanently, with the keys of its tags; `tags` is JSON text."""

    id: int
    conversation: int
    tags: str


SQL = load_queries(
    __package__,
    message_columns=StoredMessage,
    whole_columns=WholeMessage,
    position_columns=MessagePosition,
    erasable_columns=Erasable,
)
_decode_tags = msgspec.json.Decoder(list[str]).decode


async def find_message(snapshot: Snapshot, message_id: int) -> Message | None:
    """Return a message; None if it, or its sender, was deleted permanently."""
    row = await snapshot.fetch_one(SQL.find_message, id=message_id)
    message = Message(*row) if row else None
    return None if message is None or message.is_erased else message


async def find_messages(snapshot: Snapshot, message_ids: Sequence[int]) -> dict[int, Message]:
    """Return messages by id, without those that, or whose senders, were deleted permanently."""
    found = await find_messages_and_tombstones(snapshot, message_ids)
    return {id_: message for id_, message in found.items() if not message.is_erased}


async def find_messages_and_tombstones(
    snapshot: Snapshot, message_ids: Sequence[int]
) -> dict[int, Message]:
    """Return messages by id, with the tombstones of those that were deleted permanently."""
    return await _fetch_by_id(snapshot, SQL.find_messages, message_ids)


async def find_in_conversations(
    snapshot: Snapshot, message_ids: Sequence[int]
) -> dict[int, Message]:
    """Return the messages and tombstones, by id, that their conversations still have."""
    return await _fetch_by_id(snapshot, SQL.find_in_conversations, message_ids)


async def find_last_of_ranges(snapshot: Snapshot, ranges: Sequence[MessageRange]) -> list[Message]:
    """Return the last message of each range that has one, without tombstones."""
    rows = await snapshot.fetch_many(SQL.find_last_between, ranges)
    return [Message(*row) for row in rows]


AppPosition = tuple[int, int]
"""A position in an app's messages by age: a time, and the id of a message of that time."""


async def list_carried(
    snapshot: Snapshot, after: AppPosition, *, until: int, limit: int
) -> list[Message]:
    """Return messages of an app that a move carries, oldest first: those after a position."""
    rows = await snapshot.fetch(
        SQL.list_carried, sent_at=after[0], id=after[1], until=until, limit=limit
    )
    return [Message(*row) for row in rows]


async def list_carried_in(
    snapshot: Snapshot, after: AppPosition, *, conversation: int, until: int, limit: int
) -> list[Message]:
    """Return messages of a conversation that a move carries, oldest first, after a position."""
    rows = await snapshot.fetch(
        SQL.list_carried_in,
        conversation=conversation,
        sent_at=after[0],
        id=after[1],
        until=until,
        limit=limit,
    )
    return [Message(*row) for row in rows]


async def list_carried_of(
    snapshot: Snapshot, after_id: int, *, sender: str, since: int, until: int, limit: int
) -> list[Message]:
    """Return what a user sent to groups within two times, in the order of ids, after an id."""
    rows = await snapshot.fetch(
        SQL.list_carried_of, sender=sender, id=after_id, since=since, until=until, limit=limit
    )
    return [Message(*row) for row in rows]


@dataclass(frozen=True, slots=True)
class CarriedUpTo:
    """Where the newest message of a conversation is looked for that a move carries."""

    conversation: int
    upto_at: int
    upto_id: int


async def find_last_carried(
    snapshot: Snapshot, wanted: Sequence[CarriedUpTo]
) -> dict[CarriedUpTo, Message]:
    """Return the newest messages of conversations that a move carries, up to times and ids."""
    found: dict[CarriedUpTo, Message] = {}
    for each in dict.fromkeys(wanted):
        for row in await snapshot.fetch_many(SQL.find_last_carried, [each]):
            found[each] = Message(*row)
    return found


async def find_stored(snapshot: Snapshot, message_ids: Sequence[int]) -> dict[int, Message]:
    """Return messages and tombstones by id, also of senders who are being erased."""
    return await _fetch_by_id(snapshot, SQL.find_stored, message_ids)


async def _fetch_by_id(
    snapshot: Snapshot, query: Query, message_ids: Sequence[int]
) -> dict[int, Message]:
    if not message_ids:
        return {}
    rows = await snapshot.fetch(query, ids=list(dict.fromkeys(message_ids)))
    found = [Message(*row) for row in rows]
    return {message.id: message for message in found}


async def find_by_muid(
    snapshot: Snapshot, pairs: Iterable[SenderMuid]
) -> dict[SenderMuid, Message]:
    """Return messages, tombstones among them, by sender and muid."""
    asked = [{"sender": sender, "muid": muid} for sender, muid in dict.fromkeys(pairs)]
    rows = await snapshot.fetch_many(SQL.find_by_muid, asked)
    found = [Message(*row) for row in rows]
    return {(message.sender, message.muid or ""): message for message in found}


async def list_whole(snapshot: Snapshot, first: int, last: int, traits: int) -> list[WholeMessage]:
    """Return those messages, from one id to another, of which the columns say all.

    Those with one of these traits are left out.
    """
    rows = await snapshot.fetch(SQL.list_whole, first=first, last=last, traits=traits)
    return [WholeMessage(*row) for row in rows]


async def find_newest_shown(snapshot: Snapshot, conversation: Conversation) -> Message | None:
    """Return the newest message that may be the lastMessage, up to the time of the present one."""
    row = await snapshot.fetch_one(
        SQL.find_newest_shown,
        conversation=conversation.number,
        upto=conversation.shown_at,
        after_id=conversation.erased_upto,
    )
    return Message(*row) if row else None


async def find_message_positions(
    snapshot: Snapshot, message_ids: Sequence[int]
) -> dict[int, MessagePosition]:
    """Return the positions of messages and tombstones by id."""
    if not message_ids:
        return {}
    rows = await snapshot.fetch(SQL.find_message_positions, ids=list(message_ids))
    positions = [MessagePosition(*row) for row in rows]
    return {position.id: position for position in positions}


async def insert_messages(tx: Transaction, messages: Sequence[Message]) -> None:
    """Store new messages and their tags."""
    await tx.run_many(SQL.insert_message, messages)
    await tx.run_many(SQL.insert_tag, list(_tag_rows(messages)))


async def update_message(tx: Transaction, before: Message, after: Message, number: int) -> None:
    """Store the edited fields of a message; `number` is the number of the event."""
    await tx.run(
        SQL.update_message,
        id=after.id,
        data=after.data,
        tags=after.tags,
        traits=after.traits,
        updated_at=after.updated_at,
        edited_at=after.edited_at,
        edited_by=after.edited_by,
        number=number,
    )
    if before.tags != after.tags:
        await _delete_tags(tx, [before])
        await tx.run_many(SQL.insert_tag, list(_tag_rows([after])))


async def store_grown(tx: Transaction, message: Message) -> None:
    """Store the data of a message that has grown."""
    await tx.run(
        SQL.store_grown,
        id=message.id,
        data=message.data,
        traits=message.traits,
        updated_at=message.updated_at,
    )


async def find_ordinal_before(snapshot: Snapshot, message: Message) -> int | None:
    """Return the number of counting messages before a message; None if none is after it."""
    row = await snapshot.fetch_one(
        SQL.find_ordinal_before,
        conversation=message.conversation,
        sent_at=message.sent_at,
        id=message.id,
    )
    return int(row[0]) - bool(row[1]) if row else None


async def raise_ordinals(tx: Transaction, message: Message) -> None:
    """Count a message before the later messages of its conversation."""
    await tx.run(
        SQL.raise_ordinals,
        conversation=message.conversation,
        sent_at=message.sent_at,
        id=message.id,
    )


async def store_data(tx: Transaction, message_id: int, data: str) -> None:
    """Store the data of a message with what the server says of it."""
    await tx.run(SQL.store_data, id=message_id, data=data)


async def set_deleted(tx: Transaction, message_id: int, *, by: str, at: int, number: int) -> None:
    """Mark a message or tombstone as deleted; `number` is the number of the event."""
    await tx.run(SQL.set_deleted, id=message_id, by=by, at=at, number=number)


async def erase_content(tx: Transaction, messages: Sequence[Message]) -> None:
    """Turn messages into tombstones, which keep what counts and receipts need."""
    await tx.run(SQL.erase_content, ids=[each.id for each in messages])
    await _delete_tags(tx, messages)


async def free_muids(tx: Transaction, message_ids: Sequence[int]) -> None:
    """Remove the muids of messages, so that they can be used again."""
    await tx.run(SQL.free_muids, ids=list(message_ids))


async def add_trait(tx: Transaction, message_ids: Collection[int], trait: int) -> None:
    """Set a trait of messages."""
    await tx.run_many(SQL.add_trait, [{"id": id_, "trait": trait} for id_ in message_ids])


async def remove_trait(tx: Transaction, message_ids: Collection[int], trait: int) -> None:
    """Clear a trait of messages."""
    if message_ids:
        await tx.run(SQL.keep_traits, ids=list(message_ids), kept=~trait)


async def list_of_sender_to_groups(
    snapshot: Snapshot, sender: str, *, upto: int, limit: int
) -> list[Erasable]:
    """Return a sender's messages to groups, up to a message id, oldest first."""
    rows = await snapshot.fetch(SQL.list_of_sender_to_groups, sender=sender, upto=upto, limit=limit)
    return [Erasable(*row) for row in rows]


async def list_of_conversation(
    snapshot: Snapshot, conversation: int, *, upto: int, limit: int
) -> list[Erasable]:
    """Return a conversation's messages, up to a message id, oldest first."""
    rows = await snapshot.fetch(
        SQL.list_of_conversation, conversation=conversation, upto=upto, limit=limit
    )
    return [Erasable(*row) for row in rows]


async def list_of_sender_in(
    snapshot: Snapshot, conversation: int, sender: str, *, upto: int, limit: int
) -> list[Erasable]:
    """Return a sender's messages in a conversation, without tombstones, up to a message id."""
    rows = await snapshot.fetch(
        SQL.list_of_sender_in, conversation=conversation, sender=sender, upto=upto, limit=limit
    )
    return [Erasable(*row) for row in rows]


async def forget_editor(tx: Transaction, uid: str, *, upto: int, limit: int) -> int:
    """Set `edited_by` to the app in others' messages that the user edited, up to an event.

    Returns the number of messages changed, `limit` at most.
    """
    rows = await tx.fetch(SQL.list_edited_by, uid=uid, upto=upto, limit=limit)
    return await tx.run(SQL.set_edited_by, by=SYSTEM_UID, ids=[row[0] for row in rows])


async def forget_deleter(tx: Transaction, uid: str, *, upto: int, limit: int) -> int:
    """Set `deleted_by` to the app in others' messages and tombstones, as `forget_editor` does."""
    rows = await tx.fetch(SQL.list_deleted_by, uid=uid, upto=upto, limit=limit)
    return await tx.run(SQL.set_deleted_by, by=SYSTEM_UID, ids=[row[0] for row in rows])


async def delete_messages(tx: Transaction, messages: Sequence[Erasable]) -> None:
    """Delete messages permanently, without a tombstone."""
    await tx.run(SQL.delete_messages, ids=[each.id for each in messages])
    await _delete_tags(tx, messages)


async def delete_all_but_muids(tx: Transaction, messages: Sequence[Erasable]) -> None:
    """Delete messages permanently, but keep rows that say which muids were used."""
    ids = [each.id for each in messages]
    await tx.run(SQL.leave_muids, ids=ids)
    await tx.run(SQL.delete_messages_without_muid, ids=ids)
    await _delete_tags(tx, messages)


async def _delete_tags(tx: Transaction, messages: Sequence[Erasable | Message]) -> None:
    await tx.run_many(SQL.delete_tag, list(_tag_rows(messages)))


def _tag_rows(messages: Sequence[Erasable | Message]) -> Iterator[dict[str, Any]]:
    for each in messages:
        if each.tags != "[]":
            for tag in _decode_tags(each.tags):
                yield {"tag": tag, "conversation": each.conversation, "message": each.id}

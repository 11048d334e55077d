"""The tables `messages` and `message_tags`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec

from hubbub.domain.messages.model import Message
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import Where, load_queries

SQL = load_queries(__package__)

_decode_tags = msgspec.json.Decoder(list[str]).decode

SenderMuid = tuple[str, str]


async def find_message(snapshot: Snapshot, message_id: int) -> Message | None:
    """The message of that id; one that was deleted for good is not found."""
    row = await snapshot.fetch_one(SQL.find_message, id=message_id)
    message = Message(*row) if row else None
    return None if message is None or message.is_erased else message


async def find_by_muid(
    snapshot: Snapshot, pairs: Iterable[SenderMuid]
) -> dict[SenderMuid, Message]:
    """The messages with those muids, the tombstones of deleted ones among them."""
    asked = [{"sender": sender, "muid": muid} for sender, muid in dict.fromkeys(pairs)]
    rows = await snapshot.fetch_many(SQL.find_by_muid, asked)
    found = [Message(*row) for row in rows]
    return {(message.sender, message.muid or ""): message for message in found}


async def free_muids(tx: Transaction, message_ids: Sequence[int]) -> None:
    """Take messages their muids, which may then be used again."""
    await tx.run(SQL.free_muids, ids=list(message_ids))


async def insert_messages(tx: Transaction, messages: Sequence[Message]) -> None:
    """Store new messages and what their tags are found by."""
    await tx.run_many(
        SQL.insert_message,
        [
            {
                "id": each.id,
                "conversation": each.conversation,
                "muid": each.muid,
                "sender": each.sender,
                "receiver_type": each.receiver_type,
                "receiver": each.receiver,
                "category": each.category,
                "type": each.type,
                "data": each.data,
                "tags": each.tags,
                "options": each.options,
                "sent_at": each.sent_at,
                "updated_at": each.updated_at,
                "delivered_at": each.delivered_at,
                "read_at": each.read_at,
                "counts": each.counts,
                "shows": each.shows,
                "ordinal": each.ordinal,
            }
            for each in messages
        ],
    )
    tagged = [
        {"tag": tag, "conversation": each.conversation, "message": each.id}
        for each in messages
        if each.tags != "[]"
        for tag in each.tag_list
    ]
    await tx.run_many(SQL.insert_tag, tagged)


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the history: a message's time and id, or a time alone."""

    sent_at: int
    id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageFilter:
    """Which messages a list holds; None and empty ask for nothing."""

    conversation: int | None = None
    conversations: Sequence[int] | None = None
    viewer: str | None = None
    """Only conversations that this user takes part in, as far as his history goes back."""
    after_id: int = 0
    receiver_type: str | None = None
    sender: str | None = None
    categories: Sequence[str] = ()
    types: Sequence[str] = ()
    message_types: Sequence[str] = ()
    """Of the category `message` only these types; other categories are not concerned."""
    tags: Sequence[str] = ()
    from_timestamp: int | None = None
    to_timestamp: int | None = None
    hide_replies: bool = False
    hide_deleted: bool = False
    only_deleted: bool = False


async def list_messages(
    snapshot: Snapshot, wanted: MessageFilter, place: Place | None, *, is_before: bool, limit: int
) -> list[Message]:
    """Messages beyond or before a place (from either end without one), always ascending."""
    where = _where(wanted)
    if place is not None:
        _add_place(where, place, is_before=is_before)
    query = SQL.list_before if is_before else SQL.list_after
    rows = await snapshot.fetch(where.narrow(query), limit=limit, **where.args)
    messages = [Message(*row) for row in rows]
    return messages[::-1] if is_before else messages


def _add_place(where: Where, place: Place, *, is_before: bool) -> None:
    if place.id is None:
        if is_before:
            where.add("m.sent_at < :place_at", place_at=place.sent_at)
        else:
            where.add("m.sent_at > :place_at", place_at=place.sent_at)
        return
    args = {"place_at": place.sent_at, "place_id": place.id}
    if is_before:
        where.add("(m.sent_at, m.id) < (:place_at, :place_id)", **args)
    else:
        where.add("(m.sent_at, m.id) > (:place_at, :place_id)", **args)


def _where(wanted: MessageFilter) -> Where:
    where = Where()
    _add_scope(where, wanted)
    if wanted.receiver_type:
        where.add("m.receiver_type = :receiver_type", receiver_type=wanted.receiver_type)
    if wanted.sender:
        where.add("m.sender = :sender", sender=wanted.sender)
    if wanted.categories:
        where.add("m.category = ANY(:categories)", categories=list(wanted.categories))
    if wanted.types:
        where.add("m.type = ANY(:types)", types=list(wanted.types))
    if wanted.message_types:
        where.add(
            "(m.category <> 'message' OR m.type = ANY(:message_types))",
            message_types=list(wanted.message_types),
        )
    if wanted.tags:
        _add_tags(where, wanted)
    if wanted.from_timestamp is not None:
        where.add("m.sent_at >= :from_at", from_at=wanted.from_timestamp)
        if wanted.to_timestamp is not None:
            where.add("m.sent_at <= :to_at", to_at=wanted.to_timestamp)
    if wanted.hide_replies:
        where.add("m.parent_id IS NULL")
    if wanted.only_deleted:
        where.add("m.deleted_at IS NOT NULL")
    elif wanted.hide_deleted:
        where.add("m.deleted_at IS NULL")
    return where


def _add_scope(where: Where, wanted: MessageFilter) -> None:
    if wanted.conversation is not None:
        where.add("m.conversation = :conversation", conversation=wanted.conversation)
    if wanted.conversations is not None:
        where.add("m.conversation = ANY(:conversations)", conversations=list(wanted.conversations))
    if wanted.after_id:
        # The plus keeps the planners from going by the id, through everybody's messages.
        where.add("+m.id > :after_id", after_id=wanted.after_id)
    if wanted.viewer is not None:
        where.add(
            "EXISTS (SELECT 1 FROM participants p WHERE p.app_id = :app_id"
            " AND p.conversation = m.conversation AND p.uid = :viewer AND m.id > p.hidden_id)",
            viewer=wanted.viewer,
        )
    if wanted.conversation is None and wanted.conversations is None:
        where.add(
            "EXISTS (SELECT 1 FROM conversations c WHERE c.app_id = :app_id"
            " AND c.number = m.conversation)"
        )


def _add_tags(where: Where, wanted: MessageFilter) -> None:
    if wanted.conversation is None:
        where.add(
            "m.id IN (SELECT t.message FROM message_tags t"
            " WHERE t.app_id = :app_id AND t.tag = ANY(:tags))",
            tags=list(wanted.tags),
        )
        return
    where.add(
        "m.id IN (SELECT t.message FROM message_tags t WHERE t.app_id = :app_id"
        " AND t.tag = ANY(:tags) AND t.conversation = :conversation)",
        tags=list(wanted.tags),
    )


@dataclass(frozen=True, slots=True)
class Erasable:
    """A message that goes for good, with what it is found by; `tags` is JSON text."""

    id: int
    conversation: int
    tags: str


async def list_of_sender_to_groups(
    snapshot: Snapshot, sender: str, *, upto: int, limit: int
) -> list[Erasable]:
    """A sender's messages to groups, up to a message id, oldest first."""
    rows = await snapshot.fetch(SQL.list_of_sender_to_groups, sender=sender, upto=upto, limit=limit)
    return [Erasable(*row) for row in rows]


async def list_of_conversation(
    snapshot: Snapshot, conversation: int, *, upto: int, limit: int
) -> list[Erasable]:
    """A conversation's messages, up to a message id, oldest first."""
    rows = await snapshot.fetch(
        SQL.list_of_conversation, conversation=conversation, upto=upto, limit=limit
    )
    return [Erasable(*row) for row in rows]


async def delete_messages(tx: Transaction, messages: Sequence[Erasable]) -> None:
    """Remove messages for good, without a tombstone."""
    await tx.run(SQL.delete_messages, ids=[each.id for each in messages])
    tagged = [
        {"tag": tag, "conversation": each.conversation, "id": each.id}
        for each in messages
        if each.tags != "[]"
        for tag in _decode_tags(each.tags)
    ]
    await tx.run_many(SQL.delete_tag, tagged)

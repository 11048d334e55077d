"""The tables `messages` and `message_tags`."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import LiteralString

import msgspec

from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.conversations.model import Conversation
from hubbub.records.messages.model import Message
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import Query, Where, load_queries

SQL = load_queries(__package__)

_decode_tags = msgspec.json.Decoder(list[str]).decode

SenderMuid = tuple[str, str]
LATEST = 2**62
"""A time that no message has reached."""


async def find_message(snapshot: Snapshot, message_id: int) -> Message | None:
    """The message of that id; one that was deleted for good, or its sender, is not found."""
    row = await snapshot.fetch_one(SQL.find_message, id=message_id)
    message = Message(*row) if row else None
    return None if message is None or message.is_erased else message


async def find_messages(snapshot: Snapshot, message_ids: Sequence[int]) -> dict[int, Message]:
    """The messages of those ids, by id; those deleted for good, or their senders, are not found."""
    found = await find_messages_and_tombstones(snapshot, message_ids)
    return {id_: message for id_, message in found.items() if not message.is_erased}


async def find_messages_and_tombstones(
    snapshot: Snapshot, message_ids: Sequence[int]
) -> dict[int, Message]:
    """The messages of those ids, by id, and what is left of those that were deleted for good."""
    return await _find(snapshot, SQL.find_messages, message_ids)


async def find_stored(snapshot: Snapshot, message_ids: Sequence[int]) -> dict[int, Message]:
    """The same, also of senders who are just being erased: for those who erase."""
    return await _find(snapshot, SQL.find_stored, message_ids)


async def _find(snapshot: Snapshot, query: Query, message_ids: Sequence[int]) -> dict[int, Message]:
    if not message_ids:
        return {}
    rows = await snapshot.fetch(query, ids=list(dict.fromkeys(message_ids)))
    found = [Message(*row) for row in rows]
    return {message.id: message for message in found}


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
                "parent_id": each.parent_id,
                "quoted_id": each.quoted_id,
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
                "traits": each.traits,
            }
            for each in messages
        ],
    )
    await _insert_tags(tx, messages)


async def _insert_tags(tx: Transaction, messages: Sequence[Message]) -> None:
    tagged = [
        {"tag": tag, "conversation": each.conversation, "message": each.id}
        for each in messages
        if each.tags != "[]"
        for tag in each.tag_list
    ]
    await tx.run_many(SQL.insert_tag, tagged)


async def update_message(tx: Transaction, before: Message, after: Message, number: int) -> None:
    """Store what was edited of a message, by whom, and when; `number` is that of the event."""
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
        await _insert_tags(tx, [after])


async def set_deleted(tx: Transaction, message_id: int, *, by: str, at: int, number: int) -> None:
    """Note that a message, or its tombstone, was deleted; `number` is that of the event."""
    await tx.run(SQL.set_deleted, id=message_id, by=by, at=at, number=number)


async def erase_content(tx: Transaction, messages: Sequence[Message]) -> None:
    """Leave of messages only what counts and receipts are told by: their tombstones."""
    await tx.run(SQL.erase_content, ids=[each.id for each in messages])
    await _delete_tags(tx, messages)


async def add_trait(tx: Transaction, message_ids: Collection[int], trait: int) -> None:
    """Note that messages have something."""
    if message_ids:
        await tx.run(SQL.add_trait, ids=list(message_ids), trait=trait)


async def remove_trait(tx: Transaction, message_ids: Collection[int], trait: int) -> None:
    """Note that messages have something no more."""
    if message_ids:
        await tx.run(SQL.keep_traits, ids=list(message_ids), kept=~trait)


async def find_newest_shown(snapshot: Snapshot, conversation: Conversation) -> Message | None:
    """The newest message that may be the lastMessage, of those up to the time of the one shown."""
    row = await snapshot.fetch_one(
        SQL.find_newest_shown,
        conversation=conversation.number,
        upto=conversation.shown_at,
        after_id=conversation.erased_upto,
    )
    return Message(*row) if row else None


@dataclass(frozen=True, slots=True)
class MessagePosition:
    """Where a message stands: its conversation, its time, and how many counted up to it."""

    id: int
    conversation: int
    sent_at: int
    ordinal: int


async def find_message_positions(
    snapshot: Snapshot, message_ids: Sequence[int]
) -> dict[int, MessagePosition]:
    """Where messages stand, those among them that were deleted for good."""
    if not message_ids:
        return {}
    rows = await snapshot.fetch(SQL.find_message_positions, ids=list(message_ids))
    return {row[0]: MessagePosition(*row) for row in rows}


async def count_own_beyond(
    snapshot: Snapshot,
    conversation: Conversation,
    uid: str,
    after_id: int,
    spot: MessagePosition | None,
) -> int:
    """How many counting messages of a sender have a higher id than `after_id`, whose spot may help.

    So only what stands beyond the spot is looked at, unless an import came later.
    """
    row = await snapshot.fetch_one(
        SQL.count_own_beyond,
        conversation=conversation.number,
        sender=uid,
        after_id=after_id,
        from_at=_from_where(conversation, after_id, spot),
    )
    return int(row[0]) if row else 0


async def count_of_others_between(
    snapshot: Snapshot,
    conversation: Conversation,
    uid: str,
    ids: tuple[int, int],
    spots: tuple[MessagePosition | None, MessagePosition | None],
    *,
    limit: int,
) -> int:
    """How many counting messages of others are there after one id up to another, up to `limit`.

    The spots of these may help, as in `count_own_beyond`.
    """
    (after_id, upto_id), (after, upto) = ids, spots
    is_in_order = upto is not None and after_id >= conversation.imported_id
    row = await snapshot.fetch_one(
        SQL.count_of_others_between,
        conversation=conversation.number,
        uid=uid,
        after_id=after_id,
        upto_id=upto_id,
        from_at=_from_where(conversation, after_id, after),
        upto_at=upto.sent_at if upto is not None and is_in_order else LATEST,
        limit=limit,
    )
    return int(row[0]) if row else 0


def _from_where(conversation: Conversation, after_id: int, spot: MessagePosition | None) -> int:
    """The time before which nothing has a higher id than `after_id`, whose spot it is.

    Live messages stand in the order of their ids; an import that came later may stand anywhere.
    """
    if spot is None or after_id < conversation.imported_id:
        return 0
    return spot.sent_at


async def find_newest_of_others(
    snapshot: Snapshot, conversation: int, uid: str, *, after_id: int
) -> MessagePosition | None:
    """Where the newest counting message stands that somebody else sent, of those that are there."""
    row = await snapshot.fetch_one(
        SQL.find_newest_of_others, conversation=conversation, uid=uid, after_id=after_id
    )
    return MessagePosition(*row) if row else None


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the history: a message's time and id, or a time alone."""

    sent_at: int
    id: int | None = None


_SCOPE = ("conversation", "viewer", "after_id", "receiver_type", "reader")
"""The fields of a filter that say where messages are, and for whom; not what they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageFilter:
    """Which messages a list holds; None and empty ask for nothing."""

    conversation: int | None = None
    conversations: Sequence[int] | None = None
    viewer: str | None = None
    """Only conversations that this user takes part in, as far as his history goes back."""
    after_id: int = 0
    parent: int | None = None
    """Only the replies in the thread of this message."""
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
    has_all: int = 0
    """All of these traits: see `traits.py`."""
    has_any: int = 0
    """Any of these traits."""
    mentioned: Sequence[str] = ()
    reader: str | None = None
    """Who reads, for what is meant relative to him below."""
    unread: bool = False
    undelivered: bool = False
    mentions_reader: bool = False
    hides_blocked: bool = False
    """Without what those sent whom he has blocked."""
    pinned: bool = False
    saved_by: str | None = None
    """Only what this user has saved."""
    search: str = ""
    """Only what holds this text: not asked of the store, but by `domain/search`."""
    among: Collection[int] | None = None
    """None but those of these ids; empty, there are none."""

    @property
    def is_of_all_unread(self) -> bool:
        """Whether nothing is asked of messages but that they are unread, wherever they are."""
        if self.from_timestamp is not None or not self.unread:
            return False
        asked = (each.name for each in fields(self) if getattr(self, each.name))
        return set(asked) <= {*_SCOPE, "unread", "to_timestamp"}

    @property
    def is_of_few(self) -> bool:
        """Whether it asks for few messages that are known, in histories of any length."""
        return self.pinned or self.saved_by is not None or self.among is not None


async def list_messages(
    snapshot: Snapshot,
    wanted: MessageFilter,
    place: Place | None,
    *,
    is_before: bool,
    limit: int,
    offset: int = 0,
) -> list[Message]:
    """Messages beyond or before a place (from either end without one), always ascending."""
    where = _where(wanted)
    if place is not None:
        _add_place(where, place, is_before=is_before)
    query = SQL.list_before if is_before else SQL.list_after
    order: LiteralString | None = None
    if wanted.is_of_few:
        # The pluses keep the planners from going through the history in its order.
        order = "+m.sent_at DESC, +m.id DESC" if is_before else "+m.sent_at, +m.id"
    narrowed = where.narrow(query, order=order)
    rows = await snapshot.fetch(narrowed, limit=limit, offset=offset, **where.args)
    messages = [Message(*row) for row in rows]
    return messages[::-1] if is_before else messages


MOST_COUNTS = 10_000
"""With so many others, by their ids, messages are counted at once."""

Count = tuple[str, str, int]
"""How many messages there are with somebody, or in a group: (kind, uid or guid, count)."""


async def count_messages(
    snapshot: Snapshot, wanted: MessageFilter, whose: str | None
) -> list[Count]:
    """How many messages there are, by whom `whose` speaks with; without one, by receiver.

    What is unread, and no more is asked of it, is told by how far the reader has come, as his
    conversations tell it. What was deleted for good while unread counts until it is read.
    """
    if wanted.unread and wanted.reader is not None:
        return await _count_unread(snapshot, wanted)
    if wanted.viewer is not None and wanted.conversation is None:
        where, query = _where(replace(wanted, viewer=None)), SQL.count_of_viewer
        where.args["viewer"] = wanted.viewer
    else:
        where, query = _where(wanted), SQL.count_by_other
        where.args["whose"] = whose or ""
    if wanted.conversation is not None:
        where.add("c.number = :conversation")
    elif wanted.conversations is not None:
        where.add("c.number = ANY(:conversations)")
    rows = await snapshot.fetch(where.narrow(query), limit=MOST_COUNTS, **where.args)
    return [(row[0], row[1], row[2]) for row in rows]


async def _count_unread(snapshot: Snapshot, wanted: MessageFilter) -> list[Count]:
    where, query = Where(), SQL.count_kept_unread
    if wanted.is_of_all_unread:
        if wanted.conversation is not None:
            where.add("p.conversation = :conversation", conversation=wanted.conversation)
        if wanted.receiver_type is not None:
            where.add("c.kind = :receiver_type", receiver_type=wanted.receiver_type)
    else:
        # The participant that the query begins with says already what he sees and has not read.
        where, query = _where(replace(wanted, viewer=None, unread=False)), SQL.count_unread
    args = {**where.args, "reader": wanted.reader, "limit": MOST_COUNTS}
    rows = await snapshot.fetch(where.narrow(query), **args)
    return [(row[0], row[1], row[2]) for row in rows]


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
    _add_there(where)
    if wanted.among is not None:
        where.add("m.id = ANY(:among)", among=list(wanted.among))
    if wanted.parent is not None:
        where.add("m.parent_id = :parent", parent=wanted.parent)
    if wanted.receiver_type:
        where.add("m.receiver_type = :receiver_type", receiver_type=wanted.receiver_type)
    if wanted.sender:
        where.add("m.sender = :sender", sender=wanted.sender)
    if wanted.categories:
        where.add("m.category = ANY(:categories)", categories=list(wanted.categories))
    if wanted.types:
        where.add("m.type = ANY(:types)", types=list(wanted.types))
    _add_traits(where, wanted)
    if wanted.reader is not None:
        _add_reader(where, wanted, wanted.reader)
    if wanted.message_types:
        where.add(
            "(m.category <> 'message' OR m.type = ANY(:message_types))",
            message_types=list(wanted.message_types),
        )
    if wanted.tags:
        _add_tags(where, wanted)
    if wanted.pinned:
        _add_pinned(where, wanted)
    if wanted.saved_by is not None:
        where.add(
            "m.id IN (SELECT s.message FROM saved_messages s"
            " WHERE s.app_id = :app_id AND s.uid = :saved_by AND s.number > ("
            "SELECT coalesce(max(e.upto_event), 0) FROM erasures e"
            " WHERE e.app_id = :app_id AND e.kind = 'sender' AND e.subject = :saved_by))",
            saved_by=wanted.saved_by,
        )
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
    if wanted.conversation is not None and wanted.is_of_few:
        # The plus keeps the planners from going through all of the conversation for them.
        where.add("+m.conversation = :conversation", conversation=wanted.conversation)
    elif wanted.conversation is not None:
        where.add("m.conversation = :conversation", conversation=wanted.conversation)
    if wanted.conversations is not None:
        where.add("m.conversation = ANY(:conversations)", conversations=list(wanted.conversations))
    if wanted.after_id:
        # The plus keeps the planners from going by the id, through everybody's messages.
        where.add("+m.id > :after_id", after_id=wanted.after_id)
    if wanted.among is not None:
        _add_seen_one_by_one(where, wanted)
        return
    if wanted.viewer is not None:
        where.add(
            "EXISTS (SELECT 1 FROM participants p WHERE p.app_id = :app_id"
            " AND p.conversation = m.conversation AND p.uid = :viewer AND m.id > p.hidden_id)",
            viewer=wanted.viewer,
        )
    if wanted.conversation is None:
        where.add(
            "EXISTS (SELECT 1 FROM conversations c WHERE c.app_id = :app_id"
            " AND c.number = m.conversation AND m.id > c.erased_upto)"
        )


def _add_there(where: Where) -> None:
    """Nothing of senders who are just being erased; mostly nobody is, which is asked but once."""
    where.add(
        "(NOT EXISTS (SELECT 1 FROM erasures w WHERE w.app_id = :app_id AND w.kind = 'sender')"
        " OR NOT EXISTS (SELECT 1 FROM erasures e WHERE e.app_id = :app_id AND e.kind = 'sender'"
        " AND e.subject = m.sender AND e.upto_message >= m.id))"
    )


def _add_seen_one_by_one(where: Where, wanted: MessageFilter) -> None:
    """The same of few messages: each is asked, and the planner makes no join of this."""
    if wanted.viewer is not None:
        where.add(
            "1 = (SELECT 1 FROM participants p WHERE p.app_id = :app_id"
            " AND p.conversation = m.conversation AND p.uid = :viewer AND m.id > p.hidden_id)",
            viewer=wanted.viewer,
        )
    if wanted.conversation is None:
        where.add(
            "1 = (SELECT 1 FROM conversations c WHERE c.app_id = :app_id"
            " AND c.number = m.conversation AND m.id > c.erased_upto)"
        )


def _add_traits(where: Where, wanted: MessageFilter) -> None:
    if wanted.has_all:
        where.add("(m.traits & :has_all) = :has_all", has_all=wanted.has_all)
    if wanted.has_any:
        where.add("(m.traits & :has_any) <> 0", has_any=wanted.has_any)
    if wanted.mentioned:
        where.add(
            "EXISTS (SELECT 1 FROM mentions n WHERE n.app_id = :app_id"
            " AND n.message = m.id AND n.uid = ANY(:mentioned) AND n.number > ("
            "SELECT coalesce(max(f.upto_event), -1) FROM erasures f"
            " WHERE f.app_id = :app_id AND f.kind = 'sender' AND f.subject = n.uid))",
            mentioned=list(wanted.mentioned),
        )


def _add_reader(where: Where, wanted: MessageFilter, reader: str) -> None:
    """What is meant relative to whoever reads."""
    if wanted.unread:
        where.add(
            "m.counts AND m.sender <> :reader AND EXISTS (SELECT 1 FROM participants r"
            " WHERE r.app_id = :app_id AND r.conversation = m.conversation"
            " AND r.uid = :reader AND m.id > r.read_id)",
            reader=reader,
        )
    if wanted.undelivered:
        where.add(
            "m.sender <> :reader AND EXISTS (SELECT 1 FROM participants d"
            " WHERE d.app_id = :app_id AND d.conversation = m.conversation"
            " AND d.uid = :reader AND m.id > d.delivered_reached)",
            reader=reader,
        )
    if wanted.mentions_reader:
        where.add(
            "EXISTS (SELECT 1 FROM mentions y WHERE y.app_id = :app_id AND y.message = m.id"
            " AND (y.uid = :reader OR y.uid = '@all') AND y.number > ("
            "SELECT coalesce(max(z.upto_event), -1) FROM erasures z"
            " WHERE z.app_id = :app_id AND z.kind = 'sender' AND z.subject = y.uid))",
            reader=reader,
        )
    if wanted.hides_blocked:
        where.add(
            "NOT EXISTS (SELECT 1 FROM blocks b WHERE b.app_id = :app_id"
            " AND b.uid = :reader AND b.blocked = m.sender)",
            reader=reader,
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


def _add_pinned(where: Where, wanted: MessageFilter) -> None:
    if wanted.conversation is not None:
        where.add(
            "m.id IN (SELECT pin.message FROM message_pins pin"
            " WHERE pin.app_id = :app_id AND pin.conversation = :conversation"
            " AND pin.number > ("
            "SELECT coalesce(max(d.upto_event), -1) FROM erasures d"
            " WHERE d.app_id = :app_id AND d.kind = 'sender' AND d.subject = pin.uid))"
        )
    elif wanted.viewer is not None:
        where.add(
            "m.id IN (SELECT pin.message FROM participants his"
            " JOIN message_pins pin"
            " ON pin.app_id = his.app_id AND pin.conversation = his.conversation"
            " WHERE his.app_id = :app_id AND his.uid = :viewer"
            " AND pin.number > ("
            "SELECT coalesce(max(d.upto_event), -1) FROM erasures d"
            " WHERE d.app_id = :app_id AND d.kind = 'sender' AND d.subject = pin.uid))"
        )
    else:
        where.add(
            "m.id IN (SELECT pin.message FROM message_pins pin WHERE pin.app_id = :app_id"
            " AND pin.number > ("
            "SELECT coalesce(max(d.upto_event), -1) FROM erasures d"
            " WHERE d.app_id = :app_id AND d.kind = 'sender' AND d.subject = pin.uid))"
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


async def list_of_sender_in(
    snapshot: Snapshot, conversation: int, sender: str, *, upto: int, limit: int
) -> list[Erasable]:
    """A sender's messages in a conversation that have their content, up to a message id."""
    rows = await snapshot.fetch(
        SQL.list_of_sender_in, conversation=conversation, sender=sender, upto=upto, limit=limit
    )
    return [Erasable(*row) for row in rows]


async def forget_editor(tx: Transaction, uid: str, *, upto: int, limit: int) -> int:
    """Let the app have edited up to `limit` of others' messages that somebody has, up to an event.

    How many there were.
    """
    rows = await tx.fetch(SQL.list_edited_by, uid=uid, upto=upto, limit=limit)
    return await tx.run(SQL.set_edited_by, by=SYSTEM_UID, ids=[row[0] for row in rows])


async def forget_deleter(tx: Transaction, uid: str, *, upto: int, limit: int) -> int:
    """The same of others' messages, and of their tombstones, that he has deleted."""
    rows = await tx.fetch(SQL.list_deleted_by, uid=uid, upto=upto, limit=limit)
    return await tx.run(SQL.set_deleted_by, by=SYSTEM_UID, ids=[row[0] for row in rows])


async def delete_messages(tx: Transaction, messages: Sequence[Erasable]) -> None:
    """Remove messages for good, without a tombstone."""
    await tx.run(SQL.delete_messages, ids=[each.id for each in messages])
    await _delete_tags(tx, messages)


async def delete_all_but_muids(tx: Transaction, messages: Sequence[Erasable]) -> None:
    """Remove messages for good, but for what tells that their muids were used."""
    ids = [each.id for each in messages]
    await tx.run(SQL.leave_muids, ids=ids)
    await tx.run(SQL.delete_messages_without_muid, ids=ids)
    await _delete_tags(tx, messages)


async def _delete_tags(tx: Transaction, messages: Sequence[Erasable | Message]) -> None:
    tagged = [
        {"tag": tag, "conversation": each.conversation, "id": each.id}
        for each in messages
        if each.tags != "[]"
        for tag in _decode_tags(each.tags)
    ]
    await tx.run_many(SQL.delete_tag, tagged)

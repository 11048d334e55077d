"""Lists of messages: the filter, its conditions in SQL, and a slice of the rows."""

from collections.abc import Collection, Sequence
from typing import LiteralString

import msgspec

from hubbub.records.messages.model import Message
from hubbub.records.messages.store import SQL
from hubbub.storage.interface import Snapshot
from hubbub.storage.queries import Where
from hubbub.storage.together import Asked

FEW = 100
"""A list of so many messages is read at once."""
_SCOPE = ("conversation", "viewer", "after_id", "receiver_type", "reader")
"""The fields of a filter that restrict where messages are, and the reader; not their properties."""


class MessageCursor(msgspec.Struct, frozen=True):
    """A position in a history: a message's time and id, or a time alone."""

    sent_at: int
    id: int | None = None


BEYOND = 2**53
"""A time after all others."""


class MessageFilter(msgspec.Struct, frozen=True, kw_only=True):
    """The conditions of a list of messages; None and empty mean no condition."""

    conversation: int | None = None
    conversations: Sequence[int] | None = None
    viewer: str | None = None
    """Only conversations of this participant, as far back as their history goes."""
    after_id: int | None = None
    parent: int | None = None
    """Only replies to this message."""
    receiver_type: str | None = None
    sender: str | None = None
    categories: Sequence[str] = ()
    types: Sequence[str] = ()
    message_types: Sequence[str] = ()
    """Only these types of the category `message`; other categories are not affected."""
    tags: Sequence[str] = ()
    from_timestamp: int | None = None
    to_timestamp: int | None = None
    hide_replies: bool = False
    hide_deleted: bool = False
    only_deleted: bool = False
    has_all: int = 0
    """All of these bits of `traits.py`."""
    has_any: int = 0
    """Any of these bits."""
    mentioned: Sequence[str] = ()
    reader: str | None = None
    """The user that the following fields relate to."""
    unread: bool = False
    undelivered: bool = False
    mentions_reader: bool = False
    hides_blocked: bool = False
    """Without messages of senders that the reader has blocked."""
    pinned: bool = False
    saved_by: str | None = None
    """Only messages that this user has saved."""
    search: str = ""
    """Only messages with this text: a condition for `domain/search`, not for the store."""
    among: Collection[int] | None = None
    """Only messages with these ids; empty means none."""

    @property
    def is_of_all_unread(self) -> bool:
        """True if being unread is the only condition, apart from where the messages are."""
        if self.from_timestamp is not None or not self.unread:
            return False
        asked = (name for name in self.__struct_fields__ if getattr(self, name))
        return set(asked) <= {*_SCOPE, "unread", "to_timestamp"}

    @property
    def is_of_few(self) -> bool:
        """True if it selects few messages by their ids, however long the history is."""
        return self.pinned or self.saved_by is not None or self.among is not None


async def list_messages(
    snapshot: Snapshot,
    wanted: MessageFilter,
    cursor: MessageCursor | None,
    *,
    is_before: bool,
    limit: int,
    offset: int = 0,
) -> list[Message]:
    """Return messages after a cursor, or before it, always ascending.

    Without a cursor they begin at the first message, or end at the last one.
    """
    asked = ask_messages(wanted, cursor, is_before=is_before, limit=limit, offset=offset)
    rows = await snapshot.fetch(asked.query, **asked.args)
    messages = [Message(*row) for row in rows]
    if len(rows) > FEW:
        await snapshot.give_way()
    return messages[::-1] if is_before else messages


def ask_messages(
    wanted: MessageFilter,
    cursor: MessageCursor | None,
    *,
    is_before: bool,
    limit: int,
    offset: int = 0,
) -> Asked:
    """Return what `list_messages` asks; its first rows are those next to the cursor."""
    where = where_of(wanted)
    if cursor is not None and cursor.id is not None:
        where.add_keyset("m.sent_at, m.id", cursor.sent_at, cursor.id, is_before=is_before)
    elif cursor is not None:
        where.add_keyset("m.sent_at", cursor.sent_at, is_before=is_before)
    query = SQL.list_before if is_before else SQL.list_after
    order: LiteralString | None = None
    if wanted.is_of_few:
        # The pluses keep the planners from scanning the history in its order.
        order = "+m.sent_at DESC, +m.id DESC" if is_before else "+m.sent_at, +m.id"
    narrowed = where.narrow(query, order=order)
    return Asked(narrowed, {"limit": limit, "offset": offset, **where.args})


async def find_time_behind(
    snapshot: Snapshot, cursor: MessageCursor | None, *, count: int
) -> int | None:
    """Return when the message was sent that so many of the app come after, up to a cursor.

    None if there are not so many.
    """
    sent_at, id_ = (cursor.sent_at, cursor.id or 0) if cursor is not None else (BEYOND, 0)
    row = await snapshot.fetch_one(SQL.find_time_behind, sent_at=sent_at, id=id_, count=count)
    return row[0] if row else None


def where_of(wanted: MessageFilter) -> Where:
    """Return the conditions of a filter."""
    where = Where()
    _add_scope(where, wanted)
    where.add("{is_visible(m)}")
    _add_kinds(where, wanted)
    _add_traits(where, wanted)
    if wanted.reader is not None:
        _add_reader(where, wanted, wanted.reader)
    if wanted.tags:
        _add_tags(where, wanted)
    if wanted.pinned:
        _add_pinned(where, wanted)
    if wanted.saved_by is not None:
        where.add(
            "m.id IN (SELECT s.message FROM saved_messages s WHERE s.app_id = :app_id"
            " AND s.uid = :saved_by AND {is_after_erasure(s.number, :saved_by)})",
            saved_by=wanted.saved_by,
        )
    _add_times(where, wanted)
    return where


def _add_scope(where: Where, wanted: MessageFilter) -> None:
    if wanted.conversation is not None and wanted.is_of_few:
        # The plus keeps the planners from scanning the whole conversation.
        where.add("+m.conversation = :conversation", conversation=wanted.conversation)
    elif wanted.conversation is not None:
        where.add("m.conversation = :conversation", conversation=wanted.conversation)
    if wanted.conversations is not None:
        where.add("m.conversation = ANY(:conversations)", conversations=list(wanted.conversations))
    if wanted.after_id is not None:
        # The plus keeps the planners from scanning by id, through all conversations.
        where.add("+m.id > :after_id", after_id=wanted.after_id)
    if wanted.among is not None:
        where.add("m.id = ANY(:among)", among=list(wanted.among))
        _add_access_to_each(where, wanted)
    else:
        _add_access(where, wanted)


def _add_access(where: Where, wanted: MessageFilter) -> None:
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


def _add_access_to_each(where: Where, wanted: MessageFilter) -> None:
    """Add the conditions of `_add_access` in a form of which the planner makes no join."""
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


def _add_kinds(where: Where, wanted: MessageFilter) -> None:
    if wanted.parent is not None:
        where.add("m.parent_id = :parent", parent=wanted.parent)
    if wanted.hide_replies:
        where.add("m.parent_id IS NULL")
    if wanted.only_deleted:
        where.add("m.deleted_at IS NOT NULL")
    elif wanted.hide_deleted:
        where.add("m.deleted_at IS NULL")
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


def _add_traits(where: Where, wanted: MessageFilter) -> None:
    if wanted.has_all:
        where.add("(m.traits & :has_all) = :has_all", has_all=wanted.has_all)
    if wanted.has_any:
        where.add("(m.traits & :has_any) <> 0", has_any=wanted.has_any)
    if wanted.mentioned:
        where.add(
            "EXISTS (SELECT 1 FROM mentions n WHERE n.app_id = :app_id AND n.message = m.id"
            " AND n.uid = ANY(:mentioned) AND {is_after_erasure(n.number, n.uid)})",
            mentioned=list(wanted.mentioned),
        )


def _add_reader(where: Where, wanted: MessageFilter, reader: str) -> None:
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
            " AND (y.uid = :reader OR y.uid = '@all') AND {is_after_erasure(y.number, y.uid)})",
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
            "m.id IN (SELECT pin.message FROM message_pins pin WHERE pin.app_id = :app_id"
            " AND pin.conversation = :conversation AND {is_after_erasure(pin.number, pin.uid)})"
        )
    elif wanted.viewer is not None:
        where.add(
            "m.id IN (SELECT pin.message FROM participants own JOIN message_pins pin"
            " ON pin.app_id = own.app_id AND pin.conversation = own.conversation"
            " WHERE own.app_id = :app_id AND own.uid = :viewer"
            " AND {is_after_erasure(pin.number, pin.uid)})"
        )
    else:
        where.add(
            "m.id IN (SELECT pin.message FROM message_pins pin WHERE pin.app_id = :app_id"
            " AND {is_after_erasure(pin.number, pin.uid)})"
        )


def _add_times(where: Where, wanted: MessageFilter) -> None:
    if wanted.from_timestamp is not None:
        where.add("m.sent_at >= :from_at", from_at=wanted.from_timestamp)
        if wanted.to_timestamp is not None:
            where.add("m.sent_at <= :to_at", to_at=wanted.to_timestamp)

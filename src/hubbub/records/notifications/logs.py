"""The table `notification_logs`: what was decided and sent, for each person, channel and device."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from types import MappingProxyType
from typing import Any, LiteralString

import msgspec

from hubbub.kernel.ids import Ids
from hubbub.kernel.pages import Slice, SliceRequest, read_slice
from hubbub.records.notifications.model import Reason
from hubbub.records.notifications.store import SQL
from hubbub.storage.interface import Row, Snapshot, Transaction
from hubbub.storage.queries import Where

TIME_DIGITS = 12
RANDOM_DIGITS = 8
CLOCK_MARGIN_MS = 60_000
WEB_PUSH = "web_push"
"""The platform of browsers."""

_encode = msgspec.json.Encoder().encode


class NotificationEntry(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One notification to one person: what was decided, and what became of it. No secrets.

    Times are milliseconds since 1970. What is about a message that is edited, deleted or reacted to
    has the id, the time, the category and the type of that message.
    """

    uid: str
    """Whom it was for."""
    channel: str
    """`push`, `email` or `sms`."""
    trigger: str
    """Such as `after_message`."""
    started_at_ms: int
    ended_at_ms: int
    is_triggered: bool
    """Whether a provider was asked to send it."""
    reason: Reason | None = None
    """Why not."""
    is_success: bool | None = None
    """Whether the provider accepted it, if it was asked."""
    error: str | None = None
    """What the provider said if it did not."""
    next_attempt_ms: int | None = None
    """When the provider is asked again, of one that waits: its outcome takes the entry's place."""
    provider: str | None = None
    """`fcm`, `apns`, `webpush`, `sendgrid`, `smtp`, `twilio` or `custom`."""
    provider_id: str | None = None
    message_id: int | None = None
    message_sent_at_ms: int | None = None
    message_category: str | None = None
    message_type: str | None = None
    sender: str | None = None
    receiver: str | None = None
    receiver_type: str | None = None
    """`user` or `group`."""
    reaction_id: int | None = None
    reaction_sender: str | None = None
    reaction_receiver: str | None = None
    token_type: str | None = None
    """The platform of the token, such as `fcm_android`."""
    push_token: str | None = None
    """As `shown_token` returns it."""
    payload: Any = None
    """What was sent, as the provider renders it for logs."""

    def not_before(self, at_ms: int) -> "NotificationEntry":
        """Return the entry of one that waits, with no attempt before a time."""
        next_attempt = max(at_ms, self.next_attempt_ms or 0)
        return msgspec.structs.replace(self, next_attempt_ms=next_attempt)

    def row(self, id_: str) -> dict[str, Any]:
        """Return the parameters of its row: fields of the entry, its id, and the whole as JSON."""
        found = dict(zip(_COLUMNS, _columns_of(self), strict=True))
        return {**found, "id": id_, "entry": _encode(self).decode()}


_COLUMNS = tuple(
    name for name in SQL.insert_log.columns if name in NotificationEntry.__struct_fields__
)
_columns_of = attrgetter(*_COLUMNS)
_decode = msgspec.json.Decoder(NotificationEntry).decode


def shown_token(platform: str, token: str) -> str:
    """Return a token as the log has it: of the subscription of a browser only the endpoint."""
    if platform != WEB_PUSH:
        return token
    try:
        return _decode_subscription(token).endpoint
    except msgspec.DecodeError:
        return ""


class _Subscription(msgspec.Struct):
    endpoint: str = ""


_decode_subscription = msgspec.json.Decoder(_Subscription).decode


@dataclass(frozen=True, slots=True)
class Log:
    """An entry of the log, with its id."""

    id: str
    entry: NotificationEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFilter:
    """The conditions of a list of log entries; None is no condition. Both times are included.

    Where a field has the name of one of the entry, it is the value that is wanted there.
    """

    message_id: int | None = None
    reaction_id: int | None = None
    from_ms: int | None = None
    to_ms: int | None = None
    """Of the time at which the message was sent."""
    message_category: str | None = None
    message_type: str | None = None
    trigger: str | None = None
    sender: str | None = None
    receiver: str | None = None
    receiver_type: str | None = None
    reaction_sender: str | None = None
    reaction_receiver: str | None = None
    member: str | None = None
    """Whom it was for, of what is about a group."""
    channel: str | None = None
    provider: str | None = None
    is_triggered: bool | None = None
    reason: str | None = None
    is_success: bool | None = None

    def where(self) -> Where:
        """Return the conditions for queries that call the table `l`."""
        where = Where()
        where.add_given(
            self,
            message_id="l.message = :message_id",
            reaction_id="l.reaction = :reaction_id",
            from_ms="l.sent_at_ms >= :from_ms",
            to_ms="l.sent_at_ms <= :to_ms",
            message_category="l.category = :message_category",
            message_type="l.type = :message_type",
            trigger="l.trigger_id = :trigger",
            sender="l.sender = :sender",
            receiver="l.receiver = :receiver",
            receiver_type="l.receiver_type = :receiver_type",
            reaction_sender="l.reaction_sender = :reaction_sender",
            reaction_receiver="l.reaction_receiver = :reaction_receiver",
            member="l.uid = :member AND l.receiver_type = 'group'",
            channel="l.channel = :channel",
            provider="l.provider = :provider",
            is_triggered="l.is_triggered = :is_triggered",
            reason="l.reason = :reason",
            is_success="l.is_success = :is_success",
        )
        if self.from_ms is not None:
            # Nothing is logged before its message is sent: older rows need not be read.
            earliest = _time_digits(self.from_ms - CLOCK_MARGIN_MS)
            where.add("l.id >= :earliest", earliest=earliest)
        return where


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorLogFilter(LogFilter):
    """The conditions of operators, who have two more than the interface."""

    uid: str | None = None
    """Whom it was for."""
    from_id: str | None = None
    """The oldest entry that is looked at."""

    def where(self) -> Where:
        """Return the conditions for queries that call the table `l`."""
        where = LogFilter.where(self)
        where.add_given(self, uid="l.uid = :uid", from_id="l.id >= :from_id")
        return where


NONE_WAIT: Mapping[str, NotificationEntry] = MappingProxyType({})


async def insert_logs(
    tx: Transaction,
    ids: Ids,
    entries: Sequence[NotificationEntry],
    waiting: Mapping[str, NotificationEntry] = NONE_WAIT,
) -> None:
    """Insert entries, which are listed by the time at which they ended, and some by their ids."""
    rows = [entry.row(id_) for id_, entry in zip(_make_ids(ids, entries), entries, strict=True)]
    rows += [entry.row(id_) for id_, entry in waiting.items()]
    if rows:
        await tx.run_many(SQL.insert_log, rows)


def _make_ids(ids: Ids, entries: Sequence[NotificationEntry]) -> Iterator[str]:
    """Yield ids of 24 hexadecimal digits: the time, digits of the batch, the place in the batch."""
    batch = ids.hexadecimal(RANDOM_DIGITS)
    for place, entry in enumerate(entries):
        yield f"{_time_digits(entry.ended_at_ms)}{batch}{place:04x}"


def make_log_id(at_ms: int, digits: str) -> str:
    """Return an id from a time and random hexadecimal digits."""
    return f"{_time_digits(at_ms)}{digits[:TIME_DIGITS]}"


def _time_digits(at_ms: int) -> str:
    return f"{max(at_ms, 0):0{TIME_DIGITS}x}"


async def list_logs(snapshot: Snapshot, wanted: LogFilter, page: SliceRequest[str]) -> Slice[Log]:
    """Return a slice of the log, in ascending order of ids; a cursor is the id of an entry."""

    async def fetch(page: SliceRequest[str]) -> list[Log]:
        return await _fetch_logs(snapshot, wanted, page)

    return await read_slice(page, fetch, lambda log: log.id)


async def find_log_behind(snapshot: Snapshot, before: str | None, count: int) -> str | None:
    """Return the id of the entry that so many come after; None if there are not so many."""
    where = Where()
    if before is not None:
        where.add("l.id < :before", before=before)
    row = await snapshot.fetch_one(where.narrow(SQL.find_log_behind), count=count, **where.args)
    return row[0] if row else None


async def _fetch_logs(snapshot: Snapshot, wanted: LogFilter, page: SliceRequest[str]) -> list[Log]:
    where = wanted.where()
    if page.cursor is not None and page.is_before:
        where.add("l.id < :cursor", cursor=page.cursor)
    elif page.cursor is not None:
        where.add("l.id > :cursor", cursor=page.cursor)
    query = where.narrow(SQL.list_logs, order=_order(wanted, page))
    rows = await snapshot.fetch(query, limit=page.limit, **where.args)
    found = [Log(id_, _decode(entry)) for id_, entry in rows]
    return found[::-1] if page.is_before else found


def _order(wanted: LogFilter, page: SliceRequest[str]) -> LiteralString:
    """Return the order of a query, for few rows as one that no index has.

    Otherwise SQLite scans the log in its order to find the rows of a message or a member, instead
    of sorting the few that an index finds.
    """
    if wanted.message_id is None and wanted.member is None:
        return "l.id DESC" if page.is_before else "l.id"
    return "l.id || '' DESC" if page.is_before else "l.id || ''"


async def has_old_logs(snapshot: Snapshot, *, before_ms: int) -> bool:
    """Return whether there are entries that ended earlier."""
    found = await snapshot.fetch_one(SQL.find_old_log, before=_time_digits(before_ms))
    return found is not None


async def delete_old_logs(tx: Transaction, *, before_ms: int, limit: int) -> int:
    """Delete up to `limit` entries that ended earlier; return their number."""
    return await tx.run(SQL.delete_old_logs, before=_time_digits(before_ms), limit=limit)


async def delete_waiting(tx: Transaction, log_ids: Collection[str]) -> None:
    """Delete the entries of what waited."""
    await tx.run(SQL.delete_logs, ids=list(log_ids))


async def delete_of_messages(tx: Transaction, message_ids: Collection[int]) -> None:
    """Delete the entries about messages."""
    await tx.run(SQL.delete_logs_of_messages, message_ids=list(message_ids))


async def delete_some_of_messages(
    tx: Transaction, message_ids: Collection[int], *, limit: int
) -> int:
    """Delete up to `limit` entries about messages; return their number."""
    if not message_ids:
        return 0
    return await _delete(
        tx, await tx.fetch(SQL.list_logs_of_messages, message_ids=list(message_ids), limit=limit)
    )


async def delete_of_reactor(tx: Transaction, uid: str, message_ids: Collection[int]) -> None:
    """Delete the entries about a user's reactions to messages."""
    if message_ids:
        await tx.run(SQL.delete_logs_of_reactor, uid=uid, message_ids=list(message_ids))


async def delete_logs_of_user(tx: Transaction, uid: str, *, upto: int, limit: int) -> int:
    """Delete up to `limit` entries of what was for a user, and about no message after `upto`."""
    return await _delete(tx, await tx.fetch(SQL.list_logs_of_user, uid=uid, upto=upto, limit=limit))


async def _delete(tx: Transaction, rows: Sequence[Row]) -> int:
    return await tx.run(SQL.delete_logs, ids=[row[0] for row in rows]) if rows else 0

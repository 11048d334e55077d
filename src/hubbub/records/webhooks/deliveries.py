"""Lists of the table `webhook_deliveries`, and the ids of deliveries."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from hubbub.kernel.pages import PageRequest
from hubbub.records.webhooks.model import Delivery, State
from hubbub.records.webhooks.store import SQL
from hubbub.storage.interface import Snapshot
from hubbub.storage.queries import Where

_ID = re.compile(r"[0-9]{1,18}-([0-9]{1,18})(?:-([1-9][0-9]?))?")

Position = tuple[int, int, int]
"""The time, the event and the part of a delivery: what lists are ordered by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryFilter:
    """The conditions of a list of deliveries; None is no condition. Both times are included."""

    state: State | None = None
    trigger_id: str | None = None
    from_time: int | None = None
    to_time: int | None = None

    def where(self) -> Where:
        """Return the conditions for queries that call the table `d`."""
        where = Where()
        if self.state == State.PENDING:  # spelled out: an index has only those of one state
            where.add("d.state = 'pending'")
        elif self.state == State.DELIVERED:
            where.add("d.state = 'delivered'")
        elif self.state == State.FAILED:
            where.add("d.state = 'failed'")
        if self.trigger_id is not None:
            where.add("d.trigger_id = :trigger_id", trigger_id=self.trigger_id)
        if self.from_time is not None:
            where.add("d.created_at >= :from_time", from_time=self.from_time)
        if self.to_time is not None:
            where.add("d.created_at <= :to_time", to_time=self.to_time)
        return where


async def list_deliveries(
    snapshot: Snapshot, webhook: int, wanted: DeliveryFilter, page: PageRequest
) -> tuple[list[Delivery], int]:
    """Return a page of a webhook's deliveries, newest first, and their total."""
    where = wanted.where()
    rows = await snapshot.fetch(
        where.narrow(SQL.list_deliveries),
        webhook=webhook,
        limit=page.per_page,
        offset=page.offset,
        **where.args,
    )
    counted = await snapshot.fetch_one(
        where.narrow(SQL.count_deliveries), webhook=webhook, **where.args
    )
    return [Delivery(*row) for row in rows], counted[0] if counted else 0


async def list_before(
    snapshot: Snapshot,
    webhook: int,
    wanted: DeliveryFilter,
    before: Position | None,
    *,
    limit: int,
    looked_through: int,
) -> tuple[list[Delivery], Position | None]:
    """Return deliveries before a position, newest first, and the position behind which to go on.

    If no index finds those that are wanted, so many are looked through at a time.
    """
    where, behind = wanted.where(), None
    if wanted.state in (State.PENDING, State.DELIVERED):
        behind = await _find_behind(snapshot, webhook, before, looked_through)
    if behind is not None:
        where.add("d.created_at >= :behind", behind=behind)
    if before is not None:
        where.add_keyset("d.created_at, d.event, d.part", *before, is_before=True)
    rows = await snapshot.fetch(
        where.narrow(SQL.list_deliveries), webhook=webhook, limit=limit + 1, offset=0, **where.args
    )
    found = [Delivery(*row) for row in rows[:limit]]
    if len(rows) > limit:
        return found, (found[-1].created_at, found[-1].event, found[-1].part)
    return found, (behind, -1, -1) if behind is not None else None


async def _find_behind(
    snapshot: Snapshot, webhook: int, before: Position | None, count: int
) -> int | None:
    """Return the time of the delivery that so many come after; None if there are not so many."""
    where = Where()
    if before is not None:
        where.add_keyset("d.created_at, d.event, d.part", *before, is_before=True)
    row = await snapshot.fetch_one(
        where.narrow(SQL.find_behind), webhook=webhook, count=count, **where.args
    )
    return row[0] if row else None


async def count_by_span(
    snapshot: Snapshot, webhook: int, first_at: int, *, spans: int, seconds: int, most: int
) -> dict[tuple[int, str], int]:
    """Return the numbers of a webhook's deliveries by span of so many seconds, and state.

    They are those of the first deliveries of each span, up to `most`.
    """
    rows = await snapshot.fetch(
        SQL.count_by_span, webhook=webhook, first=first_at, spans=spans, seconds=seconds, most=most
    )
    return {(int(span), state): count for span, state, count in rows}


async def list_to_replay(
    snapshot: Snapshot,
    webhook: int,
    wanted: DeliveryFilter,
    after: Position | None,
    *,
    limit: int,
) -> list[Delivery]:
    """Return deliveries after a position, oldest first, whose bodies are still stored."""
    where = wanted.where()
    if after is not None:
        where.add_keyset("d.created_at, d.event, d.part", *after, is_before=False)
    rows = await snapshot.fetch(
        where.narrow(SQL.list_to_replay), webhook=webhook, limit=limit, **where.args
    )
    return [Delivery(*row) for row in rows]


async def find_delivery(snapshot: Snapshot, webhook: int, event: int, part: int) -> Delivery | None:
    """Return the delivery of that part of an event to a webhook."""
    row = await snapshot.fetch_one(SQL.find_delivery, webhook=webhook, event=event, part=part)
    return Delivery(*row) if row is not None else None


async def find_next_attempts(
    snapshot: Snapshot, webhook: int, partitions: Collection[int]
) -> dict[int, int]:
    """Return when the first deliveries of partitions are due, in milliseconds, by partition."""
    if not partitions:
        return {}
    rows = await snapshot.fetch(SQL.list_partitions, webhook=webhook, partitions=list(partitions))
    return {row[0]: row[1] for row in rows}


async def has_body(snapshot: Snapshot, delivery: Delivery) -> bool:
    """Return whether what a delivery sends is still stored."""
    row = await snapshot.fetch_one(SQL.find_body, event=delivery.event, part=delivery.part)
    return row is not None


def parse_delivery_id(text: str) -> tuple[int, int] | None:
    """Return the event and the part in the id of a delivery; None if it can't be one."""
    match = _ID.fullmatch(text)
    return (int(match[1]), int(match[2] or 0)) if match is not None else None

"""The table `receipts`."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from hubbub.records.receipts.model import EVERYBODY, READ, GroupProgress, Receipt, all_but
from hubbub.storage.dialect import Of
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries
from hubbub.storage.together import Asked

SQL = load_queries(__package__, receipt_columns=Receipt)

HolderKey = tuple[int, str]
"""A conversation and a stored uid, whose receipts there are."""
SeriesKey = tuple[int, str, str]
"""The key of consecutive receipts: (conversation, stored uid, kind)."""


@dataclass(frozen=True, slots=True)
class ReceiptSeries:
    """Receipts of a user, or of a group, for one kind of mark, in the order of messages."""

    ends: list[int] = field(default_factory=list)
    """The last message that each receipt covers."""
    rows: list[tuple[int, int, int, str | None]] = field(default_factory=list)
    """The receipts, as (after_id, upto_id, at, alone)."""

    def add(self, row: tuple[int, int, int, str | None]) -> None:
        """Add a receipt, unless it is the latest one; it is behind the others."""
        if not self.ends or row[1] > self.ends[-1]:
            self.ends.append(row[1])
            self.rows.append(row)

    def times_of(self, ids: Sequence[int], sender: str | None = None) -> dict[int, int]:
        """Return the times of the messages that receipts cover, by id; `ids` ascend.

        Groups need the sender of the messages, too.
        """
        times: dict[int, int] = {}
        start = 0
        for after_id, upto_id, at, alone in self.rows:
            end = bisect_right(ids, upto_id, start)
            start = bisect_right(ids, after_id, start, end)
            if start < end and (alone is None or alone != sender):
                times |= dict.fromkeys(ids[start:end], at)
            start = end
        return times


async def insert_receipts(tx: Transaction, receipts: Sequence[Receipt]) -> None:
    """Store receipts; those that exist are left as they are."""
    await tx.run_many(SQL.insert_receipt, receipts)


async def find_series(
    snapshot: Snapshot, wanted: Mapping[HolderKey, Sequence[int]]
) -> dict[SeriesKey, ReceiptSeries]:
    """Return the receipts of both kinds that cover messages, whose ids `wanted` has by holder.

    Series without such receipts are left out. Messages of a page are close together, so there are
    few receipts from the first to the last one: one query for each holder. If there are more, the
    messages beyond them are looked up one by one.
    """
    found: dict[SeriesKey, ReceiptSeries] = {}
    await _add_covering(
        snapshot,
        [(key, min(ids), max(ids), len(ids)) for key, ids in wanted.items()],
        found,
    )
    beyond = [
        (key[:2], message, message, 1)
        for key, series in found.items()
        if len(series.ends) >= 2 * len(wanted[key[:2]])
        for message in sorted(set(wanted[key[:2]]))
        if message > series.ends[-1]
    ]
    await _add_covering(snapshot, beyond, found)
    return found


def ask_receipts(uid: str, *, conversation: Of, message: Of, last: Of, messages: Of) -> Asked:
    """Return what `find_series` asks for a holder, with the messages of an earlier query."""
    return Asked(
        SQL.list_covering,
        {
            "conversation": conversation,
            "uid": uid,
            "message": message,
            "last": last,
            "messages": messages,
        },
    )


async def _add_covering(
    snapshot: Snapshot,
    lookups: Sequence[tuple[HolderKey, int, int, int]],
    found: dict[SeriesKey, ReceiptSeries],
) -> None:
    """Add receipts to their series: of a holder, from one message to another, for so many."""
    rows = await snapshot.fetch_many(
        SQL.list_covering,
        [
            {"conversation": number, "uid": uid, "message": first, "last": last, "messages": count}
            for (number, uid), first, last, count in lookups
        ],
    )
    for conversation, uid, kind, *receipt in rows:
        key = conversation, uid, kind
        if key not in found:
            found[key] = ReceiptSeries()
        found[key].add(tuple(receipt))


async def list_behind(
    snapshot: Snapshot, conversations: Iterable[int], kind: str
) -> list[GroupProgress]:
    """Return the progress of the groups among `conversations` that need new receipts."""
    query = SQL.list_behind_reading if kind == READ else SQL.list_behind_receiving
    rows = await snapshot.fetch(
        query, conversations=list(conversations), everybody=EVERYBODY, all_but=all_but("")
    )
    return [GroupProgress(*row) for row in rows]

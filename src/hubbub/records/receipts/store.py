"""The table `receipts`."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hubbub.records.receipts.model import EVERYBODY, READ, GroupProgress, Receipt, all_but
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__, receipt_columns=Receipt)

SeriesKey = tuple[int, str, str]
"""The key of consecutive receipts: (conversation, stored uid, kind)."""


@dataclass(frozen=True, slots=True)
class ReceiptLookup:
    """A look-up of when a user, or a group, had a message."""

    conversation: int
    uid: str
    """As in `Receipt`."""
    kind: str
    message: int
    sender: str | None = None
    """The sender of the message, which is needed for receipts of a group."""

    @property
    def series(self) -> SeriesKey:
        """The key of the receipts that may have the time."""
        return self.conversation, self.uid, self.kind

    def is_answered_by(self, receipt: Receipt) -> bool:
        """Return whether a receipt of the series covers the message."""
        is_within = receipt.after_id < self.message <= receipt.upto_id
        return is_within and (receipt.alone is None or receipt.alone != self.sender)


async def insert_receipts(tx: Transaction, receipts: Sequence[Receipt]) -> None:
    """Store receipts; those that exist are left as they are."""
    await tx.run_many(SQL.insert_receipt, receipts)


async def find_times(
    snapshot: Snapshot, lookups: Iterable[ReceiptLookup]
) -> dict[ReceiptLookup, int]:
    """Return the times of the receipts that answer look-ups, by look-up."""
    series: dict[SeriesKey, list[ReceiptLookup]] = {}
    for each in dict.fromkeys(lookups):
        series.setdefault(each.series, []).append(each)
    times: dict[ReceiptLookup, int] = {}
    beyond = await _fetch_times(snapshot, list(series.values()), times)
    await _fetch_times(snapshot, [[each] for each in beyond], times)
    return times


async def _fetch_times(
    snapshot: Snapshot, groups: Sequence[Sequence[ReceiptLookup]], times: dict[ReceiptLookup, int]
) -> list[ReceiptLookup]:
    """Add the times for groups of look-ups, each of one series, to `times`.

    Messages of a page are close together, so the next few receipts from the first message on cover
    them: one query for each group. Returns the look-ups that these receipts did not reach.
    """
    limits = [2 * len(group) if len(group) > 1 else 1 for group in groups]
    found = await _list_covering(snapshot, groups, limits)
    beyond = []
    for group, limit in zip(groups, limits, strict=True):
        receipts = found.get(group[0].series, {})
        ends = sorted(receipts)
        for each in group:
            index = bisect_left(ends, each.message)
            if index < len(ends):
                receipt = receipts[ends[index]]
                if each.is_answered_by(receipt):
                    times[each] = receipt.at
            elif len(ends) == limit:
                beyond.append(each)
    return beyond


async def _list_covering(
    snapshot: Snapshot, groups: Sequence[Sequence[ReceiptLookup]], limits: Sequence[int]
) -> dict[SeriesKey, dict[int, Receipt]]:
    """Return the next receipts from the first message of each group on, by series and last id."""
    rows = await snapshot.fetch_many(
        SQL.list_covering,
        [
            {
                "conversation": group[0].conversation,
                "uid": group[0].uid,
                "kind": group[0].kind,
                "message": min(each.message for each in group),
                "limit": limit,
            }
            for group, limit in zip(groups, limits, strict=True)
        ],
    )
    found: dict[SeriesKey, dict[int, Receipt]] = {}
    for receipt in (Receipt(*row) for row in rows):
        series = (receipt.conversation, receipt.uid, receipt.kind)
        found.setdefault(series, {})[receipt.upto_id] = receipt
    return found


async def list_behind(
    snapshot: Snapshot, conversations: Iterable[int], kind: str
) -> list[GroupProgress]:
    """Return the progress of the groups among `conversations` that need new receipts."""
    query = SQL.list_behind_reading if kind == READ else SQL.list_behind_receiving
    rows = await snapshot.fetch(
        query, conversations=list(conversations), everybody=EVERYBODY, all_but=all_but("")
    )
    return [GroupProgress(*row) for row in rows]

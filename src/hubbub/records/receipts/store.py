"""The table `receipts`."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hubbub.records.receipts.model import EVERYBODY, READ, Behind, Receipt, all_but
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__, receipt_columns=Receipt)


Line = tuple[int, str, str]
"""The stretches of somebody's in a conversation: (conversation, uid, kind)."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Whether somebody had a message of a conversation."""

    conversation: int
    uid: str
    kind: str
    message: int
    sender: str | None = None
    """Who sent it, which matters when all are asked about."""

    @property
    def line(self) -> Line:
        """Where the stretch stands that tells it."""
        return self.conversation, self.uid, self.kind

    def is_told_by(self, receipt: Receipt) -> bool:
        """Whether a stretch says that it was."""
        is_within = receipt.after_id < self.message <= receipt.upto_id
        return is_within and (receipt.alone is None or receipt.alone != self.sender)


async def insert_receipts(tx: Transaction, receipts: Sequence[Receipt]) -> None:
    """Store stretches."""
    await tx.run_many(
        SQL.insert_receipt,
        [
            {
                "conversation": each.conversation,
                "uid": each.uid,
                "kind": each.kind,
                "after_id": each.after_id,
                "upto_id": each.upto_id,
                "at": each.at,
                "alone": each.alone,
            }
            for each in receipts
        ],
    )


async def find_times(snapshot: Snapshot, asked: Iterable[Asked]) -> dict[Asked, int]:
    """When each of those was, of those that were."""
    lines: dict[Line, list[Asked]] = {}
    for each in dict.fromkeys(asked):
        lines.setdefault(each.line, []).append(each)
    times: dict[Asked, int] = {}
    beyond = await _find_times(snapshot, list(lines.values()), times)
    await _find_times(snapshot, [[each] for each in beyond], times)
    return times


async def _find_times(
    snapshot: Snapshot, groups: Sequence[Sequence[Asked]], times: dict[Asked, int]
) -> list[Asked]:
    """Put the times of groups, each of one line, into `times`; what was not reached is left over.

    Messages of a page lie side by side, so what covers them are the next few stretches from the
    first of them on: one query for a group. Where they lie far apart some are left over.
    """
    most = [2 * len(group) if len(group) > 1 else 1 for group in groups]
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
            for group, limit in zip(groups, most, strict=True)
        ],
    )
    stretches: dict[Line, dict[int, Receipt]] = {}
    for row in rows:
        receipt = Receipt(*row)
        line = (receipt.conversation, receipt.uid, receipt.kind)
        stretches.setdefault(line, {})[receipt.upto_id] = receipt
    left = []
    for group, limit in zip(groups, most, strict=True):
        found = stretches.get(group[0].line, {})
        ends = sorted(found)
        for each in group:
            place = bisect_left(ends, each.message)
            if place < len(ends):
                receipt = found[ends[place]]
                if each.is_told_by(receipt):
                    times[each] = receipt.at
            elif len(ends) == limit:
                left.append(each)
    return left


async def list_behind(snapshot: Snapshot, conversations: Iterable[int], kind: str) -> list[Behind]:
    """Who is furthest behind in those groups where somebody's moving on, or going, may show."""
    query = SQL.list_behind_reading if kind == READ else SQL.list_behind_receiving
    rows = await snapshot.fetch(
        query, conversations=list(conversations), everybody=EVERYBODY, but=all_but("")
    )
    return [Behind(*row) for row in rows]

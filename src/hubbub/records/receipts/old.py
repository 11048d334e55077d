"""Old receipts, which are merged: a row for a day instead of one for each mark."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from hubbub.records.receipts.model import DAY, Receipt, excepted_uid
from hubbub.records.receipts.store import SQL
from hubbub.storage.interface import Snapshot, Transaction


@dataclass(frozen=True, slots=True)
class MergeProgress:
    """How far the merging of an app's receipts has come."""

    began_at: int = 0
    at_conversation: int = 0
    """The conversation at which it goes on; 0 if it has come to the end."""


@dataclass(frozen=True, slots=True)
class Merge:
    """Receipts of a day that become one: the last of them, from the first one's messages on."""

    first: Receipt
    last: Receipt


def plan_merges(
    receipts: Iterable[Receipt], *, before: int, with_gaps: Collection[int]
) -> list[Merge]:
    """Return which receipts, in the order of their key, become one.

    Those of a day are merged if they follow each other. `with_gaps` has the conversations in which
    those of all members but one are merged over a gap: receipts of all members cover it.
    """
    runs: list[Merge] = []
    for receipt in receipts:
        if runs and _continues(runs[-1].last, receipt, before, with_gaps):
            runs[-1] = replace(runs[-1], last=receipt)
        else:
            runs.append(Merge(receipt, receipt))
    return [run for run in runs if run.first is not run.last]


def _continues(last: Receipt, receipt: Receipt, before: int, with_gaps: Collection[int]) -> bool:
    if receipt.at >= before or receipt.at // DAY != last.at // DAY:
        return False
    if _series_of(receipt) != _series_of(last):
        return False
    if receipt.after_id == last.upto_id:
        return True
    return receipt.conversation in with_gaps and excepted_uid(receipt.uid) is not None


def _series_of(receipt: Receipt) -> tuple[int, str, str, str | None]:
    return receipt.conversation, receipt.uid, receipt.kind, receipt.alone


async def list_receipts_from(snapshot: Snapshot, receipt: Receipt, *, limit: int) -> list[Receipt]:
    """Return receipts in the order of their key, from that of a receipt on."""
    rows = await snapshot.fetch(
        SQL.list_receipts_from,
        conversation=receipt.conversation,
        uid=receipt.uid,
        kind=receipt.kind,
        upto_id=receipt.upto_id,
        limit=limit,
    )
    return [Receipt(*row) for row in rows]


async def store_merges(tx: Transaction, merges: Sequence[Merge]) -> None:
    """Merge receipts, except those that another node has changed meanwhile."""
    for merge in merges:
        last = merge.last
        key = {"conversation": last.conversation, "uid": last.uid, "kind": last.kind}
        key["upto_id"] = last.upto_id
        after = merge.first.after_id
        if await tx.run(SQL.widen_receipt, after_id=after, seen=last.after_id, **key):
            await tx.run(SQL.delete_merged_receipts, first=merge.first.upto_id, **key)


async def find_progress(snapshot: Snapshot) -> MergeProgress:
    """Return how far the merging of the app's receipts has come."""
    row = await snapshot.fetch_one(SQL.find_merge)
    return MergeProgress(*row) if row else MergeProgress()


async def store_progress(tx: Transaction, progress: MergeProgress) -> None:
    """Store how far the merging of the app's receipts has come."""
    await tx.run(
        SQL.store_merge, began_at=progress.began_at, at_conversation=progress.at_conversation
    )

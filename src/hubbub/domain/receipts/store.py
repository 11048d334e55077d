"""The table `receipts`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hubbub.domain.receipts.model import Receipt
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)


@dataclass(frozen=True, slots=True)
class Asked:
    """Whether somebody had a message of a conversation."""

    conversation: int
    uid: str
    kind: str
    message: int


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
            }
            for each in receipts
        ],
    )


async def find_times(snapshot: Snapshot, asked: Iterable[Asked]) -> dict[Asked, int]:
    """When each of those was, of those that were."""
    wanted = list(dict.fromkeys(asked))
    rows = await snapshot.fetch_many(
        SQL.find_covering,
        [
            {
                "conversation": each.conversation,
                "uid": each.uid,
                "kind": each.kind,
                "message": each.message,
            }
            for each in wanted
        ],
    )
    stretches: dict[tuple[int, str, str], list[Receipt]] = {}
    for row in rows:
        receipt = Receipt(*row)
        key = (receipt.conversation, receipt.uid, receipt.kind)
        stretches.setdefault(key, []).append(receipt)
    times = {}
    for each in wanted:
        for receipt in stretches.get((each.conversation, each.uid, each.kind), ()):
            if receipt.after_id < each.message <= receipt.upto_id:
                times[each] = receipt.at
                break
    return times


async def find_reach(snapshot: Snapshot, conversation: int, uid: str, kind: str) -> int:
    """How far somebody's receipts reach: a message id, 0 when there are none."""
    row = await snapshot.fetch_one(SQL.find_newest, conversation=conversation, uid=uid, kind=kind)
    return Receipt(*row).upto_id if row else 0

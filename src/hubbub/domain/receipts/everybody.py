"""What everybody in a group has had: two stretches of receipts, whatever the number of members.

One is how far all members have come. A message's sender need not mark his own, so another tells
how far all but the one have come who is furthest behind: it holds for what that one sent.
"""

from dataclasses import dataclass

from hubbub.domain.conversations.store import list_furthest_behind
from hubbub.domain.receipts.model import DELIVERED, EVERYBODY, READ, Receipt, all_but
from hubbub.domain.receipts.store import find_reach, insert_receipts
from hubbub.storage.interface import Transaction


@dataclass(frozen=True, slots=True)
class Advance:
    """How far everybody has come now; None: no further than before."""

    delivered: int | None
    read: int | None


async def advance_everybody(tx: Transaction, conversation: int, now: int) -> Advance:
    """Note what everybody in a group has had, after somebody moved on, or left."""
    return Advance(
        delivered=await _advance(tx, conversation, DELIVERED, now),
        read=await _advance(tx, conversation, READ, now),
    )


async def _advance(tx: Transaction, conversation: int, kind: str, now: int) -> int | None:
    behind = await list_furthest_behind(tx, conversation, is_read=kind == READ)
    if len(behind) < 2:
        return None
    (last, least), (_, next_one) = behind
    before = await find_reach(tx, conversation, EVERYBODY, kind)
    receipts = []
    if least > before:
        receipts.append(Receipt(conversation, EVERYBODY, kind, before, least, now))
    if next_one > least:
        marker = all_but(last)
        reach = max(await find_reach(tx, conversation, marker, kind), before, least)
        if next_one > reach:
            receipts.append(Receipt(conversation, marker, kind, reach, next_one, now))
    await insert_receipts(tx, receipts)
    return max((receipt.upto_id for receipt in receipts), default=None)

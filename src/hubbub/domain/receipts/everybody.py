"""What everybody in a group has had: two stretches of receipts, whatever the number of members.

One is how far all members have come. A message's sender need not mark his own, so another tells
how far all but the one have come who is furthest behind: it holds for what that one sent. Who is
alone in a group stands for all, but nobody has what he himself says there.
"""

from collections.abc import Collection

from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.conversations.model import GROUP
from hubbub.records.receipts.events import MessageDeliveryReceipt, MessageReadReceipt
from hubbub.records.receipts.model import DELIVERED, READ, Receipt, advance
from hubbub.records.receipts.store import insert_receipts, list_behind
from hubbub.storage.interface import Transaction

EVENTS = {DELIVERED: MessageDeliveryReceipt, READ: MessageReadReceipt}


async def tell_of_everybody(tx: Transaction, conversations: Collection[int], now: int) -> None:
    """Note and tell what everybody in groups has had, after somebody moved on, or left."""
    if not conversations:
        return
    receipts, guids = [], {}
    for kind in EVENTS:
        for group in await list_behind(tx, conversations, kind):
            guids[group.conversation] = group.guid
            receipts += advance(group, kind, now)
    await insert_receipts(tx, receipts)
    for receipt in sorted(receipts, key=lambda each: each.conversation):
        _tell(tx, receipt, guids[receipt.conversation])


def _tell(tx: Transaction, receipt: Receipt, guid: str) -> None:
    tx.announce(
        EVENTS[receipt.kind](
            conversation=receipt.conversation,
            receiver_type=GROUP,
            receiver=guid,
            uid=SYSTEM_UID,
            after=receipt.after_id,
            upto=receipt.upto_id,
            of=receipt.sender,
            not_of=receipt.alone,
            at=receipt.at,
        )
    )

"""What everybody in a group has had: two stretches of receipts, whatever the number of members.

One is how far all members have come. A message's sender need not mark his own, so another tells
how far all but the one have come who is furthest behind: it holds for what that one sent. Who is
alone in a group stands for all, but nobody has what he himself says there.
"""

from hubbub.domain.conversations.model import GROUP
from hubbub.domain.conversations.store import list_furthest_behind
from hubbub.domain.receipts.events import MessageDeliveryReceipt, MessageReadReceipt
from hubbub.domain.receipts.model import DELIVERED, EVERYBODY, READ, Receipt, all_but
from hubbub.domain.receipts.store import find_reach, insert_receipts
from hubbub.kernel.text import SYSTEM_UID
from hubbub.storage.interface import Transaction

EVENTS = {DELIVERED: MessageDeliveryReceipt, READ: MessageReadReceipt}


async def tell_of_everybody(tx: Transaction, conversation: int, guid: str, now: int) -> None:
    """Note and tell what everybody in a group has had, after somebody moved on, or left."""
    for kind, event in EVENTS.items():
        for receipt in await _advance(tx, conversation, kind, now):
            tx.announce(
                event(
                    conversation=conversation,
                    receiver_type=GROUP,
                    receiver=guid,
                    uid=SYSTEM_UID,
                    after=receipt.after_id,
                    upto=receipt.upto_id,
                    of=receipt.sender,
                    not_of=receipt.alone,
                    at=now,
                )
            )


async def _advance(tx: Transaction, conversation: int, kind: str, now: int) -> list[Receipt]:
    """The stretches that everybody has moved on by, one of all and one of all but one."""
    behind = await list_furthest_behind(tx, conversation, is_read=kind == READ)
    if not behind:
        return []
    last, least = behind[0]
    before = await find_reach(tx, conversation, EVERYBODY, kind)
    receipts = []
    if least > before:
        alone = last if len(behind) == 1 else None
        receipts.append(Receipt(conversation, EVERYBODY, kind, before, least, now, alone))
    _, next_one = behind[-1]
    if next_one > least:
        marker = all_but(last)
        reach = max(await find_reach(tx, conversation, marker, kind), before, least)
        if next_one > reach:
            receipts.append(Receipt(conversation, marker, kind, reach, next_one, now))
    await insert_receipts(tx, receipts)
    return receipts

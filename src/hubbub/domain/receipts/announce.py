"""Announce receipts in groups: those of all members, and to webhooks those of single members.

Those of all members are two ranges of messages, for any number of members. One range ends at the
position of the member furthest behind. Senders need not mark their own messages, so a second range
ends where all other members are; it counts for the messages of that one member. The only member of
a group counts as all members, but not for their own messages.
"""

from collections.abc import Collection, Mapping, Sequence

from hubbub.domain.views.receipt_times import find_crowded
from hubbub.kernel.text import SYSTEM_UID
from hubbub.outbox.registry import NAMES
from hubbub.records.conversations.model import GROUP
from hubbub.records.groups.store import find_groups
from hubbub.records.receipts.events import MessageDeliveryReceipt, MessageReadReceipt
from hubbub.records.receipts.model import DELIVERED, READ, Receipt, advance
from hubbub.records.receipts.store import insert_receipts, list_behind
from hubbub.records.webhooks.store import is_heard
from hubbub.storage.interface import Transaction

EVENTS: Mapping[str, type[MessageDeliveryReceipt] | type[MessageReadReceipt]] = {
    DELIVERED: MessageDeliveryReceipt,
    READ: MessageReadReceipt,
}
"""By kind."""


async def announce_receipts_of_all(
    tx: Transaction, conversations: Collection[int], now: int
) -> None:
    """Store and announce receipts of all members of groups, after a member moved on, or left."""
    if not conversations:
        return
    receipts, guids = [], {}
    for kind in EVENTS:
        for group in await list_behind(tx, conversations, kind):
            guids[group.conversation] = group.guid
            receipts += advance(group, kind, now)
    await insert_receipts(tx, receipts)
    for receipt in sorted(receipts, key=lambda each: each.conversation):
        _announce(tx, receipt, guids[receipt.conversation])


def _announce(tx: Transaction, receipt: Receipt, guid: str) -> None:
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


async def announce_receipts_of_members(
    tx: Transaction, receipts: Sequence[Receipt], guids: Mapping[int, str]
) -> None:
    """Announce receipts of single members, which are many, only while a webhook listens.

    Sessions are told of them by signals (`tell.py`). `guids` are those of the conversations.
    None is announced of a group in which too many members are connected.
    """
    kinds = {each.kind for each in receipts}
    heard = {kind for kind in kinds if await is_heard(tx, NAMES[EVENTS[kind]])}
    if not heard:
        return
    groups = await find_groups(tx, sorted(set(guids.values())))
    crowded = await find_crowded(tx, groups.values())
    for receipt in receipts:
        if receipt.kind in heard and receipt.conversation not in crowded:
            tx.announce(
                EVENTS[receipt.kind](
                    conversation=receipt.conversation,
                    receiver_type=GROUP,
                    receiver=guids[receipt.conversation],
                    uid=receipt.uid,
                    after=receipt.after_id,
                    upto=receipt.upto_id,
                    not_of=receipt.uid,
                    at=receipt.at,
                )
            )

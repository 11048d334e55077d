"""Receipts of single members of groups: events only while a webhook listens, as there are many.

Sessions are told of them by signals, see `tell`; the log has those of all members besides.
"""

from collections.abc import Mapping, Sequence

from hubbub.domain.receipts.all_members import EVENTS
from hubbub.domain.views.crowded import find_crowded
from hubbub.outbox.registry import NAMES
from hubbub.records.conversations.model import GROUP
from hubbub.records.groups.store import find_groups
from hubbub.records.receipts.model import Receipt
from hubbub.records.webhooks.store import is_heard
from hubbub.storage.interface import Transaction


async def announce_receipts_of_members(
    tx: Transaction, receipts: Sequence[Receipt], guids: Mapping[int, str]
) -> None:
    """Announce receipts to the webhooks that listen; `guids` are those of the conversations.

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

"""Find when messages were delivered and read, for the views that show it."""

from collections.abc import Mapping, Sequence

from hubbub.records.conversations.model import GROUP
from hubbub.records.messages.model import Message
from hubbub.records.receipts.model import DELIVERED, EVERYBODY, READ, all_but
from hubbub.records.receipts.store import ReceiptLookup, find_times
from hubbub.storage.interface import Snapshot

Times = tuple[int | None, int | None]
"""When a message was delivered, and when it was read."""


async def find_receipt_times(snapshot: Snapshot, messages: Sequence[Message]) -> dict[int, Times]:
    """Return the times of messages, by message id; in a group, those of its last member.

    Times that an import brought take precedence.
    """
    asked = {
        (each.id, kind): _receipts_of(each, kind) for each in messages for kind in (DELIVERED, READ)
    }
    times = await find_times(snapshot, [each for some in asked.values() for each in some])
    return {
        each.id: (
            each.delivered_at or _earliest(times, asked[each.id, DELIVERED]),
            each.read_at or _earliest(times, asked[each.id, READ]),
        )
        for each in messages
    }


def _receipts_of(message: Message, kind: str) -> list[ReceiptLookup]:
    """Return the receipts that show that all receivers of a message had it."""
    uids: tuple[str, ...] = (message.receiver,)
    if message.receiver_type == GROUP:
        uids = EVERYBODY, all_but(message.sender)
    return [
        ReceiptLookup(message.conversation, uid, kind, message.id, message.sender) for uid in uids
    ]


def _earliest(times: Mapping[ReceiptLookup, int], asked: Sequence[ReceiptLookup]) -> int | None:
    return min((times[each] for each in asked if each in times), default=None)

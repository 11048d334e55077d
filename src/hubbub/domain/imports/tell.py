"""Tell connected clients that an import has added to their conversations."""

from collections.abc import Sequence

from hubbub.outbox import lock_counters
from hubbub.records.conversations.events import ConversationsChanged
from hubbub.records.conversations.model import GROUP, ConversationKey
from hubbub.records.groups.store import find_groups
from hubbub.storage.interface import Transaction

MOST_TOLD = 500
"""So many conversations one event is about."""


async def tell_changed(tx: Transaction, keys: Sequence[ConversationKey], now: int) -> None:
    """Announce that conversations have messages that were not sent now; at most `MOST_TOLD`."""
    await lock_counters(tx)
    groups = await find_groups(tx, {left for kind, left, _ in keys if kind == GROUP})
    pairs = [(left, right) for kind, left, right in keys if kind != GROUP]
    uids = sorted({uid for pair in pairs for uid in pair})
    numbers = sorted(group.conversation for group in groups.values())
    if uids or numbers:
        tx.announce(ConversationsChanged(len(pairs) + len(numbers), uids, numbers, now))

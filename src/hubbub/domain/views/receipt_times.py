"""When messages were delivered and read, for the answers that show them."""

from collections.abc import Collection, Sequence

from hubbub.records.conversations.model import GROUP
from hubbub.records.messages.model import Message
from hubbub.records.receipts.model import DELIVERED, EVERYBODY, READ, all_but
from hubbub.records.receipts.store import Asked, find_times
from hubbub.storage.interface import Snapshot


async def fill_times(
    snapshot: Snapshot, messages: Sequence[Message], withheld: Collection[str] = ()
) -> None:
    """Put `delivered_at` and `read_at` into messages; what an import brought wins.

    To a group: when its last member had it. `withheld` names the groups that are too busy for it.
    """
    shown = [
        each for each in messages if each.receiver_type != GROUP or each.receiver not in withheld
    ]
    times = await find_times(
        snapshot,
        [asked for each in shown for kind in (DELIVERED, READ) for asked in _asked(each, kind)],
    )
    for message in shown:
        message.delivered_at = message.delivered_at or _earliest(times, message, DELIVERED)
        message.read_at = message.read_at or _earliest(times, message, READ)


def _asked(message: Message, kind: str) -> list[Asked]:
    """Whose receipts tell that a message was had by those whom it was for."""
    whose: tuple[str, ...] = (message.receiver,)
    if message.receiver_type == GROUP:
        whose = EVERYBODY, all_but(message.sender)
    return [Asked(message.conversation, uid, kind, message.id, message.sender) for uid in whose]


def _earliest(times: dict[Asked, int], message: Message, kind: str) -> int | None:
    return min((times[each] for each in _asked(message, kind) if each in times), default=None)

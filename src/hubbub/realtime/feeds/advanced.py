"""How far all members of groups are: gathered from the log, told once a second."""

from dataclasses import dataclass
from functools import partial

from hubbub.domain.receipts.tell import are_receipts_told
from hubbub.outbox.audience import Key
from hubbub.realtime.feeds.listeners import Listeners
from hubbub.realtime.feeds.signals import advanced_frame
from hubbub.records.receipts.events import MessageReadReceipt, ReceiptEvent
from hubbub.runtime import Runtime


@dataclass(slots=True)
class ReceiptProgress:
    """The last messages of a group that all members have; 0 for no news."""

    guid: str
    delivered: int = 0
    read: int = 0


class Advances:
    """What is to be told of groups with the next look."""

    def __init__(self) -> None:
        self._by_key: dict[tuple[int, str], ReceiptProgress] = {}
        """By conversation, and the uid of the only user who is told; empty for all members."""

    def add(self, receipt: ReceiptEvent) -> None:
        """Take a receipt of all members of a group."""
        # The only member of a group is told nothing: nobody else has read anything.
        key = receipt.conversation, receipt.of or ""
        progress = self._by_key.setdefault(key, ReceiptProgress(receipt.receiver))
        if isinstance(receipt, MessageReadReceipt):
            progress.read = max(progress.read, receipt.upto)
        progress.delivered = max(progress.delivered, receipt.upto)

    async def tell(self, runtime: Runtime, app_id: str, listeners: Listeners) -> None:
        """Tell what was gathered to the sessions that it concerns.

        Raises:
            Unavailable: the database can't be reached.
        """
        gathered, self._by_key = self._by_key, {}
        told: dict[str, bool] = {}
        for (conversation, uid), progress in gathered.items():
            guid, key = progress.guid, _key_of(conversation, uid)
            if not listeners.has_any([key]):
                continue
            if guid not in told:
                told[guid] = await runtime.database.read(
                    app_id, partial(are_receipts_told, guid=guid)
                )
            if told[guid]:
                at = runtime.clock.now()
                frame = advanced_frame(guid, progress.delivered, progress.read, at)
                for listener in list(listeners.of((key,))):
                    listener.tell(frame)


def _key_of(conversation: int, uid: str) -> Key:
    return uid or conversation

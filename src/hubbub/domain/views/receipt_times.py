"""When messages were delivered and read, for the views that show it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hubbub.records.conversations.model import GROUP
from hubbub.records.messages.model import Message
from hubbub.records.receipts.model import DELIVERED, EVERYBODY, READ, all_but
from hubbub.records.receipts.store import ReceiptSeries, SeriesKey, find_series
from hubbub.storage.interface import Snapshot

Times = tuple[int | None, int | None]
"""When a message was delivered, and when it was read."""
Direction = tuple[int, str]
"""A conversation and the receiver of a message in it; in a group, its sender."""


@dataclass(frozen=True, slots=True)
class ReceiptTimes:
    """The receipts of a page of messages."""

    _delivered: Mapping[Direction, Sequence[ReceiptSeries]]
    _read: Mapping[Direction, Sequence[ReceiptSeries]]

    def of(self, message: Message) -> Times:
        """Return the times of a message; in a group, those of its last member.

        Times that an import brought take precedence.
        """
        direction = _direction_of(message)
        return (
            message.delivered_at or _earliest(self._delivered[direction], message),
            message.read_at or _earliest(self._read[direction], message),
        )


async def find_receipt_times(snapshot: Snapshot, messages: Sequence[Message]) -> ReceiptTimes:
    """Return the times of messages."""
    ids: dict[Direction, list[int]] = {}
    uids: dict[Direction, Sequence[str]] = {}
    for message in messages:
        direction = _direction_of(message)
        if direction not in ids:
            ids[direction], uids[direction] = [], _holders_of(message)
        ids[direction].append(message.id)
    wanted: dict[SeriesKey, list[int]] = {}
    for direction, some in ids.items():
        for uid in uids[direction]:
            for kind in (DELIVERED, READ):
                wanted.setdefault((direction[0], uid, kind), []).extend(some)
    found = await find_series(snapshot, wanted)

    def series_of(kind: str) -> dict[Direction, list[ReceiptSeries]]:
        return {
            direction: [
                found[direction[0], uid, kind] for uid in some if (direction[0], uid, kind) in found
            ]
            for direction, some in uids.items()
        }

    return ReceiptTimes(series_of(DELIVERED), series_of(READ))


def _direction_of(message: Message) -> Direction:
    who = message.sender if message.receiver_type == GROUP else message.receiver
    return message.conversation, who


def _holders_of(message: Message) -> Sequence[str]:
    """Return the stored uids of the receipts that show that all receivers of a message had it."""
    if message.receiver_type == GROUP:
        return EVERYBODY, all_but(message.sender)
    return (message.receiver,)


def _earliest(series: Sequence[ReceiptSeries], message: Message) -> int | None:
    if not series:
        return None
    if len(series) == 1:
        return series[0].time_of(message.id, message.sender)
    times = [each.time_of(message.id, message.sender) for each in series]
    return min((time for time in times if time is not None), default=None)

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
    """When the messages of a page were delivered and read, as receipts say, by message id."""

    delivered: Mapping[int, int]
    read: Mapping[int, int]

    def of(self, message: Message) -> Times:
        """Return the times of a message; in a group, those of its last member.

        Times that an import brought take precedence.
        """
        return (
            message.delivered_at or self.delivered.get(message.id),
            message.read_at or self.read.get(message.id),
        )


async def find_receipt_times(snapshot: Snapshot, messages: Sequence[Message]) -> ReceiptTimes:
    """Return the times of messages."""
    ids: dict[Direction, list[int]] = {}
    holders: dict[Direction, Sequence[str]] = {}
    for message in messages:
        direction = _direction_of(message)
        if direction not in ids:
            ids[direction], holders[direction] = [], _holders_of(message)
        ids[direction].append(message.id)
    wanted: dict[SeriesKey, list[int]] = {}
    for direction, some in ids.items():
        for uid in holders[direction]:
            for kind in (DELIVERED, READ):
                wanted.setdefault((direction[0], uid, kind), []).extend(some)
    found = await find_series(snapshot, wanted)
    times: dict[str, dict[int, int]] = {DELIVERED: {}, READ: {}}
    for direction, some in ids.items():
        for uid in holders[direction]:
            for kind, of_kind in times.items():
                series = found.get((direction[0], uid, kind))
                if series is not None:
                    _add_earlier(of_kind, series, sorted(some), direction[1])
    return ReceiptTimes(times[DELIVERED], times[READ])


def _add_earlier(
    times: dict[int, int], series: ReceiptSeries, ids: Sequence[int], sender: str
) -> None:
    """Add the times that a series has for messages, which ascend, unless an earlier one is known.

    `sender` is that of the messages, if they are in a group.
    """
    for id_, at in series.times_of(ids, sender):
        if times.get(id_, at) >= at:
            times[id_] = at


def _direction_of(message: Message) -> Direction:
    who = message.sender if message.receiver_type == GROUP else message.receiver
    return message.conversation, who


def _holders_of(message: Message) -> Sequence[str]:
    """Return the stored uids of the receipts that show that all receivers of a message had it."""
    if message.receiver_type == GROUP:
        return EVERYBODY, all_but(message.sender)
    return (message.receiver,)

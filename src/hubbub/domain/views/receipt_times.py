"""When messages were delivered and read, for the views that show it; where that is withheld."""

from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from hubbub.records.conversations.model import GROUP
from hubbub.records.groups.model import Group
from hubbub.records.members.store import count_available
from hubbub.records.messages.model import Message
from hubbub.records.receipts.model import DELIVERED, EVERYBODY, READ, all_but
from hubbub.records.receipts.store import HolderKey, ReceiptSeries, find_series
from hubbub.records.settings.model import GROUP_RECEIPT_ONLINE
from hubbub.records.settings.store import find_settings
from hubbub.storage.interface import Snapshot

Address = tuple[int, str, str, str]
"""The conversation of a message, its sender, the kind of its receiver, and the receiver."""
Times = tuple[int | None, int | None]
"""When a message was delivered, and when it was read."""
Direction = tuple[int, str]
"""A conversation and the receiver of a message in it; in a group, its sender."""
KINDS = (DELIVERED, READ)


class ReceiptTimes(msgspec.Struct, frozen=True):
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

    @property
    def is_empty(self) -> bool:
        """Return whether no message was delivered or read."""
        return not (self.delivered or self.read)

    def since(self, starts: Mapping[int, int]) -> "ReceiptTimes":
        """Return the times without those that are before the starts of some messages, by id."""
        delivered, read = (
            {id_: at for id_, at in times.items() if at >= starts.get(id_, 0)}
            for times in (self.delivered, self.read)
        )
        return ReceiptTimes(delivered, read)

    def without(
        self, ids_by_address: Mapping[Address, Sequence[int]], conversations: Collection[int]
    ) -> "ReceiptTimes":
        """Return the times without those of messages in some conversations."""
        left_out = {
            id_
            for address, ids in ids_by_address.items()
            if address[0] in conversations
            for id_ in ids
        }
        if not left_out:
            return self
        delivered = {id_: at for id_, at in self.delivered.items() if id_ not in left_out}
        read = {id_: at for id_, at in self.read.items() if id_ not in left_out}
        return ReceiptTimes(delivered, read)


async def find_receipt_times(
    snapshot: Snapshot, ids_by_address: Mapping[Address, Sequence[int]]
) -> ReceiptTimes:
    """Return the times of messages."""
    ids: dict[Direction, list[int]] = {}
    within: dict[int, list[int]] = {}
    holders: dict[Direction, Sequence[str]] = {}
    for (conversation, sender, kind, receiver), some in ids_by_address.items():
        direction = conversation, sender if kind == GROUP else receiver
        holders[direction] = (EVERYBODY, all_but(sender)) if kind == GROUP else (receiver,)
        ids.setdefault(direction, []).extend(some)
        within.setdefault(conversation, []).extend(some)
    wanted: dict[HolderKey, Sequence[int]] = {}
    for direction, some in ids.items():
        some.sort()
        for uid in holders[direction]:
            wanted[direction[0], uid] = within[direction[0]]
    found = await find_series(snapshot, wanted)
    times: dict[str, dict[int, int]] = {kind: {} for kind in KINDS}
    if found:
        for direction, some in ids.items():
            for kind in KINDS:
                keys = [(direction[0], uid, kind) for uid in holders[direction]]
                series = [found[key] for key in keys if key in found]
                times[kind] |= _earliest(series, some, direction[1])
    return ReceiptTimes(times[DELIVERED], times[READ])


def _earliest(
    series: Iterable[ReceiptSeries], ids: Sequence[int], sender: str
) -> Mapping[int, int]:
    """Return the earliest time that any series has for each message; the ids ascend.

    `sender` is that of the messages, if they are in a group.
    """
    earliest: dict[int, int] = {}
    for each in series:
        times = each.times_of(ids, sender)
        if earliest:
            times |= {id_: min(times[id_], earliest[id_]) for id_ in times.keys() & earliest}
        earliest |= times
    return earliest


async def find_crowded(snapshot: Snapshot, groups: Iterable[Group]) -> set[int]:
    """Return the conversations of groups with more connected members than the app's limit.

    Their receipts are kept, and shown again when fewer are connected.
    """
    most = (await find_settings(snapshot)).limit(GROUP_RECEIPT_ONLINE)
    return {
        group.conversation
        for group in groups
        if group.members_count > most
        and await count_available(snapshot, group.conversation, group.members_count) > most
    }

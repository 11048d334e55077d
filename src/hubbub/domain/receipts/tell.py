"""Tell sessions of receipts in groups, which have no events of their own in the log."""

import msgspec
from msgspec import Raw

from hubbub.domain.receipts.mark import Marked
from hubbub.domain.views.receipt_times import find_crowded
from hubbub.outbox.registry import NAMES
from hubbub.records.groups.store import find_groups
from hubbub.records.receipts.signals import GroupMarked
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot

_encode = msgspec.json.Encoder().encode


def tell_own_sessions(runtime: Runtime, app_id: str, marked: Marked) -> None:
    """Tell the sessions of who has marked messages of a group how far they are now."""
    event = marked.moved
    if event is not None:
        body = Raw(_encode(event))
        runtime.signals.send(app_id, GroupMarked(event.uid, NAMES[type(event)], body))


async def are_receipts_told(snapshot: Snapshot, guid: str) -> bool:
    """Return whether so few members of a group are connected that receipts are told."""
    groups = await find_groups(snapshot, [guid])
    return bool(groups) and not await find_crowded(snapshot, groups.values())

"""Groups in which so many members are connected that receipts are withheld."""

from collections.abc import Iterable

from hubbub.records.groups.model import Group
from hubbub.records.members.store import count_available
from hubbub.records.settings.model import GROUP_RECEIPT_ONLINE
from hubbub.records.settings.store import find_settings
from hubbub.storage.interface import Snapshot


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

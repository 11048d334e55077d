"""What decides on the notifications of people, read for a batch of events at once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hubbub.domain.notices.decide import Recipient
from hubbub.domain.notices.planning.audience import Page
from hubbub.domain.notices.planning.happening import Happening
from hubbub.records.devices.model import Device
from hubbub.records.devices.store import list_devices
from hubbub.records.notices.people import (
    list_blocks,
    list_inactive,
    list_mutes,
    list_online,
    sum_unread,
)
from hubbub.records.notifications.app_settings import NotificationSettings
from hubbub.records.notifications.preference_store import list_preferences
from hubbub.records.notifications.preferences import Preferences, resolve_each
from hubbub.storage.interface import Snapshot


@dataclass(frozen=True, slots=True)
class People:
    """What is stored of the people of a batch."""

    preferences: Mapping[str, Preferences]
    mutes: Mapping[tuple[str, int | str], int]
    devices: Mapping[str, Sequence[Device]]
    unread: Mapping[str, int]
    online: frozenset[str]
    inactive: frozenset[str]
    blocks: frozenset[tuple[str, str]]
    """Who blocks whom."""

    def recipient(self, happening: Happening, uid: str) -> Recipient | None:
        """Return a person who may be told of an event; None if they are no audience of it."""
        occasion = happening.occasion
        if uid in self.inactive or (uid, occasion.actor) in self.blocks:
            return None
        muted = happening.event.conversation if occasion.is_group else occasion.actor
        return Recipient(uid, self.preferences[uid], self.mutes.get((uid, muted), 0))


async def read_people(
    snapshot: Snapshot,
    settings: NotificationSettings,
    pages: Iterable[Page],
    *,
    needs_devices: bool,
) -> People:
    """Return what is stored of the people of some pages.

    With `needs_devices`, the number of unread messages is read only for those who have one.
    """
    pages = list(pages)
    uids = sorted({uid for page in pages for uid in page.uids})
    actors = {page.happening.occasion.actor for page in pages}
    groups = {page.happening.event.conversation for page in pages if page.happening.guid}
    devices: dict[str, list[Device]] = {}
    for device in await list_devices(snapshot, uids):
        devices.setdefault(device.uid, []).append(device)
    reached = sorted(devices) if needs_devices else uids
    return People(
        preferences=resolve_each(settings, await list_preferences(snapshot, uids), uids),
        mutes=await list_mutes(snapshot, uids, groups, actors),
        devices=devices,
        unread=await sum_unread(snapshot, reached),
        online=frozenset(await list_online(snapshot, reached)),
        inactive=frozenset(await list_inactive(snapshot, uids)),
        blocks=frozenset(await list_blocks(snapshot, uids, actors)),
    )

"""What is stored of the people who may be told of events, and what keeps them from being told."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from hubbub.domain.notices.decide import Recipient
from hubbub.domain.notices.planning.audience import Page
from hubbub.domain.notices.planning.happening import Happening, message_of
from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.devices.model import Device
from hubbub.records.devices.store import list_devices
from hubbub.records.notices.people import (
    Seat,
    Standing,
    list_blocks,
    list_mutes,
    list_seats,
    list_standing,
    sum_unread,
)
from hubbub.records.notifications.app_settings import NotificationSettings
from hubbub.records.notifications.preference_store import list_preferences
from hubbub.records.notifications.preferences import Preferences, resolve_each
from hubbub.records.notifications.reasons import Reason
from hubbub.storage.interface import Snapshot


@dataclass(frozen=True, slots=True)
class People:
    """What is stored of the people of some events."""

    preferences: Mapping[str, Preferences]
    mutes: Mapping[tuple[str, int | str], int]
    devices: Mapping[str, Sequence[Device]]
    standing: Mapping[str, Standing]
    """Of these people and of those who caused the events; erased people have none."""
    blocks: frozenset[tuple[str, str]]
    """Who blocks whom."""
    unread: Mapping[str, int]
    """The numbers of unread messages; empty while nothing is sent yet."""
    seats: Mapping[tuple[int, str], Seat] | None
    """The memberships; None if all of them are known to be members."""

    def is_online(self, uid: str) -> bool:
        """Return whether a person is connected."""
        found = self.standing.get(uid)
        return found is not None and found.is_online

    def is_erased(self, uid: str, number: int) -> bool:
        """Return whether the person who had a uid at an event was erased since."""
        if uid == SYSTEM_UID:
            return False
        found = self.standing.get(uid)
        return found is None or found.number > number

    def barred(self, happening: Happening, uid: str) -> Reason | None:
        """Return why a person may not have what an event is about, whatever they have chosen."""
        occasion = happening.occasion
        found = self.standing.get(uid)
        if found is None or not found.is_active:
            return Reason.DEACTIVATED
        if occasion.is_gone or not occasion.may_concern(uid):
            return Reason.MESSAGE_DELETED
        if not self._is_member(happening, uid):
            return Reason.NOT_A_MEMBER
        return Reason.BLOCKED if (uid, occasion.actor) in self.blocks else None

    def recipient(self, happening: Happening, uid: str) -> Recipient:
        """Return a person with what they have chosen."""
        occasion = happening.occasion
        muted = happening.event.conversation if occasion.is_group else occasion.actor
        return Recipient(uid, self.preferences[uid], self.mutes.get((uid, muted), 0))

    def _is_member(self, happening: Happening, uid: str) -> bool:
        if self.seats is None or happening.guid is None:
            return True
        seat = self.seats.get((happening.event.conversation, uid))
        if seat is None or seat.from_event > happening.entry.number:
            return False
        return seat.hidden_upto < message_of(happening.event)


async def read_people(
    snapshot: Snapshot, settings: NotificationSettings, pages: Iterable[Page]
) -> People:
    """Return what is stored of the people of some pages, who are known to be members."""
    pages = list(pages)
    uids = sorted({uid for page in pages for uid in page.uids})
    return await _read(snapshot, settings, [each.happening for each in pages], uids, set())


async def read_recipients(
    snapshot: Snapshot,
    settings: NotificationSettings,
    happenings: Sequence[Happening],
    uids: Collection[str],
    named: Collection[str],
) -> People:
    """Return what is stored of people before they are sent something.

    `named` are others of whom the log of notifications would say something.
    """
    return await _read(snapshot, settings, happenings, uids, set(named), is_sending=True)


async def _read(
    snapshot: Snapshot,
    settings: NotificationSettings,
    happenings: Sequence[Happening],
    uids: Collection[str],
    named: set[str],
    *,
    is_sending: bool = False,
) -> People:
    actors = {each.occasion.actor for each in happenings}
    groups = {each.event.conversation for each in happenings if each.guid}
    devices: dict[str, list[Device]] = {}
    for device in await list_devices(snapshot, uids):
        devices.setdefault(device.uid, []).append(device)
    return People(
        preferences=resolve_each(settings, await list_preferences(snapshot, uids), uids),
        mutes=await list_mutes(snapshot, uids, groups, actors),
        devices=devices,
        standing=await list_standing(snapshot, {*uids, *actors, *named}),
        blocks=frozenset(await list_blocks(snapshot, uids, actors)),
        unread=await sum_unread(snapshot, uids) if is_sending else {},
        seats=await list_seats(snapshot, groups, uids) if is_sending else None,
    )

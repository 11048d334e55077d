"""Who may be told of an event: all who take part in its conversation, but not who caused it.

With what is stored of them, and what keeps them from being told.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from hubbub.domain.notifications.happening import Happening
from hubbub.domain.notifications.planning.decide import Addressee
from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.devices.model import PushDevice
from hubbub.records.devices.store import list_devices
from hubbub.records.groups.store import find_groups
from hubbub.records.notifications.app_settings import NotificationSettings
from hubbub.records.notifications.model import Reason
from hubbub.records.notifications.preference_store import list_preferences
from hubbub.records.notifications.preferences import Preferences, resolve_each
from hubbub.records.notifications.sending.people import (
    PersonStanding,
    Seat,
    list_blocks,
    list_members_after,
    list_mutes,
    list_seats,
    list_standing,
    sum_unread,
)
from hubbub.storage.interface import Snapshot


@dataclass(frozen=True, slots=True)
class Served:
    """How people may be told of an event."""

    by_push: bool
    digest_channels: tuple[str, ...]
    """E-mail and SMS, if they may be sent about it."""
    to_choosers: bool
    """Whether nobody is told but those who have chosen so: by default the item is off."""

    def __bool__(self) -> bool:
        return self.by_push or bool(self.digest_channels)


@dataclass(frozen=True, slots=True)
class PeoplePage:
    """Some of the people who may be told of an event, in the order of their uids."""

    happening: Happening
    served: Served
    uids: Sequence[str]
    next_after: str | None
    """The uid after which there are more; None if these are the last."""


async def count_people(snapshot: Snapshot, happening: Happening) -> int:
    """Return how many take part in the conversation of an event; 0 if its group is gone."""
    if not happening.is_group:
        return 2
    guid = happening.message.receiver
    group = (await find_groups(snapshot, [guid])).get(guid)
    is_present = group is not None and group.conversation == happening.event.conversation
    return group.members_count if group and is_present else 0


async def read_page(
    snapshot: Snapshot,
    happening: Happening,
    served: Served,
    after: str,
    *,
    limit: int,
) -> PeoplePage:
    """Return the next people who may be told of an event."""
    if happening.asked_by is not None:
        return PeoplePage(happening, served, [happening.asked_by], None)
    if not happening.is_group:
        two = sorted({happening.message.sender, happening.message.receiver})
        return PeoplePage(happening, served, list(filter(happening.may_concern, two)), None)
    uids = await list_members_after(
        snapshot,
        happening.event.conversation,
        happening.entry.number,
        happening.message.id,
        after,
        limit=limit,
        only_choosers=served.to_choosers,
    )
    told = list(filter(happening.may_concern, uids))
    return PeoplePage(happening, served, told, uids[-1] if len(uids) == limit else None)


@dataclass(frozen=True, slots=True)
class People:
    """What is stored of the people of some events."""

    preferences: Mapping[str, Preferences]
    mutes: Mapping[tuple[str, int | str], int]
    devices: Mapping[str, Sequence[PushDevice]]
    standing: Mapping[str, PersonStanding]
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
        found = self.standing.get(uid)
        if found is None or not found.is_active:
            return Reason.DEACTIVATED
        if happening.is_gone or not happening.may_concern(uid):
            return Reason.MESSAGE_DELETED
        if not self._is_member(happening, uid):
            return Reason.NOT_A_MEMBER
        return Reason.BLOCKED if (uid, happening.actor) in self.blocks else None

    def addressee(self, happening: Happening, uid: str) -> Addressee:
        """Return a person with what they have chosen."""
        muted = happening.event.conversation if happening.is_group else happening.actor
        return Addressee(uid, self.preferences[uid], self.mutes.get((uid, muted), 0))

    def _is_member(self, happening: Happening, uid: str) -> bool:
        if self.seats is None or not happening.is_group:
            return True
        seat = self.seats.get((happening.event.conversation, uid))
        if seat is None or seat.from_event > happening.entry.number:
            return False
        return seat.hidden_upto < happening.message.id


async def read_people(
    snapshot: Snapshot, settings: NotificationSettings, pages: Iterable[PeoplePage]
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
    actors = {each.actor for each in happenings}
    groups = {each.event.conversation for each in happenings if each.is_group}
    devices: dict[str, list[PushDevice]] = {}
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

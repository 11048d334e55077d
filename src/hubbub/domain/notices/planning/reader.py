"""Whom an e-mail or SMS is for, and what decides on it."""

from collections.abc import Sequence
from dataclasses import dataclass

from hubbub.domain.notices.decide import Recipient
from hubbub.domain.notices.local_time import Instant
from hubbub.domain.notices.planning.channels import Channels
from hubbub.domain.notices.planning.happening import Happening
from hubbub.records.notices.people import list_blocks, list_inactive, list_mutes
from hubbub.records.notices.unread import list_sums, list_unsubscribed
from hubbub.records.notifications.model import ContactDetails
from hubbub.records.notifications.preference_store import find_choices
from hubbub.records.notifications.preferences import resolve_preferences
from hubbub.records.notifications.store import find_contact_details
from hubbub.records.users.model import User
from hubbub.records.users.store import find_numbers, find_users
from hubbub.storage.interface import Snapshot


@dataclass(frozen=True, slots=True)
class Reader:
    """Whom an e-mail or SMS is for."""

    user: User
    number: int
    """It tells the user from other holders of the uid."""
    recipient: Recipient
    contact: ContactDetails
    sums: dict[int, int]
    day: str
    blocked: frozenset[str]


async def find_reader(
    snapshot: Snapshot,
    channels: Channels,
    channel: str,
    uid: str,
    happenings: Sequence[Happening],
    instant: Instant,
) -> Reader | None:
    """Return whom an e-mail or SMS is for; None if nothing may be written to them."""
    user = (await find_users(snapshot, [uid])).get(uid)
    gone = await list_inactive(snapshot, [uid]) | await list_unsubscribed(snapshot, channel, [uid])
    if user is None or gone:
        return None
    preferences = resolve_preferences(channels.settings, await find_choices(snapshot, uid))
    actors = {each.occasion.actor for each in happenings}
    conversation = happenings[0].event.conversation
    muted = conversation if happenings[0].guid else next(iter(actors))
    mutes = await list_mutes(snapshot, [uid], [conversation], actors)
    day = instant.local(preferences.timezone).day.isoformat()
    return Reader(
        user=user,
        number=(await find_numbers(snapshot, [uid]))[uid],
        recipient=Recipient(uid, preferences, mutes.get((uid, muted), 0)),
        contact=await find_contact_details(snapshot, uid),
        sums=await list_sums(snapshot, channel, uid, day),
        day=day,
        blocked=frozenset(blocked for _, blocked in await list_blocks(snapshot, [uid], actors)),
    )

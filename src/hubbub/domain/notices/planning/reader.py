"""Whom an e-mail or SMS is for, and what decides on it."""

from collections.abc import Sequence
from dataclasses import dataclass

from hubbub.domain.notices.decide import Recipient
from hubbub.domain.notices.local_time import Instant
from hubbub.domain.notices.planning.channels import Channels
from hubbub.domain.notices.planning.happening import Happening
from hubbub.kernel.text import SYSTEM_UID
from hubbub.records.notices.people import Seat, list_blocks, list_mutes, list_seats, list_standing
from hubbub.records.notices.unread import find_read, list_sums, list_unsubscribed
from hubbub.records.notifications.model import ContactDetails
from hubbub.records.notifications.preference_store import find_choices
from hubbub.records.notifications.preferences import resolve_preferences
from hubbub.records.notifications.reasons import Reason
from hubbub.records.notifications.store import find_contact_details
from hubbub.records.users.model import User
from hubbub.records.users.store import find_users
from hubbub.storage.interface import Snapshot


@dataclass(frozen=True, slots=True)
class Reader:
    """Whom an e-mail or SMS is for."""

    user: User
    number: int
    """The number of the user: a later user with the same uid has a greater one."""
    recipient: Recipient
    contact: ContactDetails
    sums: dict[int, int]
    day: str
    is_active: bool
    is_unsubscribed: bool
    seat: Seat | None
    """Their membership of the group; None if it has ended."""
    read_upto: int
    """They have read the conversation up to this message; 0 if the app writes of it anyway."""
    blocked: frozenset[str]
    """The senders whom they block."""
    senders: dict[str, int]
    """The numbers of the senders, without those who were erased."""

    def sent_today(self, conversation: int) -> tuple[int, int]:
        """Return how many they were sent today, in all and about a conversation."""
        return sum(self.sums.values()), self.sums.get(conversation, 0)

    def barred(self, happening: Happening) -> Reason | None:
        """Return why they may not have a message, whatever they have chosen."""
        occasion, message = happening.occasion, happening.event.message
        if not self.is_active:
            return Reason.DEACTIVATED
        if self.is_unsubscribed:
            return Reason.UNSUBSCRIBED
        is_erased = occasion.actor not in self.senders and occasion.actor != SYSTEM_UID
        if is_erased or not occasion.may_concern(self.user.uid):
            return Reason.MESSAGE_DELETED
        if happening.guid and (self.seat is None or message <= self.seat.hidden_upto):
            return Reason.NOT_A_MEMBER
        if occasion.actor in self.blocked:
            return Reason.BLOCKED
        return Reason.ALREADY_READ if message <= self.read_upto else None


async def find_reader(
    snapshot: Snapshot,
    channels: Channels,
    channel: str,
    uid: str,
    happenings: Sequence[Happening],
    instant: Instant,
) -> Reader | None:
    """Return whom an e-mail or SMS is for; None if they were erased."""
    actors = {each.occasion.actor for each in happenings}
    standing = await list_standing(snapshot, {uid, *actors})
    user = (await find_users(snapshot, [uid])).get(uid)
    if user is None or uid not in standing:
        return None
    preferences = resolve_preferences(channels.settings, await find_choices(snapshot, uid))
    conversation = happenings[0].event.conversation
    muted = conversation if happenings[0].guid else next(iter(actors))
    mutes = await list_mutes(snapshot, [uid], [conversation], actors)
    seats = await list_seats(snapshot, [conversation] if happenings[0].guid else [], [uid])
    only_unread = channels.limits_of(channel).unread_only
    day = instant.local(preferences.timezone).day.isoformat()
    return Reader(
        user=user,
        number=standing[uid].number,
        recipient=Recipient(uid, preferences, mutes.get((uid, muted), 0)),
        contact=await find_contact_details(snapshot, uid),
        sums=await list_sums(snapshot, channel, uid, day),
        day=day,
        is_active=standing[uid].is_active,
        is_unsubscribed=bool(await list_unsubscribed(snapshot, channel, [uid])),
        seat=seats.get((conversation, uid)),
        read_upto=await find_read(snapshot, conversation, uid) if only_unread else 0,
        blocked=frozenset(blocked for _, blocked in await list_blocks(snapshot, [uid], actors)),
        senders={each: standing[each].number for each in actors if each in standing},
    )

"""The decision on a digest, an e-mail or SMS: for whom, about which messages, or why none."""

from collections.abc import Sequence
from dataclasses import dataclass

from hubbub.domain.notifications.happening import Happening, find_happenings
from hubbub.domain.notifications.planning.channels import Channels
from hubbub.domain.notifications.planning.decide import Addressee, Limits, decide
from hubbub.domain.notifications.planning.local_time import Instant
from hubbub.kernel.text import SYSTEM_UID
from hubbub.outbox.log import LogEntry
from hubbub.records.messages.events import MessageSent
from hubbub.records.notifications.model import ContactDetails, Reason
from hubbub.records.notifications.preference_store import find_choices
from hubbub.records.notifications.preferences import resolve_preferences
from hubbub.records.notifications.sending.digests import find_read, list_sums, list_unsubscribed
from hubbub.records.notifications.sending.model import EMAIL, About
from hubbub.records.notifications.sending.people import (
    Seat,
    list_blocks,
    list_mutes,
    list_seats,
    list_standing,
)
from hubbub.records.notifications.store import find_contact_details
from hubbub.records.users.model import User
from hubbub.records.users.store import find_users
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot


@dataclass(frozen=True, slots=True)
class DigestReader:
    """Whom a digest is for."""

    user: User
    number: int
    """The number of the user: a later user with the same uid has a greater one."""
    addressee: Addressee
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
        actor, message = happening.actor, happening.message.id
        if not self.is_active:
            return Reason.DEACTIVATED
        if self.is_unsubscribed:
            return Reason.UNSUBSCRIBED
        is_erased = actor not in self.senders and actor != SYSTEM_UID
        if is_erased or not happening.may_concern(self.user.uid):
            return Reason.MESSAGE_DELETED
        if happening.is_group and (self.seat is None or message <= self.seat.hidden_upto):
            return Reason.NOT_A_MEMBER
        if actor in self.blocked:
            return Reason.BLOCKED
        return Reason.ALREADY_READ if message <= self.read_upto else None


async def find_reader(
    snapshot: Snapshot,
    channels: Channels,
    channel: str,
    uid: str,
    happenings: Sequence[Happening],
    instant: Instant,
) -> DigestReader | None:
    """Return whom a digest is for; None if they were erased."""
    actors = {each.actor for each in happenings}
    standing = await list_standing(snapshot, {uid, *actors})
    user = (await find_users(snapshot, [uid])).get(uid)
    if user is None or uid not in standing:
        return None
    preferences = resolve_preferences(channels.settings, await find_choices(snapshot, uid))
    conversation, is_group = happenings[0].event.conversation, happenings[0].is_group
    muted = conversation if is_group else next(iter(actors))
    mutes = await list_mutes(snapshot, [uid], [conversation], actors)
    seats = await list_seats(snapshot, [conversation] if is_group else [], [uid])
    only_unread = channels.limits_of(channel).unread_only
    day = instant.local(preferences.timezone).day.isoformat()
    return DigestReader(
        user=user,
        number=standing[uid].number,
        addressee=Addressee(uid, preferences, mutes.get((uid, muted), 0)),
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


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a person is written to about some messages."""

    reader: DigestReader
    happenings: Sequence[Happening]
    """The messages that they are written of, or those that the reason is about."""
    reason: Reason | None

    @property
    def about(self) -> About:
        """Return the newest message as the log of notifications shows it."""
        return self.happenings[-1].about()


async def judge_digest(
    runtime: Runtime,
    app_id: str,
    channels: Channels,
    channel: str,
    uid: str,
    sent: Sequence[MessageSent],
    *,
    is_counted: bool,
) -> Verdict | None:
    """Decide on a digest about messages, as things are now.

    One that `is_counted` is in the numbers of the day, which no longer limit it. Return None if
    there is nobody, or nothing, to write of.
    """

    async def within(snapshot: Snapshot) -> Verdict | None:
        found = await find_happenings(snapshot, [LogEntry(0, "", each) for each in sent])
        happenings = [each for each in found if each is not None]
        if not happenings:
            return None
        instant = Instant(runtime.clock.milliseconds() / 1000)
        reader = await find_reader(snapshot, channels, channel, uid, happenings, instant)
        if reader is None:
            return None
        conversation = happenings[0].event.conversation
        sent_today = (0, 0) if is_counted else reader.sent_today(conversation)
        return decide_digest(channels, channel, reader, happenings, instant, sent_today)

    return await runtime.database.read(app_id, within)


def decide_digest(
    channels: Channels,
    channel: str,
    reader: DigestReader,
    happenings: Sequence[Happening],
    instant: Instant,
    sent_today: tuple[int, int],
) -> Verdict:
    """Decide on each message, then on the digest about those that are left.

    `sent_today` is how many were sent to the person, and about the conversation.
    """
    settings = channels.settings
    reasons = [
        reader.barred(each) or decide(settings, each, instant, reader.addressee)
        for each in happenings
    ]
    left = [each for each, reason in zip(happenings, reasons, strict=True) if reason is None]
    if not left:
        return Verdict(reader, happenings, reasons[-1])
    missing = _find_missing(channels, channel, reader)
    limits = Limits(channels.limits_of(channel), missing, *sent_today)
    reason = decide(settings, left[-1], instant, reader.addressee, limits)
    return Verdict(reader, left, reason)


def _find_missing(channels: Channels, channel: str, reader: DigestReader) -> Reason | None:
    """Return the reason if a person has no address or number, and the provider needs it."""
    is_mail = channel == EMAIL
    address = reader.contact.email if is_mail else reader.contact.phone_number
    if address is not None or not channels.needs_address(channel):
        return None
    return Reason.MISSING_EMAIL if is_mail else Reason.MISSING_PHNO

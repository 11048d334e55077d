"""The verdict on an e-mail or SMS: which messages it is about, or why nothing is written."""

from collections.abc import Sequence
from dataclasses import dataclass

from hubbub.domain.notices.decide import Limits, decide
from hubbub.domain.notices.local_time import Instant
from hubbub.domain.notices.planning.channels import Channels
from hubbub.domain.notices.planning.happening import Describe, Happening
from hubbub.domain.notices.planning.reader import Reader, find_reader
from hubbub.outbox.log import LogEntry as Event
from hubbub.records.messages.events import MessageSent
from hubbub.records.notices.model import EMAIL, About
from hubbub.records.notifications.reasons import Reason
from hubbub.runtime import Runtime


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a person is written to about some messages."""

    reader: Reader
    happenings: Sequence[Happening]
    """The messages that they are written of, or those that the reason is about."""
    reason: Reason | None

    @property
    def about(self) -> About:
        """Return the newest message as the log of notifications shows it."""
        return self.happenings[-1].about()


async def judge_letter(
    runtime: Runtime,
    describe: Describe,
    app_id: str,
    channels: Channels,
    channel: str,
    uid: str,
    sent: Sequence[MessageSent],
    *,
    is_counted: bool,
) -> Verdict | None:
    """Decide on an e-mail or SMS about messages, as things are now.

    One that `is_counted` is in the numbers of the day, which no longer limit it. Return None if
    there is nobody, or nothing, to write of.
    """
    described = await describe(runtime, app_id, [Event(0, "", each) for each in sent])
    happenings = [each for each in described if each is not None]
    if not happenings:
        return None
    instant = Instant(runtime.clock.milliseconds() / 1000)
    reader = await runtime.database.read(
        app_id,
        lambda snapshot: find_reader(snapshot, channels, channel, uid, happenings, instant),
    )
    if reader is None:
        return None
    conversation = happenings[0].event.conversation
    sent_today = (0, 0) if is_counted else reader.sent_today(conversation)
    return decide_letter(channels, channel, reader, happenings, instant, sent_today)


def decide_letter(
    channels: Channels,
    channel: str,
    reader: Reader,
    happenings: Sequence[Happening],
    instant: Instant,
    sent_today: tuple[int, int],
) -> Verdict:
    """Decide on each message, then on the e-mail or SMS about those that are left.

    `sent_today` is how many were sent to the person, and about the conversation.
    """
    settings = channels.settings
    reasons = [
        reader.barred(each) or decide(settings, each.occasion, instant, reader.recipient)
        for each in happenings
    ]
    left = [each for each, reason in zip(happenings, reasons, strict=True) if reason is None]
    if not left:
        return Verdict(reader, happenings, reasons[-1])
    missing = _find_missing(channels, channel, reader)
    limits = Limits(channels.limits_of(channel), missing, *sent_today)
    reason = decide(settings, left[-1].occasion, instant, reader.recipient, limits)
    return Verdict(reader, left, reason)


def _find_missing(channels: Channels, channel: str, reader: Reader) -> Reason | None:
    """Return the reason if a person has no address or number, and the provider needs it."""
    is_mail = channel == EMAIL
    address = reader.contact.email if is_mail else reader.contact.phone_number
    if address is not None or not channels.needs_address(channel):
        return None
    return Reason.MISSING_EMAIL if is_mail else Reason.MISSING_PHNO

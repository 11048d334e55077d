"""Write the e-mails and SMS about unread messages that are due.

What is decided, and what is sent, is stored with what says that it is done: once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import msgspec
import structlog

from hubbub.domain.notices.decide import Limits, decide
from hubbub.domain.notices.entries import logged
from hubbub.domain.notices.local_time import Instant
from hubbub.domain.notices.planning.channels import Channels, read_channels
from hubbub.domain.notices.planning.happening import Describe, Happening
from hubbub.domain.notices.planning.reader import Reader, find_reader
from hubbub.domain.notices.planning.unsubscribe import Subscriber, unsubscribe_url
from hubbub.domain.notices.replies.tag import make_tag
from hubbub.domain.notices.unread import UnreadContent
from hubbub.kernel.errors import Unavailable
from hubbub.outbox.log import LogEntry as Event
from hubbub.records.messages.events import MessageSent
from hubbub.records.notices import store
from hubbub.records.notices.model import (
    EMAIL,
    NEVER,
    UNREAD,
    Bundle,
    MailContent,
    SmsContent,
    Sum,
    UnreadNotice,
)
from hubbub.records.notices.unread import (
    count_sent,
    find_next_unread,
    find_read,
    list_due_unread,
    list_unread_messages,
    lock_unread,
    store_unread,
)
from hubbub.records.notifications.logs import LogEntry, insert_logs
from hubbub.records.notifications.reasons import Reason
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction

AT_ONCE = 50
"""The e-mails and SMS that are written under one lease."""
LEASE_MS = 60_000
DEFECT_MS = 3_600_000
"""After so long, one that has failed for a defect is tried again."""
MOST_MESSAGES = 200
"""The messages that one e-mail or SMS is about; further ones are left to the next."""
EXPIRY_SECONDS = 86_400
log = structlog.get_logger()
_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class Letter:
    """What has become of an e-mail or SMS that was due."""

    notice: UnreadNotice
    """As it was."""
    upto: int
    """The id of the last message that was looked at."""
    interval: int
    """How many seconds after its first message the next one is due."""
    bundle: Bundle | None = None
    sum: Sum | None = None
    entry: LogEntry | None = None
    is_over: bool = False
    """Whether nothing more is written: the app has no provider."""


class WritingRun:
    """One lease of the queue of unwritten e-mails and SMS of an app."""

    def __init__(self, runtime: Runtime, describe: Describe, app_id: str) -> None:
        self._runtime = runtime
        self._describe = describe
        self._app_id = app_id
        self._lease = runtime.ids.hexadecimal(32)
        self._is_ending = False

    def end(self) -> None:
        """Write nothing more."""
        self._is_ending = True

    async def work(self) -> None:
        """Write what is due, unless another node does."""
        database, app_id = self._runtime.database, self._app_id
        if not await database.write(app_id, self._claim):
            return
        try:
            channels = await database.read(app_id, partial(read_channels, self._runtime))
            for notice in await database.read(app_id, self._list_due):
                if self._is_ending:
                    break
                await self._write(channels, notice)
        finally:
            await database.write(app_id, self._release)

    async def _write(self, channels: Channels, notice: UnreadNotice) -> None:
        """Write one; a defect is logged, and holds up no other one."""
        database, app_id = self._runtime.database, self._app_id
        try:
            letter = await _write(self._runtime, self._describe, app_id, channels, notice)
            await database.write(app_id, partial(_store, self._runtime, letter))
        except Unavailable:
            raise
        except Exception as defect:
            log.error("letter_failed", app=app_id, channel=notice.channel, exc_info=defect)
            later = replace(notice, due_at=self._now() + DEFECT_MS)
            await database.write(app_id, lambda tx: store_unread(tx, later))

    async def _list_due(self, snapshot: Snapshot) -> list[UnreadNotice]:
        return await list_due_unread(snapshot, self._now(), limit=AT_ONCE)

    async def _claim(self, tx: Transaction) -> bool:
        """Take the lease; return False if another node has it, or nothing is due."""
        queue = await store.lock_queue(tx, UNREAD)
        if queue is None or self._now() < max(queue.due_at, queue.leased_until):
            return False
        until = self._now() + LEASE_MS if self._runtime.database.is_shared else 0
        await store.store_queue(tx, replace(queue, lease=self._lease, leased_until=until))
        return True

    async def _release(self, tx: Transaction) -> None:
        """Give the lease back, and store when the next one is due."""
        queue = await store.lock_queue(tx, UNREAD)
        if queue is not None and queue.lease == self._lease:
            due_at = await find_next_unread(tx)
            await store.store_queue(tx, replace(queue, due_at=due_at, lease="", leased_until=0))

    def _now(self) -> int:
        return self._runtime.clock.milliseconds()


async def _write(
    runtime: Runtime, describe: Describe, app_id: str, channels: Channels, notice: UnreadNotice
) -> Letter:
    """Return what becomes of an e-mail or SMS that is due."""
    interval = channels.limits_of(notice.channel).interval_seconds
    if not channels.has(notice.channel):
        return Letter(notice, notice.after_id, interval, is_over=True)
    only_unread = channels.limits_of(notice.channel).unread_only

    async def find_sent(snapshot: Snapshot) -> tuple[int, list[MessageSent]]:
        after = notice.after_id
        if only_unread:
            after = max(after, await find_read(snapshot, notice.conversation, notice.uid))
        return after, await list_unread_messages(snapshot, notice, after, limit=MOST_MESSAGES)

    after, sent = await runtime.database.read(app_id, find_sent)
    upto = max((each.message for each in sent), default=after)
    described = await describe(runtime, app_id, [Event(0, "", each) for each in sent])
    happenings = [each for each in described if each is not None]
    if not happenings:
        return Letter(notice, upto, interval)
    instant = Instant(runtime.clock.milliseconds() / 1000)
    reader = await runtime.database.read(
        app_id,
        lambda snapshot: find_reader(
            snapshot, channels, notice.channel, notice.uid, happenings, instant
        ),
    )
    blocked = reader.blocked if reader else ()
    told = [each for each in happenings if each.occasion.actor not in blocked]
    if reader is None or not told:
        return Letter(notice, upto, interval)
    letter = decide_letter(runtime, app_id, channels, notice, reader, told, instant)
    return replace(letter, upto=upto)


def decide_letter(
    runtime: Runtime,
    app_id: str,
    channels: Channels,
    notice: UnreadNotice,
    reader: Reader,
    happenings: Sequence[Happening],
    instant: Instant,
) -> Letter:
    """Decide on each message, then on the e-mail or SMS about those that are left."""
    settings = channels.settings
    interval = channels.limits_of(notice.channel).interval_seconds
    upto = happenings[-1].event.message
    reasons = [decide(settings, each.occasion, instant, reader.recipient) for each in happenings]
    left = [each for each, reason in zip(happenings, reasons, strict=True) if reason is None]
    about = (left or happenings)[-1].about()
    reason = reasons[-1]
    if left:
        limits = _limits(channels, notice, reader)
        reason = decide(settings, left[-1].occasion, instant, reader.recipient, limits)
    now_ms = runtime.clock.milliseconds()
    if reason is not None:
        entry = logged(
            about,
            notice.uid,
            notice.channel,
            started_at_ms=now_ms,
            ended_at_ms=now_ms,
            is_triggered=False,
            reason=reason,
        )
        return Letter(notice, upto, interval, entry=entry)
    uses_privacy = reader.recipient.preferences.uses_privacy_template
    content = UnreadContent(
        settings.templates, [each.occasion for each in left], is_private=uses_privacy
    )
    stored = _stored(runtime, app_id, notice, reader, content, left[-1])
    bundle = Bundle(
        notice.channel, runtime.ids.hexadecimal(24), now_ms, 0, _encode(stored).decode()
    )
    counted = Sum(notice.channel, notice.uid, reader.day, notice.conversation)
    return Letter(notice, upto, interval, bundle, counted)


def _limits(channels: Channels, notice: UnreadNotice, reader: Reader) -> Limits:
    is_mail = notice.channel == EMAIL
    address = reader.contact.email if is_mail else reader.contact.phone_number
    missing = None
    if address is None and channels.needs_address(notice.channel):
        missing = Reason.MISSING_EMAIL if is_mail else Reason.MISSING_PHNO
    return Limits(
        channels.limits_of(notice.channel),
        missing,
        sum(reader.sums.values()),
        reader.sums.get(notice.conversation, 0),
    )


def _stored(
    runtime: Runtime,
    app_id: str,
    notice: UnreadNotice,
    reader: Reader,
    content: UnreadContent,
    newest: Happening,
) -> MailContent | SmsContent:
    """Return what the provider is asked to send."""
    user, contact = reader.user, reader.contact
    expires_at = runtime.clock.now() + EXPIRY_SECONDS
    to = {"uid": user.uid, "name": user.name}
    if notice.channel == EMAIL:
        email = contact.email or ""
        return MailContent(
            about=newest.about(),
            uid=user.uid,
            data={"to": {**to, **({"email": email} if email else {})}, **content.mail_data()},
            email=email,
            unsubscribe_url=unsubscribe_url(
                runtime, Subscriber(app_id, user.uid, notice.channel, reader.number)
            ),
            message_id=f"{notice.conversation}.{newest.event.message}.{runtime.ids.hexadecimal(16)}",
            expires_at=expires_at,
            reply_tag=make_tag(runtime.sealer, app_id, user.uid, notice.conversation),
        )
    number = contact.phone_number or ""
    return SmsContent(
        about=newest.about(),
        uid=user.uid,
        data={"to": {**to, **({"phno": number} if number else {})}, **content.sms_data()},
        phone_number=number,
        expires_at=expires_at,
    )


async def _store(runtime: Runtime, letter: Letter, tx: Transaction) -> None:
    """Store what has become of an e-mail or SMS, unless another node has done so."""
    notice = await lock_unread(tx, letter.notice)
    if notice != letter.notice:
        return
    later = await _list_later(tx, letter)
    due_at = 1000 * (later[0].at + letter.interval) if later else NEVER
    await store_unread(tx, replace(notice, due_at=due_at, after_id=letter.upto))
    if letter.bundle is not None and letter.sum is not None:
        await store.insert_bundles(tx, [letter.bundle])
        await count_sent(tx, [letter.sum])
    if letter.entry is not None:
        await insert_logs(tx, runtime.ids, [letter.entry])


async def _list_later(tx: Transaction, letter: Letter) -> list[MessageSent]:
    """Return the first message that has come since the others were read, if there is one."""
    if letter.is_over:
        return []
    return await list_unread_messages(tx, letter.notice, letter.upto, limit=1)

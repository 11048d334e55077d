"""Write the e-mails and SMS about unread messages that are due.

What is decided, and what is sent, is stored with what says that it is done: once.
"""

from dataclasses import dataclass, replace
from functools import partial

import msgspec
import structlog

from hubbub.domain.notices.entries import insert_entries, refused
from hubbub.domain.notices.planning.channels import Channels, read_channels
from hubbub.domain.notices.planning.verdict import Verdict, judge_letter
from hubbub.kernel.clock import NEVER
from hubbub.kernel.errors import Unavailable
from hubbub.kernel.steps import is_set_back
from hubbub.records.messages.events import MessageSent
from hubbub.records.notices import store
from hubbub.records.notices.model import (
    EMAIL,
    LONGEST_LEASE_MS,
    SMS,
    UNREAD,
    Bundle,
    LetterContent,
    Queue,
    Sum,
    UnreadNotice,
)
from hubbub.records.notices.unread import (
    count_sent,
    find_next_unread,
    find_read,
    hurry_unread,
    list_due_unread,
    list_unread_messages,
    lock_unread,
    store_unread,
)
from hubbub.records.notifications.logs import LogEntry
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction

AT_ONCE = 50
"""The e-mails and SMS that are written under one lease."""
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

    def __init__(self, runtime: Runtime, app_id: str) -> None:
        self._runtime = runtime
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
            letter = await _write(self._runtime, app_id, channels, notice)
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
        queue, now = await self._lock(tx), self._now()
        if queue is None or now < queue.due_at or queue.is_leased(now):
            return False
        until = now + LONGEST_LEASE_MS if self._runtime.database.is_shared else 0
        claimed = replace(queue, lease=self._lease, leased_until=until, stored_at=now)
        await store.store_queue(tx, claimed)
        return True

    async def _lock(self, tx: Transaction) -> Queue | None:
        """Lock the queue; if the clock was set back since it was stored, no pause is longer.

        What waits is written at the latest after its whole interval: not before people expect it.
        """
        queue, now = await store.lock_queue(tx, UNREAD), self._now()
        if queue is None or not is_set_back(queue.stored_at, now):
            return queue
        channels = await read_channels(self._runtime, tx)
        for channel in (EMAIL, SMS):
            latest = now + 1000 * channels.limits_of(channel).interval_seconds
            await hurry_unread(tx, channel, latest)
        return replace(queue, due_at=min(queue.due_at, now))

    async def _release(self, tx: Transaction) -> None:
        """Give the lease back, and store when the next one is due."""
        queue = await self._lock(tx)
        if queue is not None and queue.lease == self._lease:
            due_at, now = await find_next_unread(tx), self._now()
            released = replace(queue, due_at=due_at, lease="", leased_until=0, stored_at=now)
            await store.store_queue(tx, released)

    def _now(self) -> int:
        return self._runtime.clock.milliseconds()


async def _write(runtime: Runtime, app_id: str, channels: Channels, notice: UnreadNotice) -> Letter:
    """Return what becomes of an e-mail or SMS that is due."""
    interval = channels.limits_of(notice.channel).interval_seconds
    if not channels.has(notice.channel):
        return Letter(notice, notice.after_id, interval, is_over=True)
    only_unread = channels.limits_of(notice.channel).unread_only

    async def find_unread(snapshot: Snapshot) -> tuple[int, list[MessageSent]]:
        after = notice.after_id
        if only_unread:
            after = max(after, await find_read(snapshot, notice.conversation, notice.uid))
        return after, await list_unread_messages(snapshot, notice, after, limit=MOST_MESSAGES)

    after, sent = await runtime.database.read(app_id, find_unread)
    upto = max((each.message for each in sent), default=after)
    verdict = await judge_letter(
        runtime, app_id, channels, notice.channel, notice.uid, sent, is_counted=False
    )
    if verdict is None:
        return Letter(notice, upto, interval)
    now_ms = runtime.clock.milliseconds()
    if verdict.reason is not None:
        entry = refused(notice.channel, notice.uid, verdict.about, verdict.reason, now_ms)
        return Letter(notice, upto, interval, entry=entry)
    content = _encode(content_of(runtime, notice, verdict)).decode()
    bundle = Bundle(notice.channel, runtime.ids.hexadecimal(24), now_ms, 0, content)
    counted = Sum(notice.channel, notice.uid, verdict.reader.day, notice.conversation)
    return Letter(notice, upto, interval, bundle, counted)


def content_of(runtime: Runtime, notice: UnreadNotice, verdict: Verdict) -> LetterContent:
    """Return what is stored of an e-mail or SMS until it is sent."""
    newest = verdict.happenings[-1].event.message
    return LetterContent(
        about=verdict.about,
        uid=notice.uid,
        expires_at=runtime.clock.now() + EXPIRY_SECONDS,
        messages=[each.event.message for each in verdict.happenings],
        number=verdict.reader.number,
        sender_number=verdict.reader.senders.get(verdict.about.sender, 0),
        message_id=f"{notice.conversation}.{newest}.{runtime.ids.hexadecimal(16)}",
    )


async def _store(runtime: Runtime, letter: Letter, tx: Transaction) -> None:
    """Store what has become of an e-mail or SMS, unless another node has done so."""
    notice = await lock_unread(tx, letter.notice)
    if notice != letter.notice:
        return
    later = await _list_later(tx, letter)
    now, pause = runtime.clock.milliseconds(), 1000 * letter.interval
    due_at = min(1000 * later[0].at, now) + pause if later else NEVER
    await store_unread(tx, replace(notice, due_at=due_at, after_id=letter.upto))
    if letter.bundle is not None and letter.sum is not None:
        await store.insert_bundles(tx, [letter.bundle], now)
        await count_sent(tx, [letter.sum])
    if letter.entry is not None:
        await insert_entries(tx, runtime.ids, [letter.entry])


async def _list_later(tx: Transaction, letter: Letter) -> list[MessageSent]:
    """Return the first message that has come since the others were read, if there is one."""
    if letter.is_over:
        return []
    return await list_unread_messages(tx, letter.notice, letter.upto, limit=1)

"""Have the digests sent that are due: e-mails and SMS about unread messages.

What is decided, and what is sent, is stored with what says that it is done: once.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import msgspec
import structlog

from hubbub.domain.notifications.logs import insert_entries, refused
from hubbub.domain.notifications.planning.channels import Channels, read_channels
from hubbub.domain.notifications.planning.decide_digest import Verdict, judge_digest
from hubbub.kernel.clock import NEVER
from hubbub.outbox.work.kind import Work
from hubbub.records.messages.events import MessageSent
from hubbub.records.notifications.logs import NotificationEntry
from hubbub.records.notifications.sending import store
from hubbub.records.notifications.sending.digests import (
    count_sent,
    find_next_unread,
    find_read,
    hurry_unread,
    list_due_unread,
    list_unread_messages,
    lock_unread,
    store_unread,
)
from hubbub.records.notifications.sending.model import (
    EMAIL,
    SMS,
    UNREAD,
    Bundle,
    DigestContent,
    NotificationQueue,
    PendingDigest,
    Sum,
)
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction

AT_ONCE = 50
"""The digests that are read at once."""
DEFECT_MS = 3_600_000
"""After so long, one that has failed for a defect is tried again."""
MOST_MESSAGES = 200
"""The messages that one digest is about; further ones are left to the next."""
EXPIRY_SECONDS = 86_400
log = structlog.get_logger()
_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class WrittenDigest:
    """What has become of a digest that was due."""

    pending: PendingDigest
    """As it was."""
    upto: int
    """The id of the last message that was looked at."""
    interval: int
    """How many seconds after its first message the next one is due."""
    bundle: Bundle | None = None
    sum: Sum | None = None
    entry: NotificationEntry | None = None
    is_over: bool = False
    """Whether nothing more is written: the app has no provider."""


class Unwritten(NamedTuple):
    """A digest that is due, and what its app has set up."""

    pending: PendingDigest
    channels: Channels


class Writing(Work[str, Unwritten, None, NotificationQueue]):
    """The digests that an app has still to write: a kind of deferred work.

    All are one partition: each is stored before the next is decided on, which counts it.
    """

    def __init__(self, runtime: Runtime, app_id: str) -> None:
        self._runtime = runtime
        self._app_id = app_id

    async def hurry(self, tx: Transaction, queue: NotificationQueue, now: int) -> NotificationQueue:
        """Have what waits written after its whole interval, and not before people expect it."""
        channels = await read_channels(self._runtime, tx)
        for channel in (EMAIL, SMS):
            latest = now + 1000 * channels.limits_of(channel).interval_seconds
            await hurry_unread(tx, channel, latest)
        return queue

    async def find_next_due(self, tx: Transaction, queue: NotificationQueue) -> int:
        return await find_next_unread(tx)

    async def list_next(
        self, busy: Collection[str], free: int
    ) -> Mapping[str, Sequence[Unwritten]]:
        found = await self._runtime.database.read(self._app_id, self._read)
        return {UNREAD: found} if found else {}

    async def _read(self, snapshot: Snapshot) -> list[Unwritten]:
        now = self._runtime.clock.milliseconds()
        found = await list_due_unread(snapshot, now, limit=AT_ONCE)
        if not found:
            return []
        channels = await read_channels(self._runtime, snapshot)
        return [Unwritten(pending, channels) for pending in found]

    async def do(self, item: Unwritten) -> None:
        """Write one and store it, if it is still as it was: that is its fencing."""
        written = await _write(self._runtime, self._app_id, *item)
        await self._runtime.database.write(self._app_id, partial(_store, self._runtime, written))

    async def after_defect(self, item: Unwritten, defect: Exception) -> None:
        pending = item.pending
        log.error("letter_failed", app=self._app_id, channel=pending.channel, exc_info=defect)
        later = replace(pending, due_at=self._runtime.clock.milliseconds() + DEFECT_MS)
        await self._runtime.database.write(self._app_id, lambda tx: store_unread(tx, later))

    async def settle(
        self, tx: Transaction, queue: NotificationQueue, done: Sequence[None]
    ) -> NotificationQueue:
        return queue


async def _write(
    runtime: Runtime, app_id: str, pending: PendingDigest, channels: Channels
) -> WrittenDigest:
    """Return what becomes of a digest that is due."""
    interval = channels.limits_of(pending.channel).interval_seconds
    if not channels.has(pending.channel):
        return WrittenDigest(pending, pending.after_id, interval, is_over=True)
    only_unread = channels.limits_of(pending.channel).unread_only

    async def find_unread(snapshot: Snapshot) -> tuple[int, list[MessageSent]]:
        after = pending.after_id
        if only_unread:
            after = max(after, await find_read(snapshot, pending.conversation, pending.uid))
        return after, await list_unread_messages(snapshot, pending, after, limit=MOST_MESSAGES)

    after, sent = await runtime.database.read(app_id, find_unread)
    upto = max((each.message for each in sent), default=after)
    verdict = await judge_digest(
        runtime, app_id, channels, pending.channel, pending.uid, sent, is_counted=False
    )
    if verdict is None:
        return WrittenDigest(pending, upto, interval)
    now_ms = runtime.clock.milliseconds()
    if verdict.reason is not None:
        entry = refused(pending.channel, pending.uid, verdict.about, verdict.reason, now_ms)
        return WrittenDigest(pending, upto, interval, entry=entry)
    content = _encode(content_of(runtime, pending, verdict)).decode()
    bundle = Bundle(pending.channel, runtime.ids.hexadecimal(24), now_ms, 0, content)
    counted = Sum(pending.channel, pending.uid, verdict.reader.day, pending.conversation)
    return WrittenDigest(pending, upto, interval, bundle, counted)


def content_of(runtime: Runtime, pending: PendingDigest, verdict: Verdict) -> DigestContent:
    """Return what is stored of a digest until it is sent."""
    newest = verdict.happenings[-1].event.message
    return DigestContent(
        about=verdict.about,
        uid=pending.uid,
        expires_at=runtime.clock.now() + EXPIRY_SECONDS,
        messages=[each.event.message for each in verdict.happenings],
        number=verdict.reader.number,
        sender_number=verdict.reader.senders.get(verdict.about.sender, 0),
        message_id=f"{pending.conversation}.{newest}.{runtime.ids.hexadecimal(16)}",
    )


async def _store(runtime: Runtime, written: WrittenDigest, tx: Transaction) -> None:
    """Store what has become of a digest, unless another node has done so."""
    pending = await lock_unread(tx, written.pending)
    if pending != written.pending:
        return
    later = await _list_later(tx, written)
    now, pause = runtime.clock.milliseconds(), 1000 * written.interval
    due_at = min(1000 * later[0].at, now) + pause if later else NEVER
    await store_unread(tx, replace(pending, due_at=due_at, after_id=written.upto))
    if written.bundle is not None and written.sum is not None:
        await store.insert_bundles(tx, [written.bundle], now)
        await count_sent(tx, [written.sum])
    if written.entry is not None:
        await insert_entries(tx, runtime.ids, [written.entry])


async def _list_later(tx: Transaction, written: WrittenDigest) -> list[MessageSent]:
    """Return the first message that has come since the others were read, if there is one."""
    if written.is_over:
        return []
    return await list_unread_messages(tx, written.pending, written.upto, limit=1)

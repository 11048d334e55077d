"""Send notifications: a kind of deferred work (`outbox/work/`), with a queue for each provider.

Its runs also do the work of `planning/due_digests.py`: the queue of what an app has still to write.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

import structlog

from hubbub.domain.notifications.logs import insert_entries
from hubbub.domain.notifications.planning.bundling import ID_LENGTH
from hubbub.domain.notifications.planning.due_digests import Writing
from hubbub.domain.notifications.sending.contents import Part, open_bundle
from hubbub.domain.notifications.sending.gateways import Gateway, Gateways
from hubbub.domain.notifications.sending.pushes import PushPart
from hubbub.domain.notifications.sending.settle import Answered, Settled, settle
from hubbub.kernel.errors import Unavailable
from hubbub.outbound.answer import find_pause
from hubbub.outbox.work.kind import Work, WorkKind
from hubbub.outbox.work.queue import Due
from hubbub.outbox.work.runs import Runs
from hubbub.providers.calls import TIMEOUT_SECONDS
from hubbub.records.devices.model import PushDevice
from hubbub.records.devices.store import delete_unchanged_devices
from hubbub.records.notifications.logs import delete_waiting
from hubbub.records.notifications.sending import store
from hubbub.records.notifications.sending.model import UNREAD, Bundle, NotificationQueue, Recipient
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

WIDTH = 8
"""The bundles of a provider that are sent at once."""
WIDTH_BESIDE = 1
"""The same while messages are being stored: to render a bundle takes long."""
MOST_STORED = 200
"""With so many entries a transaction is large enough: messages wait while it runs."""
LEASE_SECONDS = 30.0
"""How long a lease outlasts what stored it: a bundle is many calls, of which some wait."""
LONGEST_REST = 0.3
"""A round is one bundle: a longer rest would keep people waiting for their push."""

log = structlog.get_logger()
Parcel = tuple[Bundle, Gateway]


def notification_runs(
    runtime: Runtime, *, width_beside: int = WIDTH_BESIDE
) -> Runs[str, NotificationQueue]:
    """Return the runs of a node that write and send notifications."""
    gateways = Gateways(runtime)

    def open_queue(due: Due[str]) -> Sending | Writing:
        if due.queue == UNREAD:
            return Writing(runtime, due.app_id)
        return Sending(runtime, due, gateways, width_beside)

    kind = WorkKind(
        name="notices",  # an earlier word, which operators have in their logs
        list_due=store.list_due_queues,
        lock=store.lock_queue,
        store=store.store_queue,
        open=open_queue,
        call_seconds=TIMEOUT_SECONDS,
        lease_seconds=LEASE_SECONDS,
        longest_rest=LONGEST_REST,
    )
    return Runs(runtime, kind)


class Sending(Work[str, Parcel, Settled, NotificationQueue]):
    """The bundles for a provider, while a run has the lease of its queue; each is a partition."""

    def __init__(
        self,
        runtime: Runtime,
        due: Due[str],
        gateways: Gateways,
        width_beside: int,
    ) -> None:
        self._runtime = runtime
        self._app_id, self._provider = due
        self._gateways = gateways
        self._width_beside = width_beside

    def width(self, runs: int) -> int:
        return self._width_beside if self._runtime.batches.is_busy else WIDTH

    async def hurry(self, tx: Transaction, queue: NotificationQueue, now: int) -> NotificationQueue:
        await store.hurry_bundles(tx, self._provider, now)
        return replace(queue, paused_until=0)

    async def find_next_due(self, tx: Transaction, queue: NotificationQueue) -> int:
        return max(queue.paused_until, await store.find_next_due(tx, self._provider))

    async def list_next(self, busy: Collection[str], free: int) -> Mapping[str, Sequence[Parcel]]:
        bundles = await self._runtime.database.read(
            self._app_id,
            lambda snapshot: store.list_bundles(
                snapshot, self._provider, self._now(), busy=busy, limit=free
            ),
        )
        if not bundles:
            return {}
        gateway = await self._gateways.find(self._app_id, self._provider)
        return {bundle.id: [(bundle, gateway)] for bundle in bundles}

    async def do(self, item: Parcel) -> Settled:
        bundle, gateway = item
        try:
            answered = await self._send(bundle, gateway)
        except Unavailable:
            # Of one bundle: to read what it says may be too much at the moment. It is put off, and
            # the others go on.
            answered = Answered(bundle, None, is_undecided=True)
        return self._settle(answered)

    async def after_defect(self, item: Parcel, defect: Exception) -> Settled:
        bundle, _ = item
        log.error("bundle_failed", app=self._app_id, bundle=bundle.id, exc_info=defect)
        return self._settle(Answered(bundle, None))

    async def _send(self, bundle: Bundle, gateway: Gateway) -> Answered:
        """Have the provider send what is still worth something of a bundle."""
        began_ms = self._now()
        content = await open_bundle(self._runtime, self._app_id, bundle, gateway)
        results = await content.send() if content.parts else []
        for result in results:
            self._runtime.notifications.outcomes[gateway.kind, result.outcome] += 1
        return Answered(bundle, content, results, began_ms)

    def _settle(self, answered: Answered) -> Settled:
        new_id = partial(self._runtime.ids.hexadecimal, ID_LENGTH)
        return settle(answered, self._now(), self._runtime.settings.notification_retries, new_id)

    def is_enough(self, done: Sequence[Settled]) -> bool:
        return sum(each.rows for each in done) >= MOST_STORED

    async def settle(
        self, tx: Transaction, queue: NotificationQueue, done: Sequence[Settled]
    ) -> NotificationQueue:
        now, pauses = self._now(), self._runtime.settings.notification_retries
        await store.put_off_bundles(tx, [each.rests[0] for each in done if each.rests])
        others = [rest for each in done for rest in each.rests[1:]]
        if others:
            await store.insert_bundles(tx, others, now)
        over = [each.bundle_id for each in done if not each.rests]
        await store.delete_bundles(tx, self._provider, over)
        judged = _judge(queue, done, now, pauses)
        await self._log(tx, done, judged.paused_until)
        await _remove_tokens(tx, done)
        return judged

    async def _log(self, tx: Transaction, done: Sequence[Settled], paused_until: int) -> None:
        """Store entries of the log: outcomes take the place of entries of what waited."""
        waited = {id_ for each in done for id_ in each.waited}
        if waited:
            await delete_waiting(tx, waited)
        entries = [entry for each in done for entry in each.entries]
        waiting = {
            id_: entry.not_before(paused_until)
            for each in done
            for id_, entry in each.waiting.items()
        }
        await insert_entries(tx, self._runtime.ids, entries, waiting)

    async def follow_up(
        self, before: NotificationQueue, after: NotificationQueue, done: Sequence[Settled]
    ) -> float | None:
        """Log once that the provider has failed, and once that it is back."""
        where = {"app": self._app_id, "provider": self._provider}
        if after.failures and not before.failures:
            reason = next((each.failure for each in done if each.failure), "")
            log.warning("provider_failing", reason=reason, **where)
        elif before.failures and not after.failures:
            log.info("provider_back", failures=before.failures, **where)
        return None if after.paused_until > self._now() else 0.0

    def _now(self) -> int:
        return self._runtime.clock.milliseconds()


def _judge(
    queue: NotificationQueue, done: Sequence[Settled], now: int, pauses: Sequence[float]
) -> NotificationQueue:
    """Return the queue; a provider that was not reached, or too often, is left alone a while."""
    is_too_fast = any(each.is_too_fast for each in done)
    if any(each.has_reached for each in done) and not is_too_fast:
        return queue.working()
    if all(each.failure is None for each in done):
        return queue
    until = now + round(1000 * find_pause(pauses, queue.failures))
    if is_too_fast:
        until = max(until, *(rest.due_at for each in done for rest in each.rests))
    return queue.put_off(until, now)


async def _remove_tokens(tx: Transaction, done: Sequence[Settled]) -> None:
    gone: Sequence[Part] = [part for each in done for part in each.gone]
    tokens = [part.recipient for part in gone if isinstance(part, PushPart)]
    if tokens:
        await delete_unchanged_devices(tx, [_device_of(each) for each in tokens])


def _device_of(recipient: Recipient) -> PushDevice:
    """Return a device as it was when the push was planned."""
    return PushDevice(
        uid=recipient.uid,
        platform=recipient.platform,
        token=recipient.token,
        provider_id=None,
        auth_hash="",
        created_at=0,
        updated_at=recipient.updated_at,
    )

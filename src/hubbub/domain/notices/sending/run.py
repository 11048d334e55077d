"""A run: one lease of the queue of a provider, from the claim until nothing more is due."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial

import structlog

from hubbub.domain.notices.entries import insert_entries
from hubbub.domain.notices.planning.bundling import ID_LENGTH
from hubbub.domain.notices.sending.contents import Part, open_bundle
from hubbub.domain.notices.sending.gateways import Gateway
from hubbub.domain.notices.sending.pushes import PushPart
from hubbub.domain.notices.sending.settle import Answered, Settled, find_pause, settle
from hubbub.kernel.errors import Unavailable
from hubbub.kernel.steps import is_set_back
from hubbub.records.devices.model import Device
from hubbub.records.devices.store import delete_unchanged_devices
from hubbub.records.notices import store
from hubbub.records.notices.model import Bundle, Queue, Recipient
from hubbub.records.notifications.logs import delete_waiting
from hubbub.runtime import Runtime
from hubbub.storage.interface import Operation, Result, Transaction

WIDTH = 8
"""The bundles of a provider that are sent at once."""
WIDTH_BESIDE = 1
"""The same while messages are being stored."""
MOST_STORED = 200
"""With so many answers a transaction is large enough: messages wait while it runs."""
REST = 5.0
"""While messages are being stored: the pause between rounds, in times of what one took."""
LONGEST_REST = 0.3
LEASE_SECONDS = 30.0
"""How long a lease outlasts what stored it, if its node has died: longer than a call may take."""

log = structlog.get_logger()
FindGateway = Callable[[], Awaitable[Gateway]]


class LostLease(Exception):
    """Another node sends for the queue."""


class Run:
    """One lease of a queue."""

    def __init__(
        self,
        runtime: Runtime,
        app_id: str,
        provider: str,
        find_gateway: FindGateway,
    ) -> None:
        self._runtime = runtime
        self._app_id = app_id
        self._provider = provider
        self._find_gateway = find_gateway
        self._lease = runtime.ids.hexadecimal(32)
        self._busy: dict[str, asyncio.Task[Answered]] = {}
        self._is_ending = False

    def end(self) -> None:
        """Send no further bundles: the run ends when the answers to the others are stored."""
        self._is_ending = True

    async def work(self) -> None:
        """Send until nothing is due, the provider is to be left alone, or the lease is lost."""
        self._runtime.outbound.call_for(self._app_id)
        if not await self._write(self._claim):
            return
        try:
            while await self._go_on():
                pass
        except LostLease:
            pass
        finally:
            for task in self._busy.values():
                task.cancel()
            await self._write(self._release)

    async def _go_on(self) -> bool:
        """Start bundles that are due, wait for one, store answers; return whether to go on."""
        began = self._runtime.clock.monotonic()
        try:
            if not self._is_ending:
                await self._start_bundles()
        except Unavailable:
            self._is_ending = True  # what is being sent ends first, so that it is not sent again
        if not self._busy:
            return False
        await asyncio.wait(self._busy.values(), return_when=asyncio.FIRST_COMPLETED)
        answered = self._take_answered()
        now, pauses = self._now(), self._runtime.settings.notification_retries
        settled = [settle(each, now, pauses, self._new_id) for each in answered]
        queue = await self._write(partial(self._store, answered, settled))
        if queue.paused_until > self._now():
            self._is_ending = True
        elif self._runtime.batches.is_busy:  # those who send messages come first
            took = self._runtime.clock.monotonic() - began
            await asyncio.sleep(min(LONGEST_REST, REST * took))
        return True

    def _take_answered(self) -> list[Answered]:
        """Return bundles that are answered, but not many more answers than `MOST_STORED`."""
        taken: list[Answered] = []
        for id_ in [id_ for id_, task in self._busy.items() if task.done()]:
            if sum(len(each.results) for each in taken) < MOST_STORED:
                taken.append(self._busy.pop(id_).result())
        return taken

    async def _start_bundles(self) -> None:
        width = WIDTH_BESIDE if self._runtime.batches.is_busy else WIDTH
        free = width - len(self._busy)
        if free <= 0:
            return
        bundles = await self._runtime.database.read(
            self._app_id,
            lambda snapshot: store.list_bundles(
                snapshot, self._provider, self._now(), busy=self._busy, limit=free
            ),
        )
        if bundles:
            gateway = await self._find_gateway()
            for bundle in bundles:
                self._busy[bundle.id] = asyncio.create_task(self._try_bundle(bundle, gateway))

    async def _try_bundle(self, bundle: Bundle, gateway: Gateway) -> Answered:
        """Send a bundle; one that can't be read, or a defect, holds up no other bundle."""
        try:
            return await self._send_bundle(bundle, gateway)
        except Unavailable:
            return Answered(bundle, None, is_undecided=True)
        except Exception as defect:
            log.error("bundle_failed", app=self._app_id, bundle=bundle.id, exc_info=defect)
            return Answered(bundle, None)

    async def _send_bundle(self, bundle: Bundle, gateway: Gateway) -> Answered:
        """Have the provider send what is still worth something of a bundle."""
        began_ms = self._now()
        content = await open_bundle(self._runtime, self._app_id, bundle, gateway)
        results = await content.send() if content.parts else []
        for result in results:
            self._runtime.notifications.outcomes[gateway.kind, result.outcome] += 1
        return Answered(bundle, content, results, began_ms)

    async def _claim(self, tx: Transaction) -> bool:
        """Take the lease of the queue; return False if another run has it, or nothing is due."""
        queue, now = await self._lock(tx), self._now()
        if queue is None or now < max(queue.due_at, queue.paused_until) or queue.is_leased(now):
            return False
        await store.store_queue(tx, self._extended(queue))
        return True

    async def _store(
        self, answered: Sequence[Answered], settled: Sequence[Settled], tx: Transaction
    ) -> Queue:
        """Store what follows from answers, and extend the lease."""
        queue = await self._lock(tx)
        if queue is None or queue.lease != self._lease:
            raise LostLease
        now, pauses = self._now(), self._runtime.settings.notification_retries
        await store.put_off_bundles(tx, [each.rests[0] for each in settled if each.rests])
        others = [rest for each in settled for rest in each.rests[1:]]
        if others:
            await store.insert_bundles(tx, others, now)
        done = [
            each.bundle.id
            for each, outcome in zip(answered, settled, strict=True)
            if not outcome.rests
        ]
        await store.delete_bundles(tx, self._provider, done)
        judged = _judge(queue, settled, now, pauses)
        await self._log(tx, settled, judged.paused_until)
        await self._remove_tokens(tx, settled)
        self._tell_of(queue, judged, settled)
        queue = self._extended(judged)
        await store.store_queue(tx, queue)
        return queue

    async def _log(self, tx: Transaction, settled: Sequence[Settled], paused_until: int) -> None:
        """Store entries of the log: outcomes take the place of entries of what waited."""
        waited = {id_ for each in settled for id_ in each.waited}
        if waited:
            await delete_waiting(tx, waited)
        entries = [entry for each in settled for entry in each.entries]
        waiting = {
            id_: entry.not_before(paused_until)
            for each in settled
            for id_, entry in each.waiting.items()
        }
        await insert_entries(tx, self._runtime.ids, entries, waiting)

    def _tell_of(self, before: Queue, after: Queue, settled: Sequence[Settled]) -> None:
        """Log once that the provider has failed, and once that it is back."""
        where = {"app": self._app_id, "provider": self._provider}
        if after.failures and not before.failures:
            reason = next((each.failure for each in settled if each.failure), "")
            log.warning("provider_failing", reason=reason, **where)
        elif before.failures and not after.failures:
            log.info("provider_back", failures=before.failures, **where)

    async def _remove_tokens(self, tx: Transaction, settled: Sequence[Settled]) -> None:
        gone: Sequence[Part] = [part for each in settled for part in each.gone]
        tokens = [part.recipient for part in gone if isinstance(part, PushPart)]
        if tokens:
            await delete_unchanged_devices(tx, [_device_of(each) for each in tokens])

    async def _release(self, tx: Transaction) -> None:
        """Give the lease back, and store when the queue is due again."""
        queue = await self._lock(tx)
        if queue is None or queue.lease != self._lease:
            return
        due_at, now = await store.find_next_due(tx, self._provider), self._now()
        due_at = max(due_at, queue.paused_until)
        released = replace(queue, due_at=due_at, lease="", leased_until=0, stored_at=now)
        await store.store_queue(tx, released)

    async def _lock(self, tx: Transaction) -> Queue | None:
        """Lock the queue; if the clock was set back since it was stored, all pauses are over.

        They would last longer than they were meant to, by as much as the clock was set back.
        """
        queue, now = await store.lock_queue(tx, self._provider), self._now()
        if queue is None or not is_set_back(queue.stored_at, now):
            return queue
        await store.hurry_bundles(tx, self._provider, now)
        return replace(queue, due_at=min(queue.due_at, now), paused_until=0)

    def _extended(self, queue: Queue) -> Queue:
        """Return the queue with the lease of this run."""
        is_shared = self._runtime.database.is_shared
        now = self._now()
        until = now + round(1000 * LEASE_SECONDS) if is_shared else 0
        return replace(queue, lease=self._lease, leased_until=until, stored_at=now)

    async def _write(self, operation: Operation[Result]) -> Result:
        return await self._runtime.database.write(self._app_id, operation)

    def _new_id(self) -> str:
        return self._runtime.ids.hexadecimal(ID_LENGTH)

    def _now(self) -> int:
        return self._runtime.clock.milliseconds()


def _judge(queue: Queue, settled: Sequence[Settled], now: int, pauses: Sequence[float]) -> Queue:
    """Return the queue; a provider that was not reached, or too often, is left alone a while."""
    is_too_fast = any(each.is_too_fast for each in settled)
    if any(each.has_reached for each in settled) and not is_too_fast:
        return queue.working()
    if all(each.failure is None for each in settled):
        return queue
    until = now + round(1000 * find_pause(pauses, queue.failures))
    if is_too_fast:
        until = max(until, *(rest.due_at for each in settled for rest in each.rests))
    return queue.put_off(until, now)


def _device_of(recipient: Recipient) -> Device:
    """Return a device as it was when the push was planned."""
    return Device(
        uid=recipient.uid,
        platform=recipient.platform,
        token=recipient.token,
        provider_id=None,
        auth_hash="",
        created_at=0,
        updated_at=recipient.updated_at,
    )

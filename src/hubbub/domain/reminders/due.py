"""Tell people of reminders when they are due: work on the queues of what is scheduled.

A reminder ends in the transaction that announces it, which decides whether it is still wanted: so
it is told once, whatever happens to the node.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import structlog

from hubbub.domain.access.conversations import find_seen
from hubbub.outbox import lock_counters
from hubbub.outbox.work.kind import Work
from hubbub.records.messages.model import Message
from hubbub.records.reminders import store
from hubbub.records.reminders.events import UserReminded
from hubbub.records.reminders.model import REMINDERS, Reminder
from hubbub.records.scheduled.model import ScheduledQueue
from hubbub.records.users.store import find_people
from hubbub.runtime import Runtime
from hubbub.storage.batched import Batched, Batches
from hubbub.storage.interface import Transaction

AT_ONCE = 50
"""The reminders of a transaction: those who send wait while it runs."""
DEFECT_MS = 60_000
"""After so long, reminders that have met a defect are tried again."""
log = structlog.get_logger()


async def remind(tx: Transaction, read: Sequence[Reminder], now: int) -> list[None]:
    """End reminders that are due and as they were read, and announce those of what can be seen."""
    await lock_counters(tx)
    locked = await store.lock_reminders(tx, {each.key for each in read})
    due = [
        each
        for each in read
        if (found := locked.get(each.key)) is not None
        and found.remind_at == each.remind_at
        and found.due_at <= 1000 * now
    ]
    await store.delete_reminders(tx, due)
    for each, message in await _seen(tx, due):
        tx.announce(
            UserReminded(
                message=message.id,
                conversation=message.conversation,
                uid=each.uid,
                remind_at=each.remind_at,
                at=now,
            )
        )
    return [None] * len(read)


async def _seen(tx: Transaction, due: Sequence[Reminder]) -> list[tuple[Reminder, Message]]:
    """Return the reminders whose users still see the message, with it."""
    people = await find_people(tx, {each.uid for each in due})
    of_user: dict[str, list[Reminder]] = {}
    for each in due:
        of_user.setdefault(each.uid, []).append(each)
    seen: list[tuple[Reminder, Message]] = []
    for uid, reminders in of_user.items():
        person = people.get(uid)
        if person is None or not person.user.is_active:
            continue
        messages = await find_seen(tx, person, [each.message for each in reminders])
        seen += [
            (each, messages[each.message])
            for each in reminders
            if each.message in messages and messages[each.message].deleted_at is None
        ]
    return seen


REMIND = Batched[Reminder, None](remind, lock_counters, largest=AT_ONCE)


class DueReminders(Work[str, Sequence[Reminder], None, ScheduledQueue]):
    """The reminders of an app that are due, while a run has the lease of their queue."""

    def __init__(self, runtime: Runtime, app_id: str, batches: Batches) -> None:
        self._runtime = runtime
        self._app_id = app_id
        self._batches = batches

    async def hurry(self, tx: Transaction, queue: ScheduledQueue, now: int) -> ScheduledQueue:
        """Return the queue: times that users have set are never due earlier."""
        return queue

    async def find_next_due(self, tx: Transaction, queue: ScheduledQueue) -> int:
        return await store.find_next_due(tx)

    async def list_next(
        self, busy: Collection[str], free: int
    ) -> Mapping[str, Sequence[Sequence[Reminder]]]:
        now = self._runtime.clock.milliseconds()
        found = await self._runtime.database.read(
            self._app_id, lambda snapshot: store.list_due(snapshot, now, limit=AT_ONCE)
        )
        return {REMINDERS: [found]} if found else {}

    async def do(self, item: Sequence[Reminder]) -> None:
        """Tell people of reminders; one that meets a defect is tried alone."""
        await REMIND.call_all(self._batches, self._app_id, item)

    async def after_defect(self, item: Sequence[Reminder], defect: Exception) -> None:
        """Log what nobody has thought of; what is left of the reminders is tried in a while."""
        log.error("reminders_failed", app=self._app_id, exc_info=defect)
        until = self._runtime.clock.milliseconds() + DEFECT_MS

        async def put_off(tx: Transaction) -> None:
            left = (await store.lock_reminders(tx, {each.key for each in item})).values()
            await store.store_reminders(tx, [replace(each, due_at=until) for each in left])

        await self._runtime.database.write(self._app_id, put_off)

    async def settle(
        self, tx: Transaction, queue: ScheduledQueue, done: Sequence[None]
    ) -> ScheduledQueue:
        return queue

"""Plan notifications: a consumer of the log that stores what people are to be told.

An event with many people, such as a message to a large group, is planned page by page: how far it
has come is stored with the bundles of each page, and the position moves on after the last one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from hubbub.domain.notifications.happening import NOTIFIED, Happening, find_happenings
from hubbub.domain.notifications.logs import insert_entries
from hubbub.domain.notifications.planning.bundling import Bundles
from hubbub.domain.notifications.planning.channels import Channels, read_channels
from hubbub.domain.notifications.planning.decide import is_switched_off, refuses_all
from hubbub.domain.notifications.planning.people import (
    People,
    PeoplePage,
    Served,
    count_people,
    read_page,
    read_people,
)
from hubbub.domain.notifications.planning.plan_people import Planner
from hubbub.outbox.consumer import Consumer, Overtaken, Pace
from hubbub.outbox.log import LogBatch
from hubbub.records.notifications.logs import NotificationEntry
from hubbub.records.notifications.sending import store
from hubbub.records.notifications.sending.digests import await_unread
from hubbub.records.notifications.sending.model import PLANNING, Bundle, PendingDigest
from hubbub.records.notifications.sending.store import START, PlanProgress
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction

MOST_PEOPLE = 1_000
"""The people of a batch; those of one event are divided."""
REST, LONGEST_REST = 1.5, 0.03
"""Beside sends, the pause after a batch."""


@dataclass(frozen=True, slots=True)
class NotificationPlan:
    """What is stored of a batch of events."""

    began: PlanProgress = START
    progress: PlanProgress = START
    """How far the first event that is not planned whole has come."""
    bundles: Sequence[Bundle] = ()
    entries: Sequence[NotificationEntry] = ()
    """Of people who are not told, with the reasons."""
    unread: Sequence[PendingDigest] = ()


@dataclass(slots=True)
class _Reading:
    """The people of a batch of events, as far as they are planned together."""

    channels: Channels
    pages: list[PeoplePage] = field(default_factory=list)
    people: People | None = None
    began: PlanProgress = START
    progress: PlanProgress = START
    upto: int = 0


def notification_consumer(runtime: Runtime) -> Consumer[NotificationPlan]:
    """Return the consumer that plans notifications, in the apps that have a provider."""
    return Consumer(
        PLANNING,
        tuple(NOTIFIED),
        runtime.database,
        partial(_prepare, runtime),
        partial(_apply, runtime),
        runtime.consumers[PLANNING],
        is_optional=True,
        pace=Pace(REST, LONGEST_REST, is_needed=lambda: runtime.batches.is_busy),
    )


async def _prepare(runtime: Runtime, batch: LogBatch) -> tuple[NotificationPlan, int]:
    """Find who is to be told of the events; the verdict is made again when they are told."""
    if not batch.entries:
        return NotificationPlan(), batch.upto
    now_ms = runtime.clock.milliseconds()

    async def within(snapshot: Snapshot) -> _Reading:
        began = await store.find_progress(snapshot)
        entries, upto = batch.entries, batch.upto
        if began.event == entries[0].number:  # page by page: the next events are for later batches
            entries, upto = entries[:1], entries[0].number
        happenings = await find_happenings(snapshot, entries)
        channels = await read_channels(runtime, snapshot)
        reading = _Reading(channels, began=began, upto=upto)
        await _read_pages(snapshot, reading, [each for each in happenings if each is not None])
        reading.people = await read_people(snapshot, channels.settings, reading.pages)
        return reading

    reading = await runtime.database.read(batch.app_id, within)
    return _decide(runtime, reading, now_ms), reading.upto


async def _read_pages(
    snapshot: Snapshot, reading: _Reading, happenings: Sequence[Happening]
) -> None:
    """Read the people of events, until there are enough for one batch."""
    channels = reading.channels
    room = MOST_PEOPLE
    for happening in happenings:
        is_refused = refuses_all(channels.settings, happening) is not None
        if is_refused and not _is_logged(channels, happening):
            continue
        served = channels.serving(happening, await count_people(snapshot, happening))
        if is_refused:
            served = Served(served.by_push, (), to_choosers=False)
        if not served:
            continue
        number = happening.entry.number
        after = reading.began.after_uid if reading.began.event == number else ""
        page = await read_page(snapshot, happening, served, after, limit=room)
        reading.pages.append(page)
        room -= len(page.uids)
        if page.next_after is not None:
            reading.progress = PlanProgress(number, page.next_after)
            reading.upto = number - 1
            return
        if room <= 0:
            reading.upto = number
            return


def _is_logged(channels: Channels, happening: Happening) -> bool:
    """Return whether the log says that nobody is told: the app has switched off what was on.

    It says nothing of what is off by default, or sent without notifications.
    """
    return not happening.is_silent and is_switched_off(channels.settings, happening)


def _decide(runtime: Runtime, reading: _Reading, now_ms: int) -> NotificationPlan:
    assert reading.people is not None
    planner = Planner(reading.channels, reading.people, Bundles(runtime.ids, now_ms), now_ms)
    for page in reading.pages:
        planner.plan(page)
    return NotificationPlan(
        reading.began,
        reading.progress,
        planner.bundles.close(),
        planner.entries,
        planner.unread,
    )


async def _apply(runtime: Runtime, tx: Transaction, plan: NotificationPlan) -> None:
    """Store a plan, if nobody has planned the same people meanwhile."""
    if await store.find_progress(tx) != plan.began:
        raise Overtaken
    if plan.progress != plan.began:
        await store.store_progress(tx, plan.progress)
    now = runtime.clock.milliseconds()
    if plan.bundles:
        await store.insert_bundles(tx, plan.bundles, now)
    if plan.unread:
        await await_unread(tx, plan.unread, now)
    await insert_entries(tx, runtime.ids, plan.entries)

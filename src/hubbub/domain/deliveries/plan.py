"""Plan deliveries: a consumer of the log that stores what webhooks are to be told.

It reads only apps that have a webhook: the first one starts its position.
"""

import math
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import msgspec

from hubbub.domain.deliveries.contents import find_contents
from hubbub.domain.deliveries.occurrences import EVENTS, Occurrence, list_occurrences
from hubbub.outbox.consumer import Consumer, Overtaken, Pace
from hubbub.outbox.log import LogBatch, list_events_since
from hubbub.outbox.positions import find_head
from hubbub.records.apps import store as apps_store
from hubbub.records.apps.model import App
from hubbub.records.groups.events import GroupDeleted
from hubbub.records.messages.store import find_messages
from hubbub.records.moderated.held import find_held
from hubbub.records.users.events import UserDeleted
from hubbub.records.webhooks import queues, store
from hubbub.records.webhooks.erased import Shown, has_reactions
from hubbub.records.webhooks.model import PLANNING, Body, Delivery, Period, State
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction

Render = Callable[[Runtime, str, Sequence[Occurrence]], Awaitable[Sequence[bytes | None]]]
"""Returns the JSON of `data` for each occurrence; None where there is nothing to tell."""
REST, LONGEST_REST = 4.0, 0.2
"""While messages are sent, planning falls behind rather than take more than a fifth of the time."""
_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class DeliveryPlan:
    """The deliveries of a batch of events, and what they send."""

    bodies: list[Body] = field(default_factory=list)
    deliveries: list[Delivery] = field(default_factory=list)
    now: int = 0
    """In milliseconds."""
    head: int = 0
    """The newest event before the bodies were rendered."""


@dataclass(frozen=True, slots=True)
class WebhookPeriods:
    """The webhooks of an app, and the periods that say what each is to be told."""

    ids: Mapping[int, str]
    enabled: Mapping[int, Sequence[Period]]
    attached: Mapping[str, Sequence[Period]]
    """By trigger."""
    head: int
    """The newest event of the log."""

    def of(self, occurrence: Occurrence) -> list[int]:
        """Return the numbers of the webhooks that are to be told of an occurrence."""
        if occurrence.webhook is not None:
            return [occurrence.webhook] if occurrence.webhook in self.ids else []
        number = occurrence.entry.number
        return sorted(
            {
                period.webhook
                for period in self.attached.get(occurrence.trigger_id, ())
                if period.includes(number)
                and any(each.includes(number) for each in self.enabled.get(period.webhook, ()))
                and occurrence.concerns(self.ids.get(period.webhook, ""))
            }
        )


def plan_consumer(runtime: Runtime, render: Render) -> Consumer[DeliveryPlan]:
    """Return the consumer that plans deliveries."""
    return Consumer(
        PLANNING,
        EVENTS,
        runtime.database,
        partial(_prepare, runtime, render),
        _apply,
        runtime.consumers[PLANNING],
        is_optional=True,
        pace=Pace(REST, LONGEST_REST, math.inf, is_needed=lambda: runtime.batches.is_busy),
    )


async def _prepare(runtime: Runtime, render: Render, batch: LogBatch) -> tuple[DeliveryPlan, int]:
    """Render what is to be sent, as things are now, and list the deliveries."""
    if not batch.entries:
        return DeliveryPlan(), batch.upto
    app = await apps_store.find_app(runtime.database, batch.app_id)
    hooks = await runtime.database.read(batch.app_id, partial(_read_hooks, runtime))
    told = [
        (occurrence, webhooks)
        for entry in batch.entries
        for occurrence in list_occurrences(entry)
        if (webhooks := hooks.of(occurrence))
    ]
    if app is None or not told:
        return DeliveryPlan(), batch.upto
    rendered = await render(runtime, batch.app_id, [occurrence for occurrence, _ in told])
    plan = DeliveryPlan(now=runtime.clock.milliseconds(), head=hooks.head)
    for (occurrence, webhooks), data in zip(told, rendered, strict=True):
        if data is not None:
            plan.bodies.append(_make_body(app, occurrence, data))
            plan.deliveries.extend(_make_deliveries(occurrence, webhooks))
    return plan, batch.upto


async def _read_hooks(runtime: Runtime, snapshot: Snapshot) -> WebhookPeriods:
    head = await find_head(snapshot)
    webhooks = await store.list_webhook_ids(snapshot)
    enabled: dict[int, list[Period]] = {}
    attached: dict[str, list[Period]] = {}
    for period in await store.list_periods(snapshot):
        if period.trigger_id:
            attached.setdefault(period.trigger_id, []).append(period)
        else:
            enabled.setdefault(period.webhook, []).append(period)
    return WebhookPeriods(webhooks, enabled, attached, head.number)


def _make_body(app: App, occurrence: Occurrence, data: bytes) -> Body:
    """Return what is sent of an occurrence: all but the webhook, which differs."""
    event = occurrence.entry.event
    body = b'{"trigger":%b,"data":%b,"appId":%b,"region":%b,"id":%b,"sentAt":%d' % (
        _encode(occurrence.trigger_id),
        data,
        _encode(app.id),
        _encode(app.region),
        _encode(occurrence.id),
        event.at,
    )
    return Body(
        occurrence.entry.number,
        occurrence.part,
        occurrence.id,
        body.decode(),
        event.at,
        *find_contents(occurrence, data),
    )


def _make_deliveries(occurrence: Occurrence, webhooks: Iterable[int]) -> list[Delivery]:
    return [
        Delivery(
            webhook=webhook,
            event=occurrence.entry.number,
            part=occurrence.part,
            epoch=int(occurrence.entry.epoch),
            trigger_id=occurrence.trigger_id,
            conversation=occurrence.conversation,
            partition=occurrence.conversation,
            state=State.PENDING,
            tries=0,
            attempts="[]",
            created_at=occurrence.entry.event.at,
        )
        for webhook in webhooks
    ]


async def _apply(tx: Transaction, plan: DeliveryPlan) -> None:
    """Store deliveries to the webhooks that still exist, of what was not erased meanwhile.

    Raises:
        Overtaken: someone whom a body shows was erased meanwhile; it is to be rendered again.
    """
    if not plan.deliveries:
        return
    present = set(await queues.lock_queues(tx))
    bodies = await _list_left(tx, plan.bodies)
    erased = await _list_erased(tx, plan.head)
    if erased and any(_shows(each.body, erased) for each in bodies):
        raise Overtaken
    left = {(each.event, each.part) for each in bodies}
    deliveries = [
        each
        for each in plan.deliveries
        if each.webhook in present and (each.event, each.part) in left
    ]
    await queues.insert_deliveries(tx, bodies, deliveries, plan.now)
    await queues.wake_queues(tx, {each.webhook for each in deliveries}, plan.now)


async def _list_left(tx: Transaction, bodies: Sequence[Body]) -> list[Body]:
    """Return the bodies of messages that were not erased since they were rendered."""
    shown = {each.message for each in bodies} | {each.quoted for each in bodies}
    left = {0, *await find_messages(tx, list(shown - {0}))}
    left |= (await find_held(tx, shown - left)).keys()
    return [each for each in bodies if each.message in left and each.quoted in left]


def _shows(body: str, erased: Sequence[Shown]) -> bool:
    """Return whether a body shows someone erased, or reactions, which may be theirs."""
    return has_reactions(body) or any(each.is_in(body) for each in erased)


async def _list_erased(tx: Transaction, since: int) -> list[Shown]:
    """Return the users and groups that were deleted permanently after an event.

    The queues are locked: an erasure that is not seen here yet finds the bodies.
    """
    events = await list_events_since(tx, since, (UserDeleted, GroupDeleted))
    users = [each for each in events if isinstance(each, UserDeleted) and each.permanent]
    groups = [each for each in events if isinstance(each, GroupDeleted)]
    return [Shown("uid", each.uid) for each in users] + [
        Shown("guid", each.guid) for each in groups
    ]

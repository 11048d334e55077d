"""Find and list the deliveries of a webhook."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hubbub.domain.webhooks.change import access_webhook
from hubbub.kernel.pages import Page, PageRequest
from hubbub.records.webhooks import deliveries as records
from hubbub.records.webhooks.deliveries import DeliveryFilter, Position
from hubbub.records.webhooks.model import Delivery, DeliveryNotFound, State, Webhook
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot

LOOKED_THROUGH = 20_000
"""So many are looked through at once for those in a state that no index finds."""


class FoundDelivery(NamedTuple):
    """A delivery, and when it is tried next, in seconds."""

    delivery: Delivery
    next_attempt_at: int | None


class LatestDeliveries(NamedTuple):
    """Deliveries, and the position behind which older ones may be."""

    items: Sequence[FoundDelivery]
    onward: Position | None


async def list_deliveries(
    runtime: Runtime, app_id: str, webhook_id: str, wanted: DeliveryFilter, page: PageRequest
) -> Page[FoundDelivery]:
    """Return a page of a webhook's deliveries, newest first.

    Raises:
        WebhookNotFound: the app has no webhook with that id.
    """

    async def read(snapshot: Snapshot) -> Page[FoundDelivery]:
        webhook = await access_webhook(snapshot, runtime.sealer, webhook_id)
        found, total = await records.list_deliveries(snapshot, webhook.number, wanted, page)
        return Page(await _with_next_attempts(snapshot, webhook, found), total, page)

    return await runtime.database.read(app_id, read)


async def list_latest(
    runtime: Runtime,
    app_id: str,
    webhook_id: str,
    state: State | None,
    before: Position | None,
    *,
    limit: int,
) -> LatestDeliveries:
    """Return deliveries of a webhook before a position, newest first: as fast among millions.

    Raises:
        WebhookNotFound: the app has no webhook with that id.
    """

    async def read(snapshot: Snapshot) -> LatestDeliveries:
        webhook = await access_webhook(snapshot, runtime.sealer, webhook_id)
        found, onward = await records.list_before(
            snapshot,
            webhook.number,
            DeliveryFilter(state=state),
            before,
            limit=limit,
            looked_through=LOOKED_THROUGH,
        )
        return LatestDeliveries(await _with_next_attempts(snapshot, webhook, found), onward)

    return await runtime.database.read(app_id, read)


async def get_delivery(
    runtime: Runtime, app_id: str, webhook_id: str, delivery_id: str
) -> FoundDelivery:
    """Return a delivery of a webhook.

    Raises:
        WebhookNotFound: the app has no webhook with that id.
        DeliveryNotFound: the webhook has no delivery with that id.
    """

    async def read(snapshot: Snapshot) -> FoundDelivery:
        webhook = await access_webhook(snapshot, runtime.sealer, webhook_id)
        delivery = await access_delivery(snapshot, webhook.number, delivery_id)
        return (await _with_next_attempts(snapshot, webhook, [delivery]))[0]

    return await runtime.database.read(app_id, read)


async def _with_next_attempts(
    snapshot: Snapshot, webhook: Webhook, found: Sequence[Delivery]
) -> list[FoundDelivery]:
    """Return deliveries, those that wait with the time until which they do.

    One that waits for another of its conversation has the time of that. While the webhook is
    stopped there is none.
    """
    waiting = () if webhook.is_stopped else [each for each in found if each.state == State.PENDING]
    partitions = {each.partition for each in waiting}
    due = await records.find_next_attempts(snapshot, webhook.number, partitions)
    return [
        FoundDelivery(each, -(-due[each.partition] // 1000) if _waits(each, due) else None)
        for each in found
    ]


def _waits(delivery: Delivery, due: Mapping[int, int]) -> bool:
    return delivery.state == State.PENDING and delivery.partition in due


async def access_delivery(snapshot: Snapshot, webhook: int, delivery_id: str) -> Delivery:
    """Return a delivery of the webhook with that number.

    Raises:
        DeliveryNotFound: the webhook has no delivery with that id.
    """
    key = records.parse_delivery_id(delivery_id)
    found = await records.find_delivery(snapshot, webhook, *key) if key is not None else None
    if found is None or found.id != delivery_id:
        raise DeliveryNotFound(delivery_id)
    return found

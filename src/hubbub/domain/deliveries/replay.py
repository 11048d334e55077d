"""Replay deliveries: make them again, in the order of their conversations."""

from collections.abc import Sequence
from dataclasses import replace

from hubbub.domain.deliveries.find import access_delivery
from hubbub.domain.webhooks.change import access_webhook
from hubbub.records.webhooks import queues
from hubbub.records.webhooks.deliveries import DeliveryFilter, Position, has_body, list_to_replay
from hubbub.records.webhooks.model import Delivery, DeliveryNotFound, State, WebhookNotFound
from hubbub.records.webhooks.queues import Partition
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

CHUNK = 500
"""The most deliveries that a transaction queues."""


async def replay_delivery(runtime: Runtime, app_id: str, webhook_id: str, delivery_id: str) -> None:
    """Make a delivery again; one that is pending is tried at once.

    Raises:
        WebhookNotFound: the app has no webhook with that id.
        DeliveryNotFound: the webhook has no delivery with that id, or its body was deleted.
    """
    webhook = await _find_number(runtime, app_id, webhook_id)

    async def within(tx: Transaction) -> None:
        await _lock_queue(tx, webhook, webhook_id)
        delivery = await access_delivery(tx, webhook, delivery_id)
        if not await has_body(tx, delivery):
            raise DeliveryNotFound(delivery_id)
        await _queue_again(tx, webhook, [delivery], runtime.clock.now())

    await runtime.database.write(app_id, within)


async def replay_deliveries(
    runtime: Runtime,
    app_id: str,
    webhook_id: str,
    wanted: DeliveryFilter,
    *,
    chunk: int = CHUNK,
) -> int:
    """Make deliveries again, like `replay_delivery`; return how many.

    Each transaction queues a chunk of them, so that others can be made meanwhile.

    Raises:
        WebhookNotFound: the app has no webhook with that id.
    """
    webhook = await _find_number(runtime, app_id, webhook_id)
    now = runtime.clock.now()
    queued, after = 0, None

    async def within(tx: Transaction) -> Sequence[Delivery]:
        await _lock_queue(tx, webhook, webhook_id)
        found = await list_to_replay(tx, webhook, wanted, after, limit=chunk)
        if found:
            await _queue_again(tx, webhook, found, now)
        return found

    while found := await runtime.database.write(app_id, within):
        queued += len(found)
        after = _position(found[-1])
        if len(found) < chunk:
            break
    return queued


async def _find_number(runtime: Runtime, app_id: str, webhook_id: str) -> int:
    webhook = await runtime.database.read(
        app_id, lambda snapshot: access_webhook(snapshot, runtime.sealer, webhook_id)
    )
    return webhook.number


async def _lock_queue(tx: Transaction, webhook: int, webhook_id: str) -> None:
    if await queues.lock_queue(tx, webhook) is None:
        raise WebhookNotFound(webhook_id)


async def _queue_again(tx: Transaction, webhook: int, found: Sequence[Delivery], now: int) -> None:
    """Make deliveries pending, and their partitions and the queue due; the queue is locked.

    A pending one stays in its partition: perhaps a node makes it at this moment.
    """
    waiting = [each for each in found if each.state == State.PENDING]
    renewed = [_renewed(each) for each in found if each.state != State.PENDING]
    numbers = dict.fromkeys(each.partition for each in (*waiting, *renewed))
    partitions = [Partition(webhook, partition, 1000 * now) for partition in numbers]
    await queues.store_outcomes(tx, renewed)
    await queues.open_partitions(tx, partitions)
    await queues.put_off_partitions(tx, partitions)
    await queues.wake_queues(tx, [webhook], 1000 * now)


def _renewed(delivery: Delivery) -> Delivery:
    return replace(delivery, state=State.PENDING, tries=0, partition=delivery.conversation)


def _position(delivery: Delivery) -> Position:
    return delivery.created_at, delivery.event, delivery.part

"""The deliveries of webhooks: read the request, call the domain, write the answer."""

from hubbub.domain.deliveries import find, replay, sample
from hubbub.http.call import Call
from hubbub.records.webhooks.model import DeliveryNotFound, WebhookNotFound
from hubbub.rest.webhooks import doors
from hubbub.rest.webhooks.webhooks import TAG, WEBHOOK
from hubbub.rest.webhooks.wire import deliveries as wire
from hubbub.rest.webhooks.wire.deliveries import DeliveryShape, delivery_shape, sample_shapes
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import Listing, page_answer

DELIVERIES = WEBHOOK + "/deliveries"
DELIVERY = WEBHOOK + "/deliveries/{deliveryId}"


@doors.get(DELIVERIES, tag=TAG, errors=(WebhookNotFound,), is_own=True)
async def list_webhook_deliveries(
    call: Call, webhook_id: path.WebhookId, query: wire.ListDeliveries
) -> Listing[DeliveryShape]:
    """List the deliveries of a webhook, newest first, each with its attempts.

    Those that `failed` were given up; they can be replayed. Deliveries are kept for 14 days, unless
    the operator has set another time.
    """
    page = await find.list_deliveries(
        call.runtime, call.app_id, webhook_id, query.filter(), query.request()
    )
    return page_answer(page, [delivery_shape(each) for each in page.items])


@doors.get(DELIVERY, tag=TAG, errors=(WebhookNotFound, DeliveryNotFound), is_own=True)
async def get_webhook_delivery(
    call: Call, webhook_id: path.WebhookId, delivery_id: path.DeliveryId
) -> DeliveryShape:
    """Get a delivery.

    It has the attempts so far, each with the status or the reason.
    """
    return delivery_shape(
        await find.get_delivery(call.runtime, call.app_id, webhook_id, delivery_id)
    )


@doors.post(DELIVERY + "/replay", tag=TAG, errors=(WebhookNotFound, DeliveryNotFound), is_own=True)
async def replay_webhook_delivery(
    call: Call, webhook_id: path.WebhookId, delivery_id: path.DeliveryId
) -> wire.QueuedDeliveries:
    """Make a delivery again, with the same id and body; one that waits is tried at once.

    Deliveries of a conversation are made in the order of their events. A disabled or paused webhook
    is sent nothing before it is enabled.
    """
    await replay.replay_delivery(call.runtime, call.app_id, webhook_id, delivery_id)
    return wire.QueuedDeliveries(success=True, queued=1)


@doors.post(WEBHOOK + "/replay", tag=TAG, errors=(WebhookNotFound,), is_own=True)
async def replay_webhook_deliveries(
    call: Call, webhook_id: path.WebhookId, body: wire.ReplayDeliveries
) -> wire.QueuedDeliveries:
    """Make the deliveries of a range of time again, those in a state or all of them.

    Those that wait are tried at once. The answer has the number of deliveries.
    """
    queued = await replay.replay_deliveries(call.runtime, call.app_id, webhook_id, body.filter())
    return wire.QueuedDeliveries(success=True, queued=queued)


@doors.post(WEBHOOK + "/test", tag=TAG, errors=(WebhookNotFound,), is_own=True)
async def test_webhook(call: Call, webhook_id: path.WebhookId) -> wire.QueuedSamples:
    """Send a webhook a sample of each trigger that it is attached to.

    A disabled webhook is sent nothing: that is an error.
    """
    return sample_shapes(await sample.send_samples(call.runtime, call.app_id, webhook_id))

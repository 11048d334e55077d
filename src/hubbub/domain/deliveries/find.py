"""Find and list the deliveries of a webhook."""

from hubbub.domain.webhooks.change import access_webhook
from hubbub.kernel.pages import Page, PageRequest
from hubbub.records.webhooks import deliveries as records
from hubbub.records.webhooks.deliveries import DeliveryFilter
from hubbub.records.webhooks.model import Delivery, DeliveryNotFound
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot


async def list_deliveries(
    runtime: Runtime, app_id: str, webhook_id: str, wanted: DeliveryFilter, page: PageRequest
) -> Page[Delivery]:
    """Return a page of a webhook's deliveries, newest first.

    Raises:
        WebhookNotFound: the app has no webhook with that id.
    """

    async def read(snapshot: Snapshot) -> Page[Delivery]:
        webhook = await access_webhook(snapshot, runtime.sealer, webhook_id)
        found, total = await records.list_deliveries(snapshot, webhook.number, wanted, page)
        return Page(found, total, page)

    return await runtime.database.read(app_id, read)


async def get_delivery(
    runtime: Runtime, app_id: str, webhook_id: str, delivery_id: str
) -> Delivery:
    """Return a delivery of a webhook.

    Raises:
        WebhookNotFound: the app has no webhook with that id.
        DeliveryNotFound: the webhook has no delivery with that id.
    """

    async def read(snapshot: Snapshot) -> Delivery:
        webhook = await access_webhook(snapshot, runtime.sealer, webhook_id)
        return await access_delivery(snapshot, webhook.number, delivery_id)

    return await runtime.database.read(app_id, read)


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

"""Send a webhook a sample of each trigger that it is attached to."""

from dataclasses import dataclass

from hubbub.domain.webhooks.change import change_webhook
from hubbub.kernel.errors import BadInput
from hubbub.outbox import lock_counters, next_event_number
from hubbub.records.webhooks import store
from hubbub.records.webhooks.events import WebhookTested
from hubbub.records.webhooks.model import PARTS, Webhook, delivery_id
from hubbub.records.webhooks.triggers import TRIGGERS
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample that will be delivered: the id of its delivery, and its trigger."""

    id: str
    trigger_id: str


async def send_samples(runtime: Runtime, app_id: str, webhook_id: str) -> list[Sample]:
    """Plan a sample of each trigger that a webhook is attached to.

    Raises:
        WebhookNotFound: the app has no webhook with that id.
        BadInput: the webhook is disabled.
    """
    now = runtime.clock.now()

    async def change(tx: Transaction, webhook: Webhook, event: int) -> list[Sample]:
        if not webhook.is_enabled:
            raise BadInput.field("enabled", "A disabled webhook is sent nothing: enable it first.")
        attached = await store.list_attached(tx, webhook.number)
        found = [trigger_id for trigger_id in TRIGGERS if trigger_id in attached][:PARTS]
        number, epoch = next_event_number(tx), (await lock_counters(tx)).epoch
        if found:
            tx.announce(WebhookTested(webhook.number, found, now))
        return [Sample(delivery_id(epoch, number, part), each) for part, each in enumerate(found)]

    return await change_webhook(runtime, app_id, webhook_id, change)

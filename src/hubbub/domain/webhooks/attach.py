"""Attach webhooks to triggers, and detach them."""

from collections.abc import Collection, Sequence

from hubbub.domain.webhooks.change import access_webhook, change_webhook
from hubbub.kernel.errors import Refusal
from hubbub.records.webhooks import store
from hubbub.records.webhooks.model import TriggerNotFound, Webhook
from hubbub.records.webhooks.triggers import TRIGGERS, Trigger
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction


async def list_attached(runtime: Runtime, app_id: str, webhook_id: str) -> list[Trigger]:
    """Return the triggers that a webhook is attached to, in the order of all triggers.

    Raises:
        WebhookNotFound: the app has no webhook with that id.
    """

    async def read(snapshot: Snapshot) -> set[str]:
        webhook = await access_webhook(snapshot, runtime.sealer, webhook_id)
        return await store.list_attached(snapshot, webhook.number)

    attached = await runtime.database.read(app_id, read)
    return [trigger for trigger in TRIGGERS.values() if trigger.id in attached]


async def attach_triggers(
    runtime: Runtime, app_id: str, webhook_id: str, trigger_ids: Collection[str]
) -> dict[str, Refusal | None]:
    """Attach a webhook to triggers; return by id which of these do not exist.

    Raises:
        WebhookNotFound: the app has no webhook with that id.
    """
    known = TRIGGERS.keys() & set(trigger_ids)

    async def change(tx: Transaction, webhook: Webhook, event: int) -> None:
        attached = await store.list_attached(tx, webhook.number)
        await store.open_periods(tx, webhook.number, known - attached, after=event)

    await change_webhook(runtime, app_id, webhook_id, change)
    return {each: None if each in known else TriggerNotFound(each) for each in trigger_ids}


async def detach_triggers(
    runtime: Runtime, app_id: str, webhook_id: str, trigger_ids: Sequence[str]
) -> None:
    """Detach a webhook from triggers; those that it is not attached to are passed over.

    Raises:
        WebhookNotFound: the app has no webhook with that id.
        TriggerNotFound: one of the triggers does not exist; nothing is changed.
    """

    async def change(tx: Transaction, webhook: Webhook, event: int) -> None:
        for trigger_id in trigger_ids:
            if trigger_id not in TRIGGERS:
                raise TriggerNotFound(trigger_id)
        await store.close_periods(tx, webhook.number, trigger_ids, upto=event)

    await change_webhook(runtime, app_id, webhook_id, change)

"""Change a webhook: every change locks the app, is announced, and takes effect after its answer."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from hubbub.kernel.sealing import Sealer
from hubbub.outbox import lock_counters
from hubbub.outbox.consumer import find_position
from hubbub.records.webhooks import store
from hubbub.records.webhooks.events import WebhookChanged
from hubbub.records.webhooks.model import PLANNING, Webhook, WebhookNotFound
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot, Transaction

HOOKS = "webhooks"
"""With the id of an app, the key of its webhooks that are asked, in the cache of a node."""
Result = TypeVar("Result")
Change = Callable[[Transaction, Webhook, int], Awaitable[Result]]
"""Makes a change of a webhook; it counts for the events after the one with the given number."""


async def change_webhook(
    runtime: Runtime, app_id: str, webhook_id: str, change: Change[Result]
) -> Result:
    """Make a change of a webhook in one transaction, and return its result.

    Raises:
        WebhookNotFound: the app has no webhook with that id.
    """
    now = runtime.clock.now()

    async def within(tx: Transaction) -> Result:
        counters = await lock_counters(tx)
        webhook = await access_webhook(tx, runtime.sealer, webhook_id)
        # Otherwise a webhook that is switched on and off all the time would fill the table.
        planned = await find_position(tx, PLANNING)
        await store.delete_past_periods(tx, webhook.number, planned=planned)
        result = await change(tx, webhook, counters.event)
        tx.announce(WebhookChanged(webhook.id, now))
        return result

    result = await runtime.database.write(app_id, within)
    forget_webhooks(runtime, app_id)
    return result


async def access_webhook(snapshot: Snapshot, sealer: Sealer, webhook_id: str) -> Webhook:
    """Return a webhook of the app.

    Raises:
        WebhookNotFound: there is none with that id.
    """
    webhook = await store.find_webhook(snapshot, sealer, webhook_id)
    if webhook is None:
        raise WebhookNotFound(webhook_id)
    return webhook


def forget_webhooks(runtime: Runtime, app_id: str) -> None:
    """Drop what this node remembers of the app's webhooks."""
    runtime.cache.drop((HOOKS, app_id), app_id=app_id)

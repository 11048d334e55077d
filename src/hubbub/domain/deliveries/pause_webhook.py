"""Pause a webhook of which every attempt has failed for a long time; its backlog is kept."""

from dataclasses import replace

import structlog
from msgspec import structs

from hubbub.kernel.clock import NEVER
from hubbub.outbox import lock_counters
from hubbub.records.webhooks import queues, store
from hubbub.records.webhooks.events import WebhookPaused
from hubbub.records.webhooks.model import Webhook, WebhookQueue
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

log = structlog.get_logger()


async def pause_webhook(
    runtime: Runtime, app_id: str, webhook: Webhook, queue: WebhookQueue
) -> bool:
    """Pause a webhook if it has failed for too long; return whether it has."""
    if not _fails_too_long(runtime, queue):
        return False

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        locked = await queues.lock_queue(tx, webhook.number)
        present = await store.get_webhook(tx, runtime.sealer, webhook.number)
        if locked is None or present is None or present.is_stopped:
            return
        if not _fails_too_long(runtime, locked):
            return
        now = runtime.clock.now()
        await store.update_webhook(tx, runtime.sealer, structs.replace(present, paused_at=now))
        await queues.store_queue(tx, replace(locked, is_stopped=True, due_at=NEVER))
        tx.announce(WebhookPaused(present.id, now))

    await runtime.database.write(app_id, within)
    log.warning("webhook_paused", app=app_id, webhook=webhook.id)
    return True


def _fails_too_long(runtime: Runtime, queue: WebhookQueue) -> bool:
    """Return whether it fails for too long, of the time that has passed without steps ahead."""
    since = queue.failing_since
    if since is None:
        return False
    passed = runtime.clock.now() - since - runtime.steps.find_ahead(1000 * since) // 1000
    return passed >= runtime.settings.webhook_pause

"""The secrets of webhooks, with which deliveries are signed."""

import base64

from msgspec.structs import replace

from hubbub.domain.webhooks.change import change_webhook
from hubbub.kernel.ids import Ids
from hubbub.records.webhooks import store
from hubbub.records.webhooks.model import Webhook
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

PREFIX = "whsec_"
SECRET_BYTES = 32


def make_secret(ids: Ids) -> str:
    """Return a new secret in the form of the Standard Webhooks specification."""
    random = bytes.fromhex(ids.hexadecimal(2 * SECRET_BYTES))
    return PREFIX + base64.b64encode(random).decode()


async def rotate_secret(
    runtime: Runtime, app_id: str, webhook_id: str, *, overlap_seconds: int
) -> Webhook:
    """Give a webhook a new secret; the former one signs too, for so long.

    Raises:
        WebhookNotFound: the app has no webhook with that id.
    """
    secret, now = make_secret(runtime.ids), runtime.clock.now()

    async def change(tx: Transaction, before: Webhook, event: int) -> Webhook:
        after = replace(
            before,
            secret=secret,
            former_secret=before.secret if overlap_seconds else None,
            former_until=now + overlap_seconds if overlap_seconds else None,
            updated_at=now,
        )
        await store.update_webhook(tx, runtime.sealer, after)
        return after

    return await change_webhook(runtime, app_id, webhook_id, change)

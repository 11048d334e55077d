"""The payloads of triggers about webhooks."""

from hubbub.records.webhooks.events import WebhookPaused
from hubbub.rest.payloads.facts import Facts, Named, Payload
from hubbub.rest.payloads.samples import NOW
from hubbub.rest.wire.shapes import Json, Shape


class PausedWebhook(Shape, kw_only=True):
    """A webhook that is paused, since all attempts to deliver to it have failed."""

    id: str
    name: str
    paused_at: int


class WebhookPausedPayload(Shape, kw_only=True):
    """The data of `webhook_paused`."""

    webhook: PausedWebhook


def paused(facts: Facts, event: WebhookPaused) -> WebhookPausedPayload | None:
    """Return the data of `webhook_paused`; None if the webhook is gone."""
    name = facts.webhooks.get(event.webhook)
    if name is None:
        return None
    return WebhookPausedPayload(
        webhook=PausedWebhook(id=event.webhook, name=name, paused_at=event.at)
    )


def _add_ids(named: Named, _: WebhookPaused) -> None:
    named.has_webhooks = True


PAYLOADS = (Payload((WebhookPaused,), WebhookPausedPayload, paused, _add_ids),)

SAMPLES: dict[str, Json] = {
    "webhook_paused": {"webhook": {"id": "orders", "name": "Orders", "pausedAt": NOW}}
}

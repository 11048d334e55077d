"""Events of webhooks."""

import msgspec

from hubbub.outbox.audience import NOBODY
from hubbub.outbox.registry import event


@event("webhook_changed", told=NOBODY, actor=None, internal=True)
class WebhookChanged(msgspec.Struct, frozen=True):
    """A webhook was created, changed or deleted; nodes drop it from their caches."""

    webhook: str
    at: int


@event("webhook_tested", told=NOBODY, actor=None, internal=True)
class WebhookTested(msgspec.Struct, frozen=True):
    """A sample of each of these triggers is to be sent to the webhook with this number."""

    webhook: int
    triggers: list[str]
    at: int


@event(
    "webhook_paused",
    "Deliveries to another webhook of the app are paused: all have failed.",
    told=NOBODY,
    actor=None,
    trigger="webhook",
)
class WebhookPaused(msgspec.Struct, frozen=True):
    """All attempts to deliver to the webhook have failed for so long that they are paused."""

    webhook: str
    at: int

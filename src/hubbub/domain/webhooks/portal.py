"""Links to the portal of a webhook, for who receives its deliveries: signed, with an end."""

import hmac
from dataclasses import dataclass

from msgspec import structs

from hubbub.domain.access.credentials import find_app
from hubbub.domain.webhooks.change import access_webhook, change_webhook
from hubbub.kernel.errors import NotFound, TooMany
from hubbub.records.apps.model import InvalidApp
from hubbub.records.webhooks import store
from hubbub.records.webhooks.model import Webhook, WebhookNotFound
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

DAY_SECONDS = 24 * 3600
MOST_DAYS = 90
REPLAYS_A_MINUTE = 60
"""The replays by the links of a webhook within a minute, by each node."""


class PortalClosed(NotFound):
    """The link is not one of ours, has ended, or was revoked; which of them is not said."""

    def __init__(self) -> None:
        super().__init__(
            "This link does not lead anywhere any more. Ask who gave it to you for another one."
        )


class TooManyReplays(TooMany):
    """Deliveries were replayed too often."""


@dataclass(frozen=True, slots=True)
class PortalLink:
    """What a link says."""

    app_id: str
    webhook_id: str
    ends_at: int
    signature: str


async def make_link(runtime: Runtime, app_id: str, webhook_id: str, days: int) -> PortalLink:
    """Return a link to the portal of a webhook, which ends after some days.

    Raises:
        WebhookNotFound: the app has no webhook with that id.
    """
    webhook = await _find(runtime, app_id, webhook_id)
    ends_at = runtime.clock.now() + days * DAY_SECONDS
    signature = runtime.sealer.sign(_signed(app_id, webhook, ends_at))
    return PortalLink(app_id, webhook_id, ends_at, signature)


async def open_link(runtime: Runtime, link: PortalLink) -> Webhook:
    """Return the webhook of a link.

    Raises:
        PortalClosed: the link is not valid, or not any more.
    """
    if link.ends_at <= runtime.clock.now():
        raise PortalClosed
    try:
        await find_app(runtime, link.app_id)
        webhook = await _find(runtime, link.app_id, link.webhook_id)
    except (InvalidApp, WebhookNotFound):
        raise PortalClosed from None
    signed = _signed(link.app_id, webhook, link.ends_at)
    given = link.signature.encode()
    valid = [each.encode() for each in runtime.sealer.signatures(signed)]
    if not any(hmac.compare_digest(given, each) for each in valid):
        raise PortalClosed
    return webhook


async def revoke_links(runtime: Runtime, app_id: str, webhook_id: str) -> None:
    """Revoke all links to the portal of a webhook; those made from then on are valid.

    Raises:
        WebhookNotFound: the app has no webhook with that id.
    """

    async def change(tx: Transaction, before: Webhook, event: int) -> None:
        after = structs.replace(before, portal_round=before.portal_round + 1)
        await store.update_webhook(tx, runtime.sealer, after)

    await change_webhook(runtime, app_id, webhook_id, change)


def check_replays(runtime: Runtime, app_id: str, webhook: Webhook) -> None:
    """Count a replay by a link.

    Raises:
        TooManyReplays: there were too many of the webhook in this minute.
    """
    rates = runtime.rates
    if rates.count(("portal", app_id, str(webhook.number))) > REPLAYS_A_MINUTE:
        raise TooManyReplays(
            f"There were more than {REPLAYS_A_MINUTE} replays within a minute. Wait for one, then"
            " try again.",
            retry_after_seconds=rates.seconds_left,
            resets_at=rates.resets_at,
        )


async def _find(runtime: Runtime, app_id: str, webhook_id: str) -> Webhook:
    return await runtime.database.read(
        app_id, lambda snapshot: access_webhook(snapshot, runtime.sealer, webhook_id)
    )


def _signed(app_id: str, webhook: Webhook, ends_at: int) -> str:
    """Return what is signed: another webhook that later has the same id has another number."""
    return f"portal {app_id} {webhook.number} {webhook.portal_round} {ends_at}"

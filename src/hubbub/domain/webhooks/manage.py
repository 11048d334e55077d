"""Create, find, list, change and delete the webhooks of an app; give them new secrets."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from msgspec import structs

from hubbub.domain.webhooks.change import access_webhook, change_webhook, forget_webhooks
from hubbub.domain.webhooks.sign import make_secret
from hubbub.kernel.clock import NEVER
from hubbub.kernel.errors import BadInput
from hubbub.kernel.text import MASK, NO_STORED_SECRET, fold
from hubbub.outbound.client import OutboundClient
from hubbub.outbound.errors import NotReached
from hubbub.outbox import lock_counters, next_event_number
from hubbub.outbox.consumer import end_position, start_position
from hubbub.records.webhooks import queues, store
from hubbub.records.webhooks.events import WebhookChanged
from hubbub.records.webhooks.model import (
    ENABLED,
    MOST_WEBHOOKS,
    PLANNING,
    TooManyWebhooks,
    Webhook,
    WebhookAlreadyExists,
)
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


async def create_webhook(runtime: Runtime, app_id: str, given: Mapping[str, Any]) -> Webhook:
    """Create a webhook with the given fields, attached to no trigger yet; it has a new secret.

    Raises:
        BadInput: the URL can't be called, there are no credentials for Basic auth, or the password
            is the mark of a stored one.
        WebhookAlreadyExists: the id is taken.
        TooManyWebhooks: the app has 25 webhooks.
    """
    secret, now = make_secret(runtime.ids), runtime.clock.now()
    webhook = Webhook(number=0, **given, secret=secret, created_at=now)
    if webhook.password == MASK:
        raise BadInput.field("password", NO_STORED_SECRET)
    _check(runtime.outbound, webhook)

    async def within(tx: Transaction) -> Webhook:
        counters = await lock_counters(tx)
        present = await store.list_webhooks(tx, runtime.sealer)
        if any(other.id == webhook.id for other in present):
            raise WebhookAlreadyExists(webhook.id)
        if len(present) >= MOST_WEBHOOKS:
            raise TooManyWebhooks
        created = structs.replace(webhook, number=next_event_number(tx))
        await start_position(tx, PLANNING, counters.event)
        await store.insert_webhook(tx, runtime.sealer, created)
        await queues.insert_queue(tx, created.number, is_stopped=created.is_stopped)
        if created.is_enabled:
            await store.open_periods(tx, created.number, [ENABLED], after=counters.event)
        tx.announce(WebhookChanged(webhook.id, created.created_at))
        return created

    created = await runtime.database.write(app_id, within)
    forget_webhooks(runtime, app_id)
    return created


async def get_webhook(runtime: Runtime, app_id: str, webhook_id: str) -> Webhook:
    """Return a webhook.

    Raises:
        WebhookNotFound: the app has no webhook with that id.
    """
    return await runtime.database.read(
        app_id, lambda snapshot: access_webhook(snapshot, runtime.sealer, webhook_id)
    )


async def list_webhooks(runtime: Runtime, app_id: str, search: str) -> Sequence[Webhook]:
    """Return the webhooks of the app, oldest first, filtered by text in the id or the name."""
    webhooks = await runtime.database.read(
        app_id, lambda snapshot: store.list_webhooks(snapshot, runtime.sealer)
    )
    text = fold(search)
    return [each for each in webhooks if text in fold(each.id) or text in fold(each.name)]


async def update_webhook(
    runtime: Runtime, app_id: str, webhook_id: str, given: Mapping[str, Any]
) -> Webhook:
    """Change the given fields of a webhook, but a masked password.

    To enable one that is paused ends the pause.

    Raises:
        WebhookNotFound: the app has no webhook with that id.
        BadInput: the URL can't be called, or there are no credentials for Basic auth.
    """
    now = runtime.clock.now()

    async def change(tx: Transaction, before: Webhook, event: int) -> Webhook:
        after = structs.replace(_with(before, given), updated_at=now)
        _check(runtime.outbound, after, before)
        await store.update_webhook(tx, runtime.sealer, after)
        if before.is_enabled != after.is_enabled:
            await _start_or_end(tx, after, event)
        if before.is_stopped or after.is_stopped:
            await _stop_or_go_on(tx, after)
        return after

    return await change_webhook(runtime, app_id, webhook_id, change)


async def delete_webhook(runtime: Runtime, app_id: str, webhook_id: str) -> None:
    """Delete a webhook: nothing is sent to it any more.

    Raises:
        WebhookNotFound: the app has no webhook with that id.
    """

    async def change(tx: Transaction, webhook: Webhook, event: int) -> None:
        if len(await store.list_webhooks(tx, runtime.sealer)) == 1:
            await end_position(tx, PLANNING)  # before the queue: planning locks in this order
        await queues.lock_queue(tx, webhook.number)
        await store.delete_webhook(tx, webhook.number)

    await change_webhook(runtime, app_id, webhook_id, change)


async def _start_or_end(tx: Transaction, webhook: Webhook, event: int) -> None:
    """Begin or end the period in which a webhook is enabled, after an event."""
    if webhook.is_enabled:
        await store.open_periods(tx, webhook.number, [ENABLED], after=event)
    else:
        await store.close_periods(tx, webhook.number, [ENABLED], upto=event)


async def _stop_or_go_on(tx: Transaction, webhook: Webhook) -> None:
    """Stop the queue of a webhook, or go on with its pending deliveries."""
    queue = await queues.lock_queue(tx, webhook.number)
    assert queue is not None, "each webhook has one"
    if webhook.is_stopped:
        await queues.store_queue(
            tx, replace(queue, is_stopped=True, due_at=NEVER, failing_since=None)
        )
        return
    due_at = await queues.find_next_due(tx, webhook.number)
    await queues.store_queue(
        tx, replace(queue, is_stopped=False, due_at=due_at, failing_since=None)
    )


def _with(webhook: Webhook, given: Mapping[str, Any]) -> Webhook:
    """Return a webhook with the given fields."""
    changes = dict(given)
    if changes.get("password") == MASK:
        if webhook.password is None:
            raise BadInput.field("password", NO_STORED_SECRET)
        del changes["password"]
    if "is_enabled" in changes:
        changes["paused_at"] = None
    return structs.replace(webhook, **changes)


def _check(outbound: OutboundClient, webhook: Webhook, before: Webhook | None = None) -> None:
    if before is None or webhook.url != before.url:
        _check_url(outbound, webhook.url)
    if webhook.uses_basic_auth:
        absent = [name for name in ("username", "password") if not getattr(webhook, name)]
        if absent:
            raise BadInput.fields({name: [f"Basic auth requires the {name}."] for name in absent})


def _check_url(outbound: OutboundClient, url: str) -> None:
    try:
        outbound.check_stored(url)
    except NotReached as reason:
        raise BadInput.field("webhookURL", str(reason)) from None


async def rotate_secret(
    runtime: Runtime, app_id: str, webhook_id: str, *, overlap_seconds: int
) -> Webhook:
    """Give a webhook a new secret; the former one signs too, for so long.

    Raises:
        WebhookNotFound: the app has no webhook with that id.
    """
    secret, now = make_secret(runtime.ids), runtime.clock.now()

    async def change(tx: Transaction, before: Webhook, event: int) -> Webhook:
        after = structs.replace(
            before,
            secret=secret,
            former_secret=before.secret if overlap_seconds else None,
            former_until=now + overlap_seconds if overlap_seconds else None,
            updated_at=now,
        )
        await store.update_webhook(tx, runtime.sealer, after)
        return after

    return await change_webhook(runtime, app_id, webhook_id, change)

"""Webhooks of an app: their deliveries with attempts, replays, tests, secrets."""

from typing import Annotated, Literal

import msgspec

from hubbub.console import page
from hubbub.console.page import DEVELOPERS, ChangeMade, NotConfirmed, PageForm, PageShown, show
from hubbub.console.portal import DeliveryPlace, find_deliveries, place_of, portal_address
from hubbub.console.visit import Visit
from hubbub.domain.deliveries import replay, sample
from hubbub.domain.deliveries.outcomes_by_hour import MOST_COUNTED, count_outcomes
from hubbub.domain.webhooks import attach, manage, portal
from hubbub.outbound.spelling import WebhookUrl
from hubbub.records.webhooks.deliveries import DeliveryFilter
from hubbub.records.webhooks.model import State, WebhookId, WebhookName
from hubbub.records.webhooks.triggers import TRIGGERS
from hubbub.rest.webhooks.wire.deliveries import delivery_shape

WEBHOOKS = "/apps/{app}/webhooks"
WEBHOOK = WEBHOOKS + "/{webhook}"
HOURS = 48
OVERLAP_SECONDS = 24 * 3600
"""The former secret signs, too, for so long after a new one was made."""


class NewWebhook(PageForm):
    """The webhook to create."""

    id: WebhookId
    name: WebhookName
    url: WebhookUrl
    retries: bool = False


class DeliveriesQuery(PageForm):
    """Which deliveries are wanted."""

    state: Literal["pending", "delivered", "failed"] | None = None
    before: DeliveryPlace = ""


class ChosenTriggers(PageForm):
    """All triggers that the webhook is to be attached to."""

    triggers: list[Annotated[str, msgspec.Meta(max_length=100)]] = []


class WebhookSwitch(PageForm):
    """Whether the webhook is called."""

    enabled: bool


class PortalDays(PageForm):
    """How long a link to the portal leads there."""

    days: Annotated[int, msgspec.Meta(ge=1, le=portal.MOST_DAYS)] = 7


class WebhookConfirmed(PageForm):
    """The id of the webhook once more."""

    confirm: Annotated[str, msgspec.Meta(max_length=50)] = ""


@page.get(WEBHOOKS, title="Webhooks", roles=DEVELOPERS)
async def list_webhooks(visit: Visit, app: str) -> PageShown:
    """List the webhooks of an app."""
    return show("webhooks.html", webhooks=await manage.list_webhooks(visit.runtime, app, ""))


@page.post(WEBHOOKS, roles=DEVELOPERS, back=WEBHOOKS)
async def create_webhook(visit: Visit, app: str, form: NewWebhook) -> ChangeMade:
    """Create a webhook, attached to no trigger yet."""
    given = msgspec.structs.asdict(form)
    await visit.change(
        "webhook.create",
        form.id,
        lambda runtime: manage.create_webhook(runtime, app, given),
        after={"name": form.name, "url": form.url},
    )
    return ChangeMade(
        f"The webhook {form.id} is created. Choose what it is told of.",
        to=f"/apps/{app}/webhooks/{form.id}",
    )


@page.get(WEBHOOK, title="Webhook", roles=DEVELOPERS)
async def show_webhook(visit: Visit, app: str, webhook: str, query: DeliveriesQuery) -> PageShown:
    """Show a webhook with its deliveries, the newest first."""
    return await _show(visit, app, webhook, query)


async def _show(
    visit: Visit,
    app: str,
    webhook_id: str,
    query: DeliveriesQuery,
    *,
    secret: str = "",
    portal_link: str = "",
) -> PageShown:
    runtime = visit.runtime
    webhook = await manage.get_webhook(runtime, app, webhook_id)
    found = await find_deliveries(runtime, app, webhook_id, query.state, query.before)
    attached = {each.id for each in await attach.list_attached(runtime, app, webhook_id)}
    return show(
        "webhook.html",
        title=webhook.name,
        webhook=webhook,
        secret=secret,
        portal_link=portal_link,
        older=place_of(found.onward),
        most_counted=MOST_COUNTED,
        deliveries=[delivery_shape(each) for each in found.items],
        query=query,
        given={"state": query.state} if query.state else {},
        triggers=TRIGGERS.values(),
        attached=attached,
        outcomes=await count_outcomes(runtime, app, webhook.number, HOURS),
    )


@page.post(WEBHOOK + "/triggers", roles=DEVELOPERS, back=WEBHOOK)
async def set_triggers(visit: Visit, app: str, webhook: str, form: ChosenTriggers) -> ChangeMade:
    """Attach a webhook to the chosen triggers, and detach it from all others."""
    before = {each.id for each in await attach.list_attached(visit.runtime, app, webhook)}
    wanted = TRIGGERS.keys() & set(form.triggers)
    more, fewer = sorted(wanted - before), sorted(before - wanted)
    if more:
        await visit.change(
            "webhook.attach",
            webhook,
            lambda runtime: attach.attach_triggers(runtime, app, webhook, more),
            after={"triggers": more},
        )
    if fewer:
        await visit.change(
            "webhook.detach",
            webhook,
            lambda runtime: attach.detach_triggers(runtime, app, webhook, fewer),
            before={"triggers": fewer},
        )
    if not (more or fewer):
        await visit.look("webhook.triggers", webhook)
    return ChangeMade(f"The webhook is told of {len(wanted)} kinds of events.")


@page.post(WEBHOOK + "/enabled", roles=DEVELOPERS, back=WEBHOOK)
async def switch_webhook(visit: Visit, app: str, webhook: str, form: WebhookSwitch) -> ChangeMade:
    """Enable a webhook, which ends a pause, or disable it."""
    await visit.change(
        "webhook.enable" if form.enabled else "webhook.disable",
        webhook,
        lambda runtime: manage.update_webhook(runtime, app, webhook, {"is_enabled": form.enabled}),
    )
    return ChangeMade("The webhook is enabled." if form.enabled else "The webhook is disabled.")


@page.post(WEBHOOK + "/secret", roles=DEVELOPERS, back=WEBHOOK)
async def show_secret(visit: Visit, app: str, webhook: str) -> PageShown:
    """Show the secret with which a webhook is signed."""
    found = await manage.get_webhook(visit.runtime, app, webhook)
    await visit.look("webhook.secret", webhook)
    return await _show(visit, app, webhook, DeliveriesQuery(), secret=found.secret)


@page.post(WEBHOOK + "/rotate", roles=DEVELOPERS, back=WEBHOOK)
async def rotate_secret(visit: Visit, app: str, webhook: str) -> PageShown:
    """Give a webhook a new secret, and show it; the former one signs, too, for a day."""
    changed = await visit.change(
        "webhook.rotate",
        webhook,
        lambda runtime: manage.rotate_secret(
            runtime, app, webhook, overlap_seconds=OVERLAP_SECONDS
        ),
    )
    return await _show(visit, app, webhook, DeliveriesQuery(), secret=changed.secret)


@page.post(WEBHOOK + "/test", roles=DEVELOPERS, back=WEBHOOK)
async def test_webhook(visit: Visit, app: str, webhook: str) -> ChangeMade:
    """Send a webhook a sample of each trigger that it is attached to."""
    samples = await visit.change(
        "webhook.test", webhook, lambda runtime: sample.send_samples(runtime, app, webhook)
    )
    return ChangeMade(
        f"{len(samples)} samples are sent: they are among the deliveries below."
        if samples
        else "Nothing is sent: the webhook is attached to no trigger."
    )


@page.post(WEBHOOK + "/replay", roles=DEVELOPERS, back=WEBHOOK)
async def replay_failed(visit: Visit, app: str, webhook: str) -> ChangeMade:
    """Make all deliveries again that were given up; many take several transactions."""
    await manage.get_webhook(visit.runtime, app, webhook)
    await visit.look("webhook.replay", webhook, after={"state": "failed"})
    failed = DeliveryFilter(state=State.FAILED)
    count = await replay.replay_deliveries(visit.runtime, app, webhook, failed)
    return ChangeMade(f"{count:,} deliveries are made again.")


@page.post(WEBHOOK + "/deliveries/{delivery}/replay", roles=DEVELOPERS, back=WEBHOOK)
async def replay_delivery(visit: Visit, app: str, webhook: str, delivery: str) -> ChangeMade:
    """Make one delivery again."""
    await visit.change(
        "webhook.replay",
        webhook,
        lambda runtime: replay.replay_delivery(runtime, app, webhook, delivery),
        after={"delivery": delivery},
    )
    return ChangeMade("The delivery is made again.")


@page.post(WEBHOOK + "/portal", roles=DEVELOPERS, back=WEBHOOK)
async def make_portal_link(visit: Visit, app: str, webhook: str, form: PortalDays) -> PageShown:
    """Make a link with which the receiver sees the deliveries of the webhook, and replays them."""
    link = await portal.make_link(visit.runtime, app, webhook, form.days)
    await visit.look("webhook.portal", webhook, after={"endsAt": link.ends_at})
    address = (visit.request.header(b"origin") or "") + portal_address(link)
    return await _show(visit, app, webhook, DeliveriesQuery(), portal_link=address)


@page.post(WEBHOOK + "/portal/revoke", roles=DEVELOPERS, back=WEBHOOK)
async def revoke_portal_links(visit: Visit, app: str, webhook: str) -> ChangeMade:
    """Revoke all links to the portal of a webhook."""
    await visit.change(
        "webhook.revoke-portal",
        webhook,
        lambda runtime: portal.revoke_links(runtime, app, webhook),
    )
    return ChangeMade("The links to the portal lead nowhere any more.")


@page.post(WEBHOOK + "/delete", roles=DEVELOPERS, back=WEBHOOK)
async def delete_webhook(
    visit: Visit, app: str, webhook: str, form: WebhookConfirmed
) -> ChangeMade:
    """Delete a webhook with its deliveries."""
    found = await manage.get_webhook(visit.runtime, app, webhook)
    if form.confirm != webhook:
        raise NotConfirmed("confirm", webhook)
    await visit.change(
        "webhook.delete",
        webhook,
        lambda runtime: manage.delete_webhook(runtime, app, webhook),
        before={"name": found.name, "url": found.url},
    )
    return ChangeMade(f"The webhook {webhook} is deleted.", to=f"/apps/{app}/webhooks")

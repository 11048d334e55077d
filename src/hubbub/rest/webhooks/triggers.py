"""`/triggers` and the triggers of webhooks: read the request, call the domain, write the answer."""

from collections.abc import Sequence
from typing import TypeVar

from hubbub.domain.webhooks import attach
from hubbub.http.call import Call
from hubbub.http.operation import FULL_ACCESS_OR_MANAGEMENT
from hubbub.kernel.pages import Page
from hubbub.records.webhooks.model import TriggerNotFound, WebhookNotFound
from hubbub.records.webhooks.triggers import TRIGGERS
from hubbub.rest.webhooks import doors
from hubbub.rest.webhooks.webhooks import TAG, WEBHOOK
from hubbub.rest.webhooks.wire import triggers as wire
from hubbub.rest.webhooks.wire.triggers import (
    AttachedTriggerShape,
    TriggerShape,
    attached_shape,
    trigger_shape,
)
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import ItemOutcome, Listing, PageQuery, SuccessMessage, page_answer

Item = TypeVar("Item")

OF_WEBHOOK = WEBHOOK + "/triggers"
ALL = [trigger_shape(trigger) for trigger in TRIGGERS.values()]


@doors.get("/triggers", key=FULL_ACCESS_OR_MANAGEMENT, tag=TAG)
async def list_triggers(call: Call, query: PageQuery) -> Listing[TriggerShape]:
    """List all triggers that webhooks can be attached to.

    Attach those that you need with `POST /webhooks/{webhookId}/triggers`. The data that each
    sends are under `webhooks` in this document.
    """
    return _page(ALL, query)


@doors.post(OF_WEBHOOK, tag=TAG, errors=(WebhookNotFound,))
async def attach_triggers(
    call: Call, webhook_id: path.WebhookId, body: wire.NamedTriggers
) -> dict[str, ItemOutcome]:
    """Attach a webhook to triggers, each with an outcome.

    It is sent what happens from then on. An unknown trigger has the error `ERR_TRIGGER_NOT_FOUND`.
    """
    refusals = await attach.attach_triggers(call.runtime, call.app_id, webhook_id, body.trigger_ids)
    return wire.outcomes(refusals)


@doors.get(OF_WEBHOOK, tag=TAG, errors=(WebhookNotFound,))
async def list_attached_triggers(
    call: Call, webhook_id: path.WebhookId, query: PageQuery
) -> Listing[AttachedTriggerShape]:
    """List the triggers that a webhook is attached to.

    A webhook without triggers is never called.
    """
    attached = await attach.list_attached(call.runtime, call.app_id, webhook_id)
    return _page([attached_shape(trigger) for trigger in attached], query)


@doors.delete(OF_WEBHOOK, tag=TAG, errors=(WebhookNotFound, TriggerNotFound))
async def detach_triggers(
    call: Call, webhook_id: path.WebhookId, body: wire.NamedTriggers
) -> SuccessMessage:
    """Detach a webhook from triggers; those that it is not attached to are passed over.

    What has happened before is still delivered.
    """
    await attach.detach_triggers(call.runtime, call.app_id, webhook_id, body.trigger_ids)
    return SuccessMessage(success=True, message="Removed trigger successfully.")


def _page(shapes: Sequence[Item], query: PageQuery) -> Listing[Item]:
    """Return the requested page of a list that is short."""
    page = query.request()
    shown = shapes[page.offset : page.offset + page.per_page]
    return page_answer(Page(shown, len(shapes), page), shown)

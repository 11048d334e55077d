"""`/triggers` and the triggers of webhooks: read the request, call the domain, write the answer."""

from collections.abc import Mapping, Sequence
from typing import Annotated, TypeVar

from msgspec import Meta

from hubbub.domain.webhooks import attach
from hubbub.http.call import Call
from hubbub.http.operation import FULL_ACCESS_OR_MANAGEMENT
from hubbub.kernel.errors import Refusal
from hubbub.kernel.pages import Page
from hubbub.records.webhooks.model import TriggerNotFound, WebhookNotFound
from hubbub.records.webhooks.triggers import TRIGGERS, Trigger
from hubbub.rest.webhooks import doors
from hubbub.rest.webhooks.webhooks import TAG, WEBHOOK
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import (
    ItemOutcome,
    Listing,
    PageQuery,
    Shape,
    SuccessMessage,
    item_outcome,
    page_answer,
)

TriggerId = Annotated[str, Meta(min_length=1, max_length=100)]
ATTACHED = "Triggers has been added successfully."


class TriggerShape(Shape):
    """A trigger."""

    id: str
    category: str
    description: str


class AttachedTriggerShape(Shape):
    """A trigger that a webhook is attached to."""

    id: str
    description: str


class NamedTriggers(Shape):
    """Triggers by their ids."""

    trigger_ids: Annotated[list[TriggerId], Meta(min_length=1, max_length=100)]


def trigger_shape(trigger: Trigger) -> TriggerShape:
    """Return a trigger on the wire."""
    return TriggerShape(id=trigger.id, category=trigger.category, description=trigger.description)


def attached_shape(trigger: Trigger) -> AttachedTriggerShape:
    """Return an attached trigger on the wire."""
    return AttachedTriggerShape(id=trigger.id, description=trigger.description)


def outcomes(refusals: Mapping[str, Refusal | None]) -> dict[str, ItemOutcome]:
    """Return the outcome for each trigger."""
    return {id_: item_outcome(refusal, ATTACHED) for id_, refusal in refusals.items()}


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
    call: Call, webhook_id: path.WebhookId, body: NamedTriggers
) -> dict[str, ItemOutcome]:
    """Attach a webhook to triggers, each with an outcome.

    It is sent what happens from then on. An unknown trigger has the error `ERR_TRIGGER_NOT_FOUND`.
    """
    refusals = await attach.attach_triggers(call.runtime, call.app_id, webhook_id, body.trigger_ids)
    return outcomes(refusals)


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
    call: Call, webhook_id: path.WebhookId, body: NamedTriggers
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

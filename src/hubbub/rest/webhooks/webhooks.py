"""`/webhooks`: read the request, call the domain, write the answer."""

from typing import Any

from msgspec import Struct

from hubbub.domain.webhooks import manage
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.kernel.pages import page_of
from hubbub.records.webhooks.model import (
    TooManyWebhooks,
    Webhook,
    WebhookAlreadyExists,
    WebhookNotFound,
)
from hubbub.rest.webhooks import doors
from hubbub.rest.webhooks.wire import webhooks as wire
from hubbub.rest.webhooks.wire.webhooks import (
    SecretShape,
    WebhookShape,
    created_shape,
    listed_shape,
    webhook_shape,
)
from hubbub.rest.wire import path
from hubbub.rest.wire.derived import given_fields
from hubbub.rest.wire.shapes import Listing, SuccessMessage, page_answer

TAG = operation.Tag(
    "Webhooks",
    "Your server is called when something happens in an app.",
)
WEBHOOKS = "/webhooks"
WEBHOOK = "/webhooks/{webhookId}"


@doors.post(
    WEBHOOKS,
    tag=TAG,
    errors=(WebhookAlreadyExists, TooManyWebhooks),
    hints={"body": wire.CreateWebhook, "return": wire.CreatedWebhookShape},
)
async def create_webhook(call: Call, body: Struct) -> Struct:
    """Create a webhook; it is sent nothing until it is attached to triggers.

    The answer has the `secret` that its deliveries are signed with. With `useBasicAuth`, `username`
    and `password` are required.
    """
    given = given_fields(body, Webhook)
    webhook = await manage.create_webhook(call.runtime, call.app_id, given)
    return created_shape(webhook)


@doors.get(WEBHOOKS, tag=TAG, hints={"return": wire.WebhookList})
async def list_webhooks(call: Call, query: wire.ListWebhooks) -> Listing[Any]:
    """List the webhooks, oldest first; `searchKey` finds a part of the id or the name.

    Passwords and secrets are left out.
    """
    found = await manage.list_webhooks(call.runtime, call.app_id, query.search_key)
    page = page_of(found, query.request())
    return page_answer(page, [listed_shape(each) for each in page.items])


@doors.get(WEBHOOK, tag=TAG, errors=(WebhookNotFound,), hints={"return": WebhookShape})
async def get_webhook(call: Call, webhook_id: path.WebhookId) -> Struct:
    """Get a webhook.

    `pausedAt` is there while it is paused, because every attempt had failed for a day; update it
    with `enabled` to go on.
    """
    return webhook_shape(await manage.get_webhook(call.runtime, call.app_id, webhook_id))


@doors.put(
    WEBHOOK,
    tag=TAG,
    errors=(WebhookNotFound,),
    hints={"body": wire.UpdateWebhook, "return": WebhookShape},
)
async def update_webhook(call: Call, webhook_id: path.WebhookId, body: Struct) -> Struct:
    """Change a webhook; fields that are absent keep their values.

    What happens while it is disabled is not sent later. `enabled: true` ends the pause of one that
    is paused: all that has waited is sent. Deliveries that wait are sent to a changed `webhookURL`.
    """
    given = given_fields(body, Webhook)
    webhook = await manage.update_webhook(call.runtime, call.app_id, webhook_id, given)
    return webhook_shape(webhook)


@doors.delete(WEBHOOK, tag=TAG, errors=(WebhookNotFound,))
async def delete_webhook(call: Call, webhook_id: path.WebhookId) -> SuccessMessage:
    """Delete a webhook with its deliveries, also those that wait.

    It is not called any more, but for a call that is being made.
    """
    await manage.delete_webhook(call.runtime, call.app_id, webhook_id)
    return SuccessMessage(success=True, message="Deleted Webhook successfully.")


@doors.get(WEBHOOK + "/secret", tag=TAG, errors=(WebhookNotFound,), is_own=True)
async def get_webhook_secret(call: Call, webhook_id: path.WebhookId) -> SecretShape:
    """Get the secret that the deliveries of a webhook are signed with.

    It is the same as when the webhook was created, or its secret last rotated. Verify each call
    with it, by the Standard Webhooks specification.
    """
    webhook = await manage.get_webhook(call.runtime, call.app_id, webhook_id)
    return SecretShape(secret=webhook.secret)


@doors.post(
    WEBHOOK + "/secret/rotate",
    tag=TAG,
    errors=(WebhookNotFound,),
    is_own=True,
    is_body_optional=True,
)
async def rotate_webhook_secret(
    call: Call, webhook_id: path.WebhookId, body: wire.RotateSecret
) -> SecretShape:
    """Give a webhook a new secret, and get it.

    For `overlapSeconds`, a day by default, deliveries are signed with both secrets.
    """
    webhook = await manage.rotate_secret(
        call.runtime, call.app_id, webhook_id, overlap_seconds=body.overlap_seconds
    )
    return SecretShape(secret=webhook.secret)

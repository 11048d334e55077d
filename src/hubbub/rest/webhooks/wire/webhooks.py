"""The shapes of webhooks; answers have a mark in the place of a password."""

from typing import Annotated, Any

from msgspec import NODEFAULT, Meta, Struct

from hubbub.kernel.text import MASK
from hubbub.records.webhooks.model import Webhook
from hubbub.rest.wire.derived import (
    changed_fields,
    make_shape,
    saved_fields,
    show,
    shown_fields,
)
from hubbub.rest.wire.shapes import Listing, PageQuery, SearchKey, Shape

DAY = 86400
_SECRET = Annotated[str, Meta(description="What deliveries are signed with.")]

WebhookShape = make_shape("WebhookShape", "A webhook.", shown_fields(Webhook), Webhook)
WebhookList = Listing[WebhookShape]  # type: ignore[valid-type]
CreatedWebhookShape = make_shape(
    "CreatedWebhookShape",
    "A new webhook with its secret.",
    [*shown_fields(Webhook), ("secret", _SECRET, NODEFAULT)],
    Webhook,
)
CreateWebhook = make_shape(
    "CreateWebhook", "The webhook to create.", saved_fields(Webhook), Webhook
)
UpdateWebhook = make_shape(
    "UpdateWebhook",
    "The changes to a webhook; absent fields, and a redacted password, keep their values.",
    changed_fields(Webhook),
    Webhook,
)


class ListWebhooks(PageQuery):
    """The page and the filter of a list of webhooks."""

    search_key: SearchKey = ""


class SecretShape(Shape):
    """The secret of a webhook."""

    secret: str


class RotateSecret(Shape):
    """For how long the former secret signs, too."""

    overlap_seconds: Annotated[int, Meta(ge=0, le=30 * DAY)] = DAY


def webhook_shape(webhook: Webhook) -> Struct:
    """Return a webhook on the wire."""
    return WebhookShape(**_masked(webhook))


def listed_shape(webhook: Webhook) -> Struct:
    """Return a webhook in a list: without its password, and without saying whether it has one."""
    return WebhookShape(**{**show(webhook), "password": None})


def created_shape(webhook: Webhook) -> Struct:
    """Return a new webhook on the wire."""
    return CreatedWebhookShape(**_masked(webhook), secret=webhook.secret)


def _masked(webhook: Webhook) -> dict[str, Any]:
    # An empty password is none.
    return {**show(webhook), "password": MASK if webhook.password else None}

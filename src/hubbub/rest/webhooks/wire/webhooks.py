"""The shapes of webhooks; answers have a mark in the place of a password."""

from typing import Annotated, Any

from msgspec import Meta, field

from hubbub.domain.webhooks.manage import WebhookFields
from hubbub.kernel.text import REDACTED
from hubbub.records.webhooks.model import Webhook
from hubbub.rest.wire.shapes import PageQuery, SearchKey, Shape

DAY = 86400

WebhookId = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=50,
        pattern=r"^(?!\.{1,2}$)[A-Za-z0-9._-]+$(?!\n)",
        description="A-Z, a-z, 0-9, `.`, `_` and `-`, but not `.` or `..` alone.",
    ),
]
WebhookName = Annotated[str, Meta(min_length=1, max_length=50)]
WebhookUrl = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=255,
        pattern=r"^[^\s\x00-\x1f\x7f]+$(?!\n)",
        description="An https URL. Private addresses, and http, only where the operator allows it.",
    ),
]
Username = Annotated[
    str,
    Meta(
        max_length=50,
        pattern=r"^[^:\x00-\x1f\x7f]*$(?!\n)",
        description="For Basic auth; without colon and control characters.",
    ),
]
Password = Annotated[
    str,
    Meta(
        max_length=100,
        pattern=r"^[^\x00-\x1f\x7f]*$(?!\n)",
        description="For Basic auth; without control characters.",
    ),
]
IsEnabled = Annotated[bool, Meta(description="Whether anything is sent to it.")]
Retries = Annotated[
    bool, Meta(description="Whether a delivery that failed is tried again, for some days.")
]


class WebhookShape(Shape, kw_only=True):
    """A webhook."""

    id: str
    name: str
    webhook_url: str = field(name="webhookURL")
    use_basic_auth: bool
    username: str | None = None
    password: Annotated[str | None, Meta(description="Only the mark `•••`.")] = None
    enabled: bool
    retry_on_failure: bool
    paused_at: Annotated[
        int | None,
        Meta(description="Since when it is paused, in seconds since 1970: every attempt failed."),
    ] = None
    created_at: int
    updated_at: int | None = None


class CreatedWebhookShape(WebhookShape, kw_only=True):
    """A new webhook with its secret."""

    secret: Annotated[str, Meta(description="What deliveries are signed with.")]


class CreateWebhook(Shape):
    """The webhook to create."""

    id: WebhookId
    name: WebhookName
    webhook_url: WebhookUrl = field(name="webhookURL")
    use_basic_auth: bool = False
    username: Username | None = None
    password: Password | None = None
    enabled: IsEnabled = True
    retry_on_failure: Retries = False

    def fields(self) -> WebhookFields:
        """Return the fields that are given."""
        return WebhookFields(
            name=self.name,
            url=self.webhook_url,
            uses_basic_auth=self.use_basic_auth,
            username=self.username,
            password=self.password,
            is_enabled=self.enabled,
            retries=self.retry_on_failure,
        )


class UpdateWebhook(Shape):
    """The changes to a webhook; absent fields, and a redacted password, keep their values."""

    name: WebhookName | None = None
    webhook_url: WebhookUrl | None = field(default=None, name="webhookURL")
    use_basic_auth: bool | None = None
    username: Username | None = None
    password: Password | None = None
    enabled: IsEnabled | None = None
    retry_on_failure: Retries | None = None

    def fields(self) -> WebhookFields:
        """Return the fields that are given."""
        return WebhookFields(
            name=self.name,
            url=self.webhook_url,
            uses_basic_auth=self.use_basic_auth,
            username=self.username,
            password=None if self.password == REDACTED else self.password,
            is_enabled=self.enabled,
            retries=self.retry_on_failure,
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


def webhook_shape(webhook: Webhook) -> WebhookShape:
    """Return a webhook on the wire."""
    return WebhookShape(**_fields(webhook), password=REDACTED if webhook.password else None)


def listed_shape(webhook: Webhook) -> WebhookShape:
    """Return a webhook in a list: without its password, and without saying whether it has one."""
    return WebhookShape(**_fields(webhook))


def created_shape(webhook: Webhook) -> CreatedWebhookShape:
    """Return a new webhook on the wire."""
    return CreatedWebhookShape(
        **_fields(webhook),
        password=REDACTED if webhook.password else None,
        secret=webhook.secret,
    )


def _fields(webhook: Webhook) -> dict[str, Any]:
    """Return the fields that all shapes have."""
    return {
        "id": webhook.id,
        "name": webhook.name,
        "webhook_url": webhook.url,
        "use_basic_auth": webhook.uses_basic_auth,
        "username": webhook.username,
        "enabled": webhook.is_enabled,
        "retry_on_failure": webhook.retries,
        "paused_at": webhook.paused_at,
        "created_at": webhook.created_at,
        "updated_at": webhook.updated_at,
    }

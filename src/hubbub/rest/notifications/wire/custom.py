"""The shapes of custom providers: a server of the app, which is called for each person."""

from typing import Annotated, Any

from msgspec import Meta, field

from hubbub.records.notifications.setups import (
    CustomConfig,
    CustomEmailSetup,
    CustomPassword,
    CustomPushSetup,
    CustomSmsSetup,
)
from hubbub.rest.notifications.wire.channels import IsEnabled, ShowsSecrets, shown
from hubbub.rest.wire.shapes import Shape

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
        max_length=100,
        pattern=r"^[^:\x00-\x1f\x7f]*$(?!\n)",
        description="For Basic auth; without colon and control characters.",
    ),
]
Password = Annotated[
    str,
    Meta(
        max_length=255,
        pattern=r"^[^\x00-\x1f\x7f]*$(?!\n)",
        description="For Basic auth; without control characters.",
    ),
]
OnlyStoredEmail = Annotated[
    bool, Meta(description="Whether it is called only for users whose e-mail address is stored.")
]
OnlyStoredPhone = Annotated[
    bool, Meta(description="Whether it is called only for users whose phone number is stored.")
]


class CustomShape(Shape, kw_only=True):
    """A custom provider; empty if the app has none for the channel."""

    is_enabled: bool | None = None
    webhook_url: str | None = field(default=None, name="webhookURL")
    use_basic_auth: bool | None = None
    basic_auth_username: str | None = None
    basic_auth_password: str | None = None


class CustomEmailShape(CustomShape, kw_only=True):
    """The custom provider of e-mail; empty if the app has none."""

    use_stored_email: bool | None = field(default=None, name="useStoredEmailID")


class CustomSmsShape(CustomShape, kw_only=True):
    """The custom provider of SMS; empty if the app has none."""

    use_stored_phone: bool | None = field(default=None, name="useStoredPhNo")


class CustomPushProviders(Shape):
    """The custom push provider, or none."""

    push_providers: list[CustomShape]


class SaveCustom(Shape, kw_only=True):
    """A custom provider; without Basic auth the credentials may be empty."""

    is_enabled: IsEnabled
    webhook_url: WebhookUrl = field(name="webhookURL")
    use_basic_auth: bool
    basic_auth_username: Username
    basic_auth_password: Password


class SaveCustomEmail(SaveCustom, kw_only=True):
    """The custom provider of e-mail; without Basic auth the credentials may be empty."""

    use_stored_email: OnlyStoredEmail = field(name="useStoredEmailID")


class SaveCustomSms(SaveCustom, kw_only=True):
    """The custom provider of SMS; without Basic auth the credentials may be empty."""

    use_stored_phone: OnlyStoredPhone = field(name="useStoredPhNo")


class ChangeCustom(Shape, kw_only=True):
    """The changes to a custom provider."""

    is_enabled: IsEnabled | None = None
    webhook_url: WebhookUrl | None = field(default=None, name="webhookURL")
    use_basic_auth: bool | None = None
    basic_auth_username: Username | None = None
    basic_auth_password: Password | None = None


class ChangeCustomEmail(ChangeCustom, kw_only=True):
    """The changes to the custom provider of e-mail."""

    use_stored_email: OnlyStoredEmail | None = field(default=None, name="useStoredEmailID")


class ChangeCustomSms(ChangeCustom, kw_only=True):
    """The changes to the custom provider of SMS."""

    use_stored_phone: OnlyStoredPhone | None = field(default=None, name="useStoredPhNo")


def read_push(body: SaveCustom | ChangeCustom) -> CustomPushSetup:
    """Return the setup of the custom push provider in a request."""
    return CustomPushSetup(_config(body, None), CustomPassword(body.basic_auth_password))


def read_email(body: SaveCustomEmail | ChangeCustomEmail) -> CustomEmailSetup:
    """Return the setup of the custom provider of e-mail in a request."""
    config = _config(body, body.use_stored_email)
    return CustomEmailSetup(config, CustomPassword(body.basic_auth_password))


def read_sms(body: SaveCustomSms | ChangeCustomSms) -> CustomSmsSetup:
    """Return the setup of the custom provider of SMS in a request."""
    config = _config(body, body.use_stored_phone)
    return CustomSmsSetup(config, CustomPassword(body.basic_auth_password))


def _config(body: SaveCustom | ChangeCustom, uses_stored: bool | None) -> CustomConfig:
    return CustomConfig(
        webhook_url=body.webhook_url,
        uses_basic_auth=body.use_basic_auth,
        basic_auth_username=body.basic_auth_username,
        is_enabled=body.is_enabled,
        uses_stored_address=uses_stored,
    )


def push_shape(setup: CustomPushSetup | None, query: ShowsSecrets) -> CustomPushProviders:
    """Return the custom push provider on the wire."""
    if setup is None:
        return CustomPushProviders(push_providers=[])
    return CustomPushProviders(push_providers=[CustomShape(**_fields(setup, query))])


def email_shape(setup: CustomEmailSetup | None, query: ShowsSecrets) -> CustomEmailShape:
    """Return the custom provider of e-mail on the wire."""
    if setup is None:
        return CustomEmailShape()
    uses_stored = setup.config.uses_stored_address
    return CustomEmailShape(**_fields(setup, query), use_stored_email=uses_stored)


def sms_shape(setup: CustomSmsSetup | None, query: ShowsSecrets) -> CustomSmsShape:
    """Return the custom provider of SMS on the wire."""
    if setup is None:
        return CustomSmsShape()
    uses_stored = setup.config.uses_stored_address
    return CustomSmsShape(**_fields(setup, query), use_stored_phone=uses_stored)


def _fields(
    setup: CustomPushSetup | CustomEmailSetup | CustomSmsSetup, query: ShowsSecrets
) -> dict[str, Any]:
    """Return the fields that all custom providers have."""
    return {
        "is_enabled": setup.config.is_enabled,
        "webhook_url": setup.config.webhook_url,
        "use_basic_auth": setup.config.uses_basic_auth,
        "basic_auth_username": setup.config.basic_auth_username,
        "basic_auth_password": shown(setup.secrets.basic_auth_password, query),
    }

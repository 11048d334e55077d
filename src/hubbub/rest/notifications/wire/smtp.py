"""The shapes of a mail server, reached over SMTP."""

from typing import Annotated, Literal

from msgspec import Meta

from hubbub.records.notifications.setups import SmtpConfig, SmtpPassword, SmtpSetup
from hubbub.rest.notifications.wire.channels import (
    Email,
    IsEnabled,
    SenderName,
    ShowsSecrets,
    shown,
)
from hubbub.rest.wire.shapes import Shape

Host = Annotated[
    str,
    Meta(
        max_length=253,
        pattern=r"^[^\s\x00-\x20\x7f/\\?#@\[\]]+$(?!\n)",
        description="A name or an address; private ones only where the operator allows it.",
    ),
]
Port = Annotated[int, Meta(ge=1, le=65_535)]
Credential = Annotated[
    str,
    Meta(
        max_length=255, pattern=r"^[^\x00-\x1f\x7f]*$(?!\n)", description="No control characters."
    ),
]
Security = Annotated[
    Literal["starttls", "tls", "none"],
    Meta(
        title="SmtpSecurity",
        description="When TLS begins: after `STARTTLS`, at once, or not at all, which only networks"
        " of `HUBBUB_OUTBOUND_ALLOW` may do.",
    ),
]


class SmtpShape(Shape, kw_only=True):
    """The mail server; empty if the app has none."""

    host: str | None = None
    port: int | None = None
    username: str | None = None
    password: str | None = None
    security: Security | None = None
    sender_name: str | None = None
    sender_email: str | None = None
    is_enabled: bool | None = None


class SaveSmtp(Shape, kw_only=True):
    """The mail server; without a username it is used without a password."""

    host: Host
    port: Port
    username: Credential | None = None
    password: Credential | None = None
    security: Security
    sender_name: SenderName
    sender_email: Email
    is_enabled: IsEnabled = True


class ChangeSmtp(Shape, kw_only=True):
    """The changes to the mail server."""

    host: Host | None = None
    port: Port | None = None
    username: Credential | None = None
    password: Credential | None = None
    security: Security | None = None
    sender_name: SenderName | None = None
    sender_email: Email | None = None
    is_enabled: IsEnabled | None = None


def read_smtp(body: SaveSmtp | ChangeSmtp) -> SmtpSetup:
    """Return the setup in a request."""
    return SmtpSetup(
        SmtpConfig(
            host=body.host,
            port=body.port,
            username=body.username,
            security=body.security,
            sender_name=body.sender_name,
            sender_email=body.sender_email,
            is_enabled=body.is_enabled,
        ),
        SmtpPassword(body.password),
    )


def smtp_shape(setup: SmtpSetup | None, query: ShowsSecrets) -> SmtpShape:
    """Return a setup on the wire."""
    if setup is None:
        return SmtpShape()
    config = setup.config
    return SmtpShape(
        host=config.host,
        port=config.port,
        username=config.username,
        password=shown(setup.secrets.password, query),
        security=config.security,  # type: ignore[arg-type]  # as it was stored
        sender_name=config.sender_name,
        sender_email=config.sender_email,
        is_enabled=config.is_enabled,
    )

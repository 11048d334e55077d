"""The shapes of the provider SendGrid."""

from typing import Annotated
from urllib.parse import quote

from msgspec import UNSET, Meta, UnsetType, field

from hubbub.domain.notices.replies.read import PATH as REPLIES
from hubbub.records.notifications.setups import SendGridConfig, SendGridKey, SendGridSetup
from hubbub.rest.notifications.wire.channels import (
    Email,
    IsEnabled,
    Secret,
    SenderName,
    ShowsSecrets,
    shown,
)
from hubbub.rest.wire.shapes import Shape

TemplateId = Annotated[
    str,
    Meta(max_length=100, pattern=r"^[A-Za-z0-9_-]+$(?!\n)", description="Of a dynamic template."),
]
UnsubscribeGroupId = Annotated[str, Meta(max_length=18, pattern=r"^[0-9]+$(?!\n)")]
AllowsReplies = Annotated[bool, Meta(description="Whether a reply to an e-mail becomes a message.")]


class SendGridShape(Shape, kw_only=True):
    """The provider SendGrid; empty if the app has none."""

    api_key: str | None = field(default=None, name="sendGridApiKey")
    template_id: str | None = field(default=None, name="sendGridTemplateID")
    unsubscribe_group_id: str | None = field(default=None, name="sendGridUnsubscribeGroupID")
    sender_name: str | None = None
    sender_email: str | None = None
    allow_email_replies: bool | None = None
    sender_email_for_replies: str | None = None
    is_enabled: bool | None = None
    replies_webhook: Annotated[
        str | None,
        Meta(description="The URL for SendGrid's Inbound Parse. Who knows it can send replies."),
    ] = None


class SaveSendGrid(Shape, kw_only=True):
    """The provider SendGrid."""

    api_key: Secret = field(name="sendGridApiKey")
    template_id: TemplateId = field(name="sendGridTemplateID")
    unsubscribe_group_id: UnsubscribeGroupId = field(name="sendGridUnsubscribeGroupID")
    sender_name: SenderName
    sender_email: Email
    allow_email_replies: AllowsReplies
    sender_email_for_replies: Email | None = None
    is_enabled: IsEnabled = True


class ChangeSendGrid(Shape, kw_only=True):
    """The changes to the provider SendGrid; null removes `senderEmailForReplies`."""

    api_key: Secret | None = field(default=None, name="sendGridApiKey")
    template_id: TemplateId | None = field(default=None, name="sendGridTemplateID")
    unsubscribe_group_id: UnsubscribeGroupId | None = field(
        default=None, name="sendGridUnsubscribeGroupID"
    )
    sender_name: SenderName | None = None
    sender_email: Email | None = None
    allow_email_replies: AllowsReplies | None = None
    sender_email_for_replies: Email | UnsetType | None = UNSET
    is_enabled: IsEnabled | None = None


def read_sendgrid(body: SaveSendGrid | ChangeSendGrid) -> SendGridSetup:
    """Return the setup in a request; an empty `sender_email_for_replies` removes it."""
    replies = body.sender_email_for_replies
    return SendGridSetup(
        SendGridConfig(
            template_id=body.template_id,
            unsubscribe_group_id=body.unsubscribe_group_id,
            sender_name=body.sender_name,
            sender_email=body.sender_email,
            allow_email_replies=body.allow_email_replies,
            sender_email_for_replies=None if replies is UNSET else replies or "",
            is_enabled=body.is_enabled,
        ),
        SendGridKey(body.api_key),
    )


def sendgrid_shape(setup: SendGridSetup | None, query: ShowsSecrets, address: str) -> SendGridShape:
    """Return a setup on the wire; URLs of this server begin with an address."""
    if setup is None:
        return SendGridShape()
    config = setup.config
    return SendGridShape(
        api_key=shown(setup.secrets.api_key, query),
        template_id=config.template_id,
        unsubscribe_group_id=config.unsubscribe_group_id,
        sender_name=config.sender_name,
        sender_email=config.sender_email,
        allow_email_replies=config.allow_email_replies,
        sender_email_for_replies=config.sender_email_for_replies,
        is_enabled=config.is_enabled,
        replies_webhook=f"{address}{REPLIES}?token={quote(setup.secrets.replies_token or '')}",
    )

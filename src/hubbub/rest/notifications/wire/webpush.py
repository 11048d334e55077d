"""The shapes of Web Push providers; their private keys are never shown."""

from typing import Annotated

from msgspec import Meta

from hubbub.records.notifications.model import Provider
from hubbub.records.notifications.setups import WebPushSetup
from hubbub.rest.notifications.wire.providers import ProviderId
from hubbub.rest.wire.shapes import Shape

PublicKey = Annotated[
    str, Meta(description="The `applicationServerKey` for browsers: base64url, without padding.")
]


class AddWebPushProvider(Shape, kw_only=True):
    """The Web Push provider to add; without an id, one is generated."""

    provider_id: ProviderId | None = None
    subject: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=255,
            pattern=r"^[!-~]+$(?!\n)",
            description="Who sends: `mailto:` with an e-mail address, or an https URL.",
        ),
    ]


class WebPushAdded(Shape, kw_only=True):
    """The acknowledgement of a new Web Push provider, with its key."""

    success: bool
    provider_id: str
    public_key: PublicKey


class WebPushProviderShape(Shape, kw_only=True):
    """A Web Push provider."""

    provider_id: str
    subject: str
    public_key: PublicKey
    is_default: bool
    created_at: int


class WebPushProviders(Shape):
    """The Web Push providers of the app."""

    push_providers: list[WebPushProviderShape]


def webpush_shape(provider: Provider[WebPushSetup]) -> WebPushProviderShape:
    """Return a Web Push provider on the wire."""
    config = provider.setup.config
    return WebPushProviderShape(
        provider_id=provider.id,
        subject=config.subject or "",
        public_key=config.public_key or "",
        is_default=provider.is_default,
        created_at=provider.created_at,
    )

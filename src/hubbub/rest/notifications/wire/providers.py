"""The shapes of push providers; answers have a mark in the place of a secret."""

from dataclasses import asdict, replace
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from hubbub.http.operation import Envelope
from hubbub.kernel.text import REDACTED
from hubbub.records.notifications.model import (
    ApnsConfig,
    ApnsKey,
    ApnsSetup,
    FcmConfig,
    FcmSetup,
    Provider,
    ServiceAccount,
)
from hubbub.rest.wire.shapes import Json, Shape, ShortText

Setup = TypeVar("Setup", FcmSetup, ApnsSetup)

ProviderId = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=100,
        pattern=r"^(?!\.{1,2}$)[^/\x00-\x1f\x7f-\x9f\ufffd]+$(?!\n)",
        description="No control characters and no /; neither . nor ..",
    ),
]
ProjectId = Annotated[str, Meta(max_length=255, pattern=r"^[A-Za-z0-9_.:-]+$(?!\n)")]
KeyId = Annotated[str, Meta(min_length=1, max_length=255)]
Pem = Annotated[str, Meta(min_length=1, max_length=16_384, description="A private key as PEM.")]
AppleId = Annotated[
    str, Meta(max_length=10, pattern="^[A-Z0-9]{10}$", description="Ten of A-Z and 0-9.")
]
BundleId = Annotated[
    str,
    Meta(
        max_length=255,
        pattern=r"^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$(?!\n)",
        description="Such as com.example.chat.",
    ),
]


class VisibilityShape(Shape):
    """The notifications that have a visible part, not only data."""

    chat: bool | None = None
    call: bool | None = None


class PlatformsShape(Shape):
    """The visibility on each platform."""

    ios: VisibilityShape | None = None
    android: VisibilityShape | None = None
    web: VisibilityShape | None = None


class ServiceAccountShape(msgspec.Struct, omit_defaults=True, kw_only=True):
    """Fields of a Google service account, under Google's names; others are ignored."""

    project_id: ProjectId | None = None
    client_email: Annotated[str, Meta(max_length=254)] | None = None
    private_key: Pem | None = None
    private_key_id: KeyId | None = None


class AddFcmProvider(Shape):
    """The FCM provider to add; without an id, one is generated."""

    provider_id: ProviderId | None = None
    service_account_filename: ShortText | None = None
    service_account_creds: ServiceAccountShape | None = None
    notification_in_payload: PlatformsShape | None = None


class UpdateFcmProvider(AddFcmProvider, kw_only=True):
    """The changes to an FCM provider; absent fields and redacted secrets keep their values."""

    provider_id: ProviderId


class FcmProviderShape(Shape, kw_only=True):
    """An FCM provider."""

    provider_id: str
    service_account_filename: str | None = None
    service_account_creds: ServiceAccountShape | None = None
    notification_in_payload: PlatformsShape | None = None
    is_default: bool
    is_complete: bool
    created_at: int
    updated_at: int | None = None


class FcmProviders(Shape):
    """The FCM providers of the app."""

    push_providers: list[FcmProviderShape]


class FcmAdded(Shape, kw_only=True):
    """The acknowledgement of a new FCM provider; with its id if it was generated."""

    success: bool
    provider_id: str | None = None


class FcmAddedAnswer(Envelope):
    """The answer to adding an FCM provider."""

    data: FcmAdded
    meta: Json


class AddApnsProvider(Shape):
    """The APNs provider to add; without an id, one is generated."""

    provider_id: ProviderId | None = None
    key_id: AppleId | None = None
    team_id: AppleId | None = None
    bundle_id: BundleId | None = None
    p8_key_filename: ShortText | None = None
    p8_key: Pem | None = None
    include_content_available: bool | None = None
    include_mutable_content: bool | None = None
    production_mode: bool | None = None


class UpdateApnsProvider(AddApnsProvider, kw_only=True):
    """The changes to an APNs provider; absent fields and redacted secrets keep their values."""

    provider_id: ProviderId


class ApnsProviderShape(AddApnsProvider, kw_only=True):
    """An APNs provider."""

    provider_id: str
    is_default: bool
    is_complete: bool
    created_at: int
    updated_at: int | None = None


class ApnsProviders(Shape):
    """The APNs providers of the app."""

    push_providers: list[ApnsProviderShape]


def read_fcm(body: AddFcmProvider) -> FcmSetup:
    """Return the setup of an FCM provider in a request."""
    account = body.service_account_creds or ServiceAccountShape()
    return FcmSetup(_converted(body, FcmConfig), _converted(account, ServiceAccount))


def read_apns(body: AddApnsProvider) -> ApnsSetup:
    """Return the setup of an APNs provider in a request."""
    return ApnsSetup(_converted(body, ApnsConfig), _converted(body, ApnsKey))


def without_redacted(setup: Setup) -> Setup:
    """Return the changes without redacted secrets, which so keep their values."""
    secrets = setup.secrets
    redacted = [name for name, text in asdict(secrets).items() if text == REDACTED]
    absent: dict[str, Any] = dict.fromkeys(redacted)
    return replace(setup, secrets=replace(secrets, **absent))


def fcm_shape(provider: Provider[FcmSetup]) -> FcmProviderShape:
    """Return an FCM provider on the wire."""
    config, account = provider.setup.config, provider.setup.secrets
    return FcmProviderShape(
        **_common_fields(provider),
        service_account_filename=config.service_account_filename,
        service_account_creds=None if account == ServiceAccount() else _account_shape(account),
        notification_in_payload=_converted(config.notification_in_payload, PlatformsShape | None),
    )


def _account_shape(account: ServiceAccount) -> ServiceAccountShape:
    return ServiceAccountShape(
        project_id=account.project_id,
        client_email=account.client_email,
        private_key=_redacted(account.private_key),
        private_key_id=_redacted(account.private_key_id),
    )


def apns_shape(provider: Provider[ApnsSetup]) -> ApnsProviderShape:
    """Return an APNs provider on the wire."""
    return ApnsProviderShape(
        **_common_fields(provider),
        **asdict(provider.setup.config),
        p8_key=_redacted(provider.setup.secrets.p8_key),
    )


def _common_fields(provider: Provider[Any]) -> dict[str, Any]:
    """Return the fields that providers of both kinds have."""
    return {
        "provider_id": provider.id,
        "is_default": provider.is_default,
        "is_complete": provider.setup.is_complete,
        "created_at": provider.created_at,
        "updated_at": provider.updated_at,
    }


def _redacted(secret: str | None) -> str | None:
    return None if secret is None else REDACTED


def _converted(value: Any, type_: Any) -> Any:
    """Convert between a shape and a dataclass whose fields have the same names."""
    return msgspec.convert(value, type_, from_attributes=True)

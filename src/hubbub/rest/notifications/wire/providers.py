"""The shapes of push providers: secrets come in, and go out only as a mark that they are there."""

from dataclasses import asdict, replace
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from hubbub.http.operation import Envelope
from hubbub.records.notifications.model import (
    ApnsConfig,
    ApnsKey,
    ApnsSetup,
    FcmConfig,
    FcmSetup,
    Provider,
    ServiceAccount,
)
from hubbub.rest.wire.shapes import Free, Shape, ShortText

Secrets = TypeVar("Secrets", ServiceAccount, ApnsKey)

REDACTED = "•••"
"""Stands for a secret in answers; in a change it leaves the secret as it is."""

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
    """For which notifications there is a visible part, not data alone."""

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
    """An FCM provider to be; without an id one is made."""

    provider_id: ProviderId | None = None
    service_account_filename: ShortText | None = None
    service_account_creds: ServiceAccountShape | None = None
    notification_in_payload: PlatformsShape | None = None


class UpdateFcmProvider(AddFcmProvider, kw_only=True):
    """What is to change of an FCM provider; what is not given stays, a redacted secret too."""

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
    """The app's FCM providers."""

    push_providers: list[FcmProviderShape]


class FcmAdded(Shape, kw_only=True):
    """That an FCM provider was added; its id where one was made."""

    success: bool
    provider_id: str | None = None


class FcmAddedAnswer(Envelope):
    """The answer to adding an FCM provider."""

    data: FcmAdded
    meta: Free


class AddApnsProvider(Shape):
    """An APNs provider to be; without an id one is made."""

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
    """What is to change of an APNs provider; what is not given stays, a redacted secret too."""

    provider_id: ProviderId


class ApnsProviderShape(AddApnsProvider, kw_only=True):
    """An APNs provider."""

    provider_id: str
    is_default: bool
    is_complete: bool
    created_at: int
    updated_at: int | None = None


class ApnsProviders(Shape):
    """The app's APNs providers."""

    push_providers: list[ApnsProviderShape]


def read_fcm(body: AddFcmProvider) -> FcmSetup:
    """What a request says of an FCM provider."""
    account = body.service_account_creds or ServiceAccountShape()
    return FcmSetup(_converted(body, FcmConfig), _converted(account, ServiceAccount))


def read_apns(body: AddApnsProvider) -> ApnsSetup:
    """What a request says of an APNs provider."""
    return ApnsSetup(_converted(body, ApnsConfig), _converted(body, ApnsKey))


def read_fcm_change(body: UpdateFcmProvider) -> FcmSetup:
    """What a request changes of an FCM provider."""
    setup = read_fcm(body)
    return replace(setup, secrets=_without_marks(setup.secrets))


def read_apns_change(body: UpdateApnsProvider) -> ApnsSetup:
    """What a request changes of an APNs provider."""
    setup = read_apns(body)
    return replace(setup, secrets=_without_marks(setup.secrets))


def _without_marks(secrets: Secrets) -> Secrets:
    marked = [name for name, text in asdict(secrets).items() if text == REDACTED]
    unset: dict[str, Any] = dict.fromkeys(marked)
    return replace(secrets, **unset)


def fcm_shape(provider: Provider[FcmSetup]) -> FcmProviderShape:
    """`provider` as the interface shows it."""
    config, account = provider.setup.config, provider.setup.secrets
    return FcmProviderShape(
        provider_id=provider.id,
        service_account_filename=config.service_account_filename,
        service_account_creds=None if account == ServiceAccount() else _account_shape(account),
        notification_in_payload=_converted(config.notification_in_payload, PlatformsShape | None),
        is_default=provider.is_default,
        is_complete=provider.setup.is_complete,
        created_at=provider.created_at,
        updated_at=provider.updated_at,
    )


def _account_shape(account: ServiceAccount) -> ServiceAccountShape:
    return ServiceAccountShape(
        project_id=account.project_id,
        client_email=account.client_email,
        private_key=_redacted(account.private_key),
        private_key_id=_redacted(account.private_key_id),
    )


def apns_shape(provider: Provider[ApnsSetup]) -> ApnsProviderShape:
    """`provider` as the interface shows it."""
    return ApnsProviderShape(
        provider_id=provider.id,
        **asdict(provider.setup.config),
        p8_key=_redacted(provider.setup.secrets.p8_key),
        is_default=provider.is_default,
        is_complete=provider.setup.is_complete,
        created_at=provider.created_at,
        updated_at=provider.updated_at,
    )


def _redacted(secret: str | None) -> str | None:
    return None if secret is None else REDACTED


def _converted(value: Any, type_: Any) -> Any:
    """Between a shape and a part of the domain whose fields have the same names."""
    return msgspec.convert(value, type_, from_attributes=True)

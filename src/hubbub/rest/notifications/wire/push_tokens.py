"""The shapes of push tokens."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from msgspec import Meta

from hubbub.domain.identity.read_jwt import LONGEST_JWT
from hubbub.domain.notifications.settings.devices import Registration, ShownDevice
from hubbub.kernel.errors import BadInput
from hubbub.records.devices.model import (
    APNS_PLATFORMS,
    FCM_PLATFORMS,
    LONGEST_TOKEN,
    VOIP,
    VOIP_PLATFORMS,
    Keys,
    StoredSubscription,
)
from hubbub.rest.notifications.wire.preferences import TimeZone
from hubbub.rest.notifications.wire.providers import ProviderId
from hubbub.rest.wire.enums import PushPlatform
from hubbub.rest.wire.shapes import Shape

AuthToken = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=LONGEST_JWT,
        description="An auth token of the user; by default that of the call.",
    ),
]
PushToken = Annotated[str, Meta(min_length=1, max_length=LONGEST_TOKEN, pattern=r"^[!-~]+$(?!\n)")]
Key = Annotated[str, Meta(min_length=1, max_length=255)]


class SubscriptionKeys(Shape):
    """The keys of a subscription, in base64url."""

    p256dh: Key
    auth: Key


class SubscriptionShape(Shape):
    """A subscription to Web Push: what `PushSubscription.toJSON()` returns in a browser."""

    endpoint: PushToken
    keys: SubscriptionKeys
    expiration_time: float | None = None


class RegisterToken(Shape):
    """The push token to register: one of four fields, as the platform requires."""

    platform: PushPlatform
    auth_token: AuthToken | None = None
    fcm_token: Annotated[PushToken, Meta(description="For `fcm_…`.")] | None = None
    device_token: Annotated[PushToken, Meta(description="For `apns_…_device`.")] | None = None
    voip_token: Annotated[PushToken, Meta(description="For `apns_…_voip`.")] | None = None
    subscription: Annotated[SubscriptionShape, Meta(description="For `web_push`.")] | None = None
    provider_id: ProviderId | None = None
    timezone: TimeZone | None = None

    def registration(self, auth_token: str) -> Registration:
        """Return what to register for an auth token.

        Raises:
            BadInput: the field that the platform requires is missing.
        """
        field, token = self._token()
        if token is None:
            raise BadInput.field(field, f"The platform {self.platform} requires the {field}.")
        return Registration(auth_token, self.platform, token, self.provider_id, self.timezone)

    def _token(self) -> tuple[str, str | StoredSubscription | None]:
        """Return the field that the platform requires, and its value."""
        if self.platform in FCM_PLATFORMS:
            return "fcmToken", self.fcm_token
        if self.platform in APNS_PLATFORMS:
            return "deviceToken", self.device_token
        if self.platform in VOIP_PLATFORMS:
            return "voipToken", self.voip_token
        given = self.subscription
        if given is None:
            return "subscription", None
        return "subscription", StoredSubscription(
            given.endpoint, Keys(given.keys.p256dh, given.keys.auth)
        )


class ScopeOfTokens(Shape):
    """Whether all push tokens of the user are meant, or only those of the auth token."""

    all: Annotated[
        bool, Meta(description="All push tokens of the user; else only those of the auth token.")
    ] = False


class ListTokens(ScopeOfTokens, kw_only=True):
    """The push tokens to list."""

    auth_token: AuthToken | None = None


class UnregisterTokens(Shape):
    """The auth token that says whose push tokens to remove."""

    auth_token: AuthToken | None = None


class PushTokenShape(Shape, kw_only=True):
    """A registered push token."""

    uid: str
    auth_token: Annotated[str, Meta(description="Only the mark `•••` if a user asks.")]
    push_token: str
    push_token_type: Annotated[Literal["chat", "call"], Meta(description="`call` for VoIP tokens.")]
    platform: PushPlatform
    provider_id: str | None = None
    created_at: str
    updated_at: str


class PushTokenList(Shape):
    """Push tokens, the latest registration first."""

    push_tokens: list[PushTokenShape]


def push_tokens_shape(devices: list[ShownDevice]) -> PushTokenList:
    """Return devices on the wire."""
    return PushTokenList(push_tokens=[_device_shape(shown) for shown in devices])


def _device_shape(shown: ShownDevice) -> PushTokenShape:
    device = shown.device
    fields: dict[str, Any] = {
        "platform": device.platform,
        "push_token_type": "call" if device.kind == VOIP else "chat",
    }
    return PushTokenShape(
        uid=device.uid,
        auth_token=shown.auth_token,
        push_token=device.shown_token,
        provider_id=device.provider_id,
        created_at=_iso(device.created_at),
        updated_at=_iso(device.updated_at),
        **fields,
    )


def _iso(milliseconds: int) -> str:
    """Return a time such as 2026-01-31T09:30:00.000Z."""
    seconds, rest = divmod(milliseconds, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:03d}Z"

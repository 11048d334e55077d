"""`/notifications/push/v1/tokens`: read the request, call the domain, write the answer."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from msgspec import Meta

from hubbub.domain.access.people import NotOwnUser
from hubbub.domain.notifications.settings import devices
from hubbub.domain.notifications.settings.devices import Registration, ShownDevice
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import Acting
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
from hubbub.records.tokens.model import AuthTokenNotFound
from hubbub.rest.notifications.contact_details import TAG
from hubbub.rest.notifications.wire.preferences import TimeZone
from hubbub.rest.notifications.wire.providers import ProviderId
from hubbub.rest.wire import path
from hubbub.rest.wire.enums import PushPlatform
from hubbub.rest.wire.shapes import Shape, Success

AuthToken = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=255,
        description="An auth token of the user; by default that of the call.",
    ),
]
PushToken = Annotated[str, Meta(min_length=1, max_length=LONGEST_TOKEN, pattern=r"^[!-~]+$(?!\n)")]
Key = Annotated[str, Meta(min_length=1, max_length=255)]
TOKENS = "/notifications/push/v1/tokens"


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


@operation.post(TOKENS, tag=TAG, acting=Acting.OPTIONAL, errors=(AuthTokenNotFound, NotOwnUser))
async def register_push_token(call: Call, body: RegisterToken) -> Success:
    """Register a push token for a device of a user, whom the `authToken` names.

    A device registers itself with its auth token in the header; it needs none in the body then.

    Send `fcmToken`, `deviceToken`, `voipToken` or `subscription`, as the `platform` requires.
    Without a `providerId`, the default provider of that kind sends.

    An auth token has one push token, and one for VoIP; a further one replaces it. A push token that
    another user registered moves to this one. It ends with the auth token, also when the user is
    deactivated or deleted. The 101st of a user drops the oldest. A `timezone` becomes the user's.
    """
    registration = body.registration(_bearer_of(call, body.auth_token))
    await devices.register_device(call.runtime, call.app_id, call.actor, registration)
    return Success(success=True)


@operation.get(TOKENS, tag=TAG, acting=Acting.OPTIONAL, errors=(AuthTokenNotFound, NotOwnUser))
async def list_push_tokens(call: Call, query: ListTokens) -> PushTokenList:
    """List the push tokens of an auth token, or all of its user, the latest registration first.

    Each has its platform, its provider and when it was registered. Tokens that the push service
    calls dead are removed by the server.
    """
    auth_token = _bearer_of(call, query.auth_token)
    found = await devices.list_devices(
        call.runtime, call.app_id, call.actor, auth_token, is_for_all=query.all
    )
    return push_tokens_shape(found)


@operation.delete(
    TOKENS,
    tag=TAG,
    acting=Acting.OPTIONAL,
    errors=(AuthTokenNotFound, NotOwnUser),
    is_body_optional=True,
)
async def unregister_push_tokens(
    call: Call, query: ScopeOfTokens, body: UnregisterTokens
) -> PushTokenList:
    """Remove the push tokens of an auth token, or all of its user, and return them.

    These devices get no push any more. Revoking the auth token does the same.
    """
    auth_token = _bearer_of(call, body.auth_token)
    removed = await devices.unregister_devices(
        call.runtime, call.app_id, call.actor, auth_token, is_for_all=query.all
    )
    return push_tokens_shape(removed)


@operation.delete(
    TOKENS + "/{pushToken}",
    tag=TAG,
    acting=Acting.OPTIONAL,
    errors=(AuthTokenNotFound, NotOwnUser),
    is_body_optional=True,
)
async def delete_push_token(
    call: Call, push_token: path.PushToken, body: UnregisterTokens
) -> PushTokenList:
    """Remove a push token of the auth token's user, and return it.

    The answer is empty if the user does not have it. For Web Push, name the endpoint.
    """
    auth_token = _bearer_of(call, body.auth_token)
    removed = await devices.unregister_token(
        call.runtime, call.app_id, call.actor, auth_token, push_token
    )
    return push_tokens_shape(removed)


def _bearer_of(call: Call, given: str | None) -> str:
    """Return the auth token whose push tokens are meant: by default that of the call.

    Raises:
        BadInput: it is missing.
    """
    shown = call.request.header(b"authtoken") if call.is_by_token and call.request else None
    auth_token = given or shown
    if not auth_token:
        raise BadInput.field("authToken", "The authToken field is required.")
    return auth_token

"""What a push provider and a user's contact details are, and what can be wrong about them."""

from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, ClassVar, Generic, TypeVar, cast

from hubbub.kernel.errors import Conflict, LimitReached, NotFound

MOST_PROVIDERS = 100
Value = TypeVar("Value")


class ProviderNotFound(NotFound):
    """The app has no such provider of that kind."""

    code = "ERR_PROVIDER_NOT_FOUND"

    def __init__(self, provider_id: str) -> None:
        super().__init__(f"The provider {provider_id} does not exist.")


class ProviderAlreadyExists(Conflict):
    """The app has a provider of that kind and id."""

    code = "ERR_PROVIDER_ALREADY_EXISTS"

    def __init__(self, provider_id: str) -> None:
        super().__init__(f"A provider with the id {provider_id} exists already.")


class TooManyProviders(LimitReached):
    """The app has as many push providers as it may have."""

    def __init__(self) -> None:
        super().__init__(
            f"An app has at most {MOST_PROVIDERS} push providers.",
            details={"pushProviders": [f"The limit is {MOST_PROVIDERS}."]},
        )


@dataclass(frozen=True, slots=True)
class Visibility:
    """For which notifications a platform is sent a visible part, not data alone."""

    chat: bool | None = None
    call: bool | None = None


@dataclass(frozen=True, slots=True)
class Platforms:
    """The visibility on each platform."""

    ios: Visibility | None = None
    android: Visibility | None = None
    web: Visibility | None = None


@dataclass(frozen=True, slots=True)
class FcmConfig:
    """What is no secret about an FCM provider."""

    service_account_filename: str | None = None
    notification_in_payload: Platforms | None = None


@dataclass(frozen=True, slots=True)
class ServiceAccount:
    """The credentials of an FCM provider, under Google's own names."""

    project_id: str | None = None
    client_email: str | None = None
    private_key: str | None = None
    private_key_id: str | None = None


@dataclass(frozen=True, slots=True)
class FcmSetup:
    """All that an app says of an FCM provider; None is what was not given."""

    kind: ClassVar[str] = "fcm"
    config: FcmConfig = FcmConfig()
    secrets: ServiceAccount = ServiceAccount()

    @property
    def is_complete(self) -> bool:
        """Whether notifications can be sent with it."""
        account = self.secrets
        needed = (
            account.project_id,
            account.client_email,
            account.private_key,
            account.private_key_id,
        )
        return None not in needed


@dataclass(frozen=True, slots=True)
class ApnsConfig:
    """What is no secret about an APNs provider."""

    key_id: str | None = None
    team_id: str | None = None
    bundle_id: str | None = None
    p8_key_filename: str | None = None
    include_content_available: bool | None = None
    include_mutable_content: bool | None = None
    production_mode: bool | None = None


@dataclass(frozen=True, slots=True)
class ApnsKey:
    """The secret of an APNs provider."""

    p8_key: str | None = None


@dataclass(frozen=True, slots=True)
class ApnsSetup:
    """All that an app says of an APNs provider; None is what was not given."""

    kind: ClassVar[str] = "apns"
    config: ApnsConfig = ApnsConfig()
    secrets: ApnsKey = ApnsKey()

    @property
    def is_complete(self) -> bool:
        """Whether notifications can be sent with it."""
        config = self.config
        needed = (config.key_id, config.team_id, config.bundle_id, self.secrets.p8_key)
        return None not in needed


Setup = TypeVar("Setup", bound=FcmSetup | ApnsSetup)


@dataclass(frozen=True, slots=True)
class Provider(Generic[Setup]):
    """A gateway as an app set it up, with its secrets in the clear.

    `place` rises in the order in which an app's providers of a kind were added.
    """

    id: str
    place: int
    setup: Setup
    is_default: bool
    created_at: int
    updated_at: int | None = None


@dataclass(frozen=True, slots=True)
class ContactDetails:
    """Where a user is reached beside the chat; the phone number is in the form E.164."""

    email: str | None = None
    phone_number: str | None = None


def merge(before: Value, given: Value) -> Value:
    """`before` with all that `given` has, at every depth; None in it is what was not given."""
    if given is None:
        return before
    if before is None or not is_dataclass(given) or isinstance(given, type):
        return given
    merged: dict[str, Any] = {
        field.name: merge(getattr(before, field.name), getattr(given, field.name))
        for field in fields(given)
    }
    return cast("Value", replace(given, **merged))

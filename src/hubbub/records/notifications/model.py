"""Push providers, contact details of users, and their errors."""

from dataclasses import astuple, dataclass, fields, is_dataclass, replace
from typing import Any, ClassVar, Generic, TypeVar, cast

from hubbub.kernel.errors import Conflict, LimitReached, NotFound
from hubbub.records.notifications.setups import WebPushSetup

MOST_PROVIDERS = 100
Value = TypeVar("Value")


class ProviderNotFound(NotFound):
    """The app does not have the provider in that kind."""

    code = "ERR_PROVIDER_NOT_FOUND"

    def __init__(self, provider_id: str) -> None:
        super().__init__(f"The provider {provider_id} does not exist.")


class ProviderAlreadyExists(Conflict):
    """The app has a provider of that kind and id already."""

    code = "ERR_PROVIDER_ALREADY_EXISTS"

    def __init__(self, provider_id: str) -> None:
        super().__init__(f"A provider with the id {provider_id} exists already.")


class TooManyProviders(LimitReached):
    """The app is at its limit of push providers."""

    def __init__(self) -> None:
        super().__init__(
            f"An app has at most {MOST_PROVIDERS} push providers.",
            details={"pushProviders": [f"The limit is {MOST_PROVIDERS}."]},
        )


@dataclass(frozen=True, slots=True)
class Visibility:
    """The notifications that a platform gets with a visible part, not only with data."""

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
    """The configuration of an FCM provider that is not secret."""

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
    """The configuration and credentials of an FCM provider; None is not given."""

    kind: ClassVar[str] = "fcm"
    config: FcmConfig = FcmConfig()
    secrets: ServiceAccount = ServiceAccount()

    @property
    def is_complete(self) -> bool:
        """Return whether the provider has all that sending needs."""
        return None not in astuple(self.secrets)


@dataclass(frozen=True, slots=True)
class ApnsConfig:
    """The configuration of an APNs provider that is not secret."""

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
    """The configuration and credentials of an APNs provider; None is not given."""

    kind: ClassVar[str] = "apns"
    config: ApnsConfig = ApnsConfig()
    secrets: ApnsKey = ApnsKey()

    @property
    def is_complete(self) -> bool:
        """Return whether the provider has all that sending needs."""
        config = self.config
        needed = (config.key_id, config.team_id, config.bundle_id, self.secrets.p8_key)
        return None not in needed


Setup = TypeVar("Setup", bound=FcmSetup | ApnsSetup | WebPushSetup)


@dataclass(frozen=True, slots=True)
class Provider(Generic[Setup]):
    """A push gateway that an app has set up, with plaintext secrets.

    `place` rises in the order in which the app added its providers of a kind.
    """

    id: str
    place: int
    setup: Setup
    is_default: bool
    created_at: int
    updated_at: int | None = None


@dataclass(frozen=True, slots=True)
class ContactDetails:
    """The e-mail address of a user, and their phone number in the form E.164."""

    email: str | None = None
    phone_number: str | None = None


def merge(before: Value, given: Value) -> Value:
    """Return `before` with the given values of `given`, at every depth; None is not given."""
    if given is None:
        return before
    if before is None or not is_dataclass(given) or isinstance(given, type):
        return given
    merged: dict[str, Any] = {
        field.name: merge(getattr(before, field.name), getattr(given, field.name))
        for field in fields(given)
    }
    return cast("Value", replace(given, **merged))

"""Push providers, contact details of users, and their errors."""

from dataclasses import dataclass
from typing import Annotated, Generic, TypeVar

from msgspec import Struct, field

from hubbub.kernel.errors import Conflict, LimitReached, NotFound
from hubbub.kernel.fields import FieldMark
from hubbub.records.notifications.setups import PushSetup

MOST_PROVIDERS = 100
Setup = TypeVar("Setup", bound=PushSetup)


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


class ContactDetails(Struct, frozen=True):
    """The e-mail address of a user, and their phone number in the form E.164."""

    email: Annotated[str | None, FieldMark.EMAIL] = None
    phone_number: Annotated[str | None, FieldMark.PHONE_NUMBER] = field(default=None, name="phno")

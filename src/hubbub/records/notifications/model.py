"""Push providers, contact details, muted conversations, and reasons for not notifying a person."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Generic, TypeVar

from msgspec import Struct, field

from hubbub.kernel.errors import Conflict, LimitReached, NotFound
from hubbub.kernel.fields import FieldMark
from hubbub.records.notifications.setups import PushSetup

MOST_PROVIDERS = 100
ONE_ON_ONE, GROUP = "oneOnOne", "group"
MOST_MUTES = 5_000
MOST_MUTES_AT_ONCE = 100
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


class TooManyMutes(LimitReached):
    """The user is at the limit of muted conversations."""

    def __init__(self) -> None:
        super().__init__(
            f"A user has at most {MOST_MUTES:,} muted conversations.",
            details={"conversations": [f"The limit is {MOST_MUTES:,}."]},
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


@dataclass(frozen=True, slots=True)
class Mute:
    """A muted conversation of a user: they are not notified of it until a time, in milliseconds."""

    id: str
    """The uid of the other user, or the guid of the group."""
    type: str
    until: int = 0


class Reason(StrEnum):
    """Why nothing was sent to a person on a channel."""

    MESSAGES_PREFERENCE = "MESSAGES_PREFERENCE"
    REPLIES_PREFERENCE = "REPLIES_PREFERENCE"
    QUOTED_REPLIES_PREFERENCE = "QUOTED_REPLIES_PREFERENCE"
    MESSAGE_ACTIONS_PREFERENCE = "MESSAGE_ACTIONS_PREFERENCE"
    REACTIONS_PREFERENCE = "REACTIONS_PREFERENCE"
    GROUP_ACTIONS_PREFERENCE = "GROUP_ACTIONS_PREFERENCE"
    DND_PREFERENCE = "DND_PREFERENCE"
    MUTE_PREFERENCE = "MUTE_PREFERENCE"
    SCHEDULE_PREFERENCE = "SCHEDULE_PREFERENCE"
    CALL_PREFERENCE = "CALL_PREFERENCE"
    QUOTA_PREFERENCE = "QUOTA_PREFERENCE"
    """The greatest number of e-mails or short messages a day is reached."""
    MISSING_EMAIL = "MISSING_EMAIL"
    MISSING_PHNO = "MISSING_PHNO"
    INVALID_PUSH_PROVIDER_ID = "INVALID_PUSH_PROVIDER_ID"
    """The provider that a token is registered for does not exist, or is incomplete."""
    TIMED_OUT = "TIMED_OUT"
    """The provider was not reached until the notification was worth nothing any more."""
    NOT_FOUND = "NOT_FOUND"
    """What it is about, or the provider, does not exist any more, or there is no device."""
    TWILIO_CREATE_ERROR = "TWILIO_CREATE_ERROR"
    ALREADY_READ = "ALREADY_READ"
    """The person has read the message meanwhile."""
    NOT_A_MEMBER = "NOT_A_MEMBER"
    """The person has left the group, was kicked or banned meanwhile."""
    BLOCKED = "BLOCKED"
    """The person has blocked the sender meanwhile."""
    LOGGED_OUT = "LOGGED_OUT"
    """The person's log-in that registered the token has ended meanwhile."""
    DEACTIVATED = "DEACTIVATED"
    """The person was deactivated or deleted meanwhile."""
    MESSAGE_DELETED = "MESSAGE_DELETED"
    """The message was deleted, or is withheld by moderation."""
    UNSUBSCRIBED = "UNSUBSCRIBED"
    """The person has ended such e-mails or short messages."""

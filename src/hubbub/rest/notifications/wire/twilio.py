"""The shapes of the provider Twilio."""

from typing import Annotated

from msgspec import Meta, field

from hubbub.records.notifications.setups import TwilioConfig, TwilioSetup, TwilioToken
from hubbub.rest.notifications.wire.channels import IsEnabled, Secret, ShowsSecrets, shown
from hubbub.rest.wire.shapes import Shape

AccountSid = Annotated[str, Meta(max_length=64, pattern=r"^[A-Za-z0-9]+$(?!\n)")]
PhoneNumber = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=40,
        description="A phone number with its country code, such as +14155552671.",
    ),
]


class TwilioShape(Shape, kw_only=True):
    """The provider Twilio; empty if the app has none."""

    account_sid: str | None = field(default=None, name="twilioAccountSID")
    auth_token: str | None = field(default=None, name="twilioAuthToken")
    sender_phone_number: str | None = field(default=None, name="twilioSenderPhoneNumber")
    is_enabled: bool | None = None


class SaveTwilio(Shape, kw_only=True):
    """The provider Twilio."""

    account_sid: AccountSid = field(name="twilioAccountSID")
    auth_token: Secret = field(name="twilioAuthToken")
    sender_phone_number: PhoneNumber = field(name="twilioSenderPhoneNumber")
    is_enabled: IsEnabled = True


class ChangeTwilio(Shape, kw_only=True):
    """The changes to the provider Twilio."""

    account_sid: AccountSid | None = field(default=None, name="twilioAccountSID")
    auth_token: Secret | None = field(default=None, name="twilioAuthToken")
    sender_phone_number: PhoneNumber | None = field(default=None, name="twilioSenderPhoneNumber")
    is_enabled: IsEnabled | None = None


def read_twilio(body: SaveTwilio | ChangeTwilio) -> TwilioSetup:
    """Return the setup in a request."""
    return TwilioSetup(
        TwilioConfig(body.account_sid, body.sender_phone_number, body.is_enabled),
        TwilioToken(body.auth_token),
    )


def twilio_shape(setup: TwilioSetup | None, query: ShowsSecrets) -> TwilioShape:
    """Return a setup on the wire."""
    if setup is None:
        return TwilioShape()
    return TwilioShape(
        account_sid=setup.config.account_sid,
        auth_token=shown(setup.secrets.auth_token, query),
        sender_phone_number=setup.config.sender_phone_number,
        is_enabled=setup.config.is_enabled,
    )

"""The setups of providers that an app has at most one of, and of Web Push; None is not given."""

from dataclasses import astuple, dataclass
from typing import ClassVar

CUSTOM_PUSH, CUSTOM_EMAIL, CUSTOM_SMS = "custom_push", "custom_email", "custom_sms"


@dataclass(frozen=True, slots=True)
class WebPushConfig:
    """The configuration of a Web Push provider that is not secret."""

    subject: str | None = None
    """A `mailto:` or `https:` address of who sends (RFC 8292, section 2.1)."""
    public_key: str | None = None
    """The uncompressed point of the P-256 key, in base64url without padding."""


@dataclass(frozen=True, slots=True)
class WebPushKey:
    """The secret of a Web Push provider: its key, in PEM form."""

    private_key: str | None = None


@dataclass(frozen=True, slots=True)
class WebPushSetup:
    """The configuration and credentials of a Web Push provider."""

    kind: ClassVar[str] = "webpush"
    config: WebPushConfig = WebPushConfig()
    secrets: WebPushKey = WebPushKey()

    @property
    def is_complete(self) -> bool:
        """Return whether the provider has all that sending needs."""
        return None not in (*astuple(self.config), *astuple(self.secrets))


@dataclass(frozen=True, slots=True)
class SendGridConfig:
    """The configuration of SendGrid that is not secret."""

    template_id: str | None = None
    unsubscribe_group_id: str | None = None
    sender_name: str | None = None
    sender_email: str | None = None
    allow_email_replies: bool | None = None
    sender_email_for_replies: str | None = None
    is_enabled: bool | None = None


@dataclass(frozen=True, slots=True)
class SendGridKey:
    """The secrets of SendGrid: its API key, and the token of our webhook for replies."""

    api_key: str | None = None
    replies_token: str | None = None


@dataclass(frozen=True, slots=True)
class SendGridSetup:
    """The configuration and credentials of SendGrid."""

    kind: ClassVar[str] = "sendgrid"
    config: SendGridConfig = SendGridConfig()
    secrets: SendGridKey = SendGridKey()


@dataclass(frozen=True, slots=True)
class SmtpConfig:
    """The configuration of a mail server that is not secret."""

    host: str | None = None
    port: int | None = None
    username: str | None = None
    security: str | None = None
    """`starttls`, `tls` or `none`."""
    sender_name: str | None = None
    sender_email: str | None = None
    is_enabled: bool | None = None


@dataclass(frozen=True, slots=True)
class SmtpPassword:
    """The secret of a mail server."""

    password: str | None = None


@dataclass(frozen=True, slots=True)
class SmtpSetup:
    """The configuration and credentials of a mail server."""

    kind: ClassVar[str] = "smtp"
    config: SmtpConfig = SmtpConfig()
    secrets: SmtpPassword = SmtpPassword()


@dataclass(frozen=True, slots=True)
class TwilioConfig:
    """The configuration of Twilio that is not secret."""

    account_sid: str | None = None
    sender_phone_number: str | None = None
    is_enabled: bool | None = None


@dataclass(frozen=True, slots=True)
class TwilioToken:
    """The secret of Twilio."""

    auth_token: str | None = None


@dataclass(frozen=True, slots=True)
class TwilioSetup:
    """The configuration and credentials of Twilio."""

    kind: ClassVar[str] = "twilio"
    config: TwilioConfig = TwilioConfig()
    secrets: TwilioToken = TwilioToken()


@dataclass(frozen=True, slots=True)
class CustomConfig:
    """The configuration of a custom provider that is not secret."""

    webhook_url: str | None = None
    uses_basic_auth: bool | None = None
    basic_auth_username: str | None = None
    is_enabled: bool | None = None
    uses_stored_address: bool | None = None
    """Whether only people are told of whom an address (e-mail) or number (SMS) is stored."""


@dataclass(frozen=True, slots=True)
class CustomPassword:
    """The secret of a custom provider."""

    basic_auth_password: str | None = None


@dataclass(frozen=True, slots=True)
class CustomPushSetup:
    """The configuration and credentials of the custom push provider."""

    kind: ClassVar[str] = CUSTOM_PUSH
    config: CustomConfig = CustomConfig()
    secrets: CustomPassword = CustomPassword()


@dataclass(frozen=True, slots=True)
class CustomEmailSetup:
    """The configuration and credentials of the custom e-mail provider."""

    kind: ClassVar[str] = CUSTOM_EMAIL
    config: CustomConfig = CustomConfig()
    secrets: CustomPassword = CustomPassword()


@dataclass(frozen=True, slots=True)
class CustomSmsSetup:
    """The configuration and credentials of the custom SMS provider."""

    kind: ClassVar[str] = CUSTOM_SMS
    config: CustomConfig = CustomConfig()
    secrets: CustomPassword = CustomPassword()


ChannelSetup = (
    SendGridSetup | SmtpSetup | TwilioSetup | CustomPushSetup | CustomEmailSetup | CustomSmsSetup
)
"""The setup of a provider that an app has at most one of."""
EmailSetup = SendGridSetup | SmtpSetup | CustomEmailSetup
SmsSetup = TwilioSetup | CustomSmsSetup
EMAIL_KINDS: tuple[type[EmailSetup], ...] = (SendGridSetup, SmtpSetup, CustomEmailSetup)
SMS_KINDS: tuple[type[SmsSetup], ...] = (TwilioSetup, CustomSmsSetup)
"""Of the kinds of each channel, at most one is enabled."""

"""What an app sets up to send with a provider: one struct for each kind, the same everywhere.

The bodies and answers of operations, the sealed store, the checks and the document go over the
fields that are declared here. The store has them by the names of the attributes.
"""

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct, field

from hubbub.kernel.fields import Absent, FieldMark, FieldText, fields_of
from hubbub.kernel.sealing import Sealer
from hubbub.outbound.spelling import WebhookUrl

CUSTOM_PUSH, CUSTOM_EMAIL, CUSTOM_SMS = "custom_push", "custom_email", "custom_sms"

# Python's `$` also matches before a final newline: hence `(?!\n)` in the patterns below.
FileName = Annotated[str, Meta(max_length=255)]
ProjectId = Annotated[str, Meta(max_length=255, pattern=r"^[A-Za-z0-9_.:-]+$(?!\n)")]
ClientEmail = Annotated[str, Meta(max_length=254)]
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
Subject = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=255,
        pattern=r"^[!-~]+$(?!\n)",
        description="Who sends: `mailto:` with an e-mail address, or an https URL.",
    ),
]
PublicKey = Annotated[
    str, Meta(description="The `applicationServerKey` for browsers: base64url, without padding.")
]
IsEnabled = Annotated[bool, Meta(description="Whether anything is sent with it.")]
Email = Annotated[str, Meta(min_length=1, max_length=254, description="An e-mail address.")]
Secret = Annotated[str, Meta(min_length=1, max_length=255, pattern=r"^(?:[!-~]+|•••)$(?!\n)")]
"""An API key or a token, or the mark that keeps the stored one."""
SenderName = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=100,
        pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]+$(?!\n)",
        description="The name of the sender; no control characters.",
    ),
]
TemplateId = Annotated[
    str,
    Meta(max_length=100, pattern=r"^[A-Za-z0-9_-]+$(?!\n)", description="Of a dynamic template."),
]
UnsubscribeGroupId = Annotated[str, Meta(max_length=18, pattern=r"^[0-9]+$(?!\n)")]
AllowsReplies = Annotated[bool, Meta(description="Whether a reply to an e-mail becomes a message.")]
Host = Annotated[
    str,
    Meta(
        max_length=253,
        pattern=r"^[^\s\x00-\x20\x7f/\\?#@\[\]]+$(?!\n)",
        description="A name or an address; private ones only where the operator allows it.",
    ),
]
Port = Annotated[int, Meta(ge=1, le=65_535)]
Credential = Annotated[
    str,
    Meta(
        max_length=255, pattern=r"^[^\x00-\x1f\x7f]*$(?!\n)", description="No control characters."
    ),
]
Security = Annotated[
    Literal["starttls", "tls", "none"],
    Meta(
        title="SmtpSecurity",
        description="When TLS begins: after `STARTTLS`, at once, or not at all, which only networks"
        " of `HUBBUB_OUTBOUND_ALLOW` may do.",
    ),
]
AccountSid = Annotated[str, Meta(max_length=64, pattern=r"^[A-Za-z0-9]+$(?!\n)")]
PhoneNumber = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=40,
        description="A phone number with its country code, such as +14155552671.",
    ),
]
Username = Annotated[
    str,
    Meta(
        max_length=100,
        pattern=r"^[^:\x00-\x1f\x7f]*$(?!\n)",
        description="For Basic auth; without colon and control characters.",
    ),
]
Password = Annotated[
    str,
    Meta(
        max_length=255,
        pattern=r"^[^\x00-\x1f\x7f]*$(?!\n)",
        description="For Basic auth; without control characters.",
    ),
]
OnlyStoredEmail = Annotated[
    bool, Meta(description="Whether it is called only for users whose e-mail address is stored.")
]
OnlyStoredPhone = Annotated[
    bool, Meta(description="Whether it is called only for users whose phone number is stored.")
]


class Visibility(Struct, frozen=True, omit_defaults=True):
    """The notifications that have a visible part, not only data."""

    chat: bool | None = None
    call: bool | None = None


class Platforms(Struct, frozen=True, omit_defaults=True):
    """The visibility on each platform."""

    ios: Visibility | None = None
    android: Visibility | None = None
    web: Visibility | None = None


class ServiceAccount(Struct, frozen=True, omit_defaults=True):
    """Fields of a Google service account, under Google's names; others are ignored."""

    project_id: ProjectId | None = None
    client_email: ClientEmail | None = None
    private_key: Annotated[Pem | None, FieldMark.SECRET] = None
    private_key_id: Annotated[KeyId | None, FieldMark.SECRET] = None


class FcmSetup(Struct, frozen=True, rename="camel"):
    """An FCM provider."""

    kind: ClassVar[str] = "fcm"
    service_account_filename: FileName | None = None
    service_account_creds: ServiceAccount | None = None
    notification_in_payload: Platforms | None = None

    @property
    def is_complete(self) -> bool:
        """Return whether the provider has all that sending needs."""
        account = self.service_account_creds or ServiceAccount()
        return None not in msgspec.structs.astuple(account)


class ApnsSetup(Struct, frozen=True, rename="camel"):
    """An APNs provider."""

    kind: ClassVar[str] = "apns"
    key_id: AppleId | None = None
    team_id: AppleId | None = None
    bundle_id: BundleId | None = None
    p8_key_filename: FileName | None = None
    p8_key: Annotated[Pem | None, FieldMark.SECRET] = None
    include_content_available: bool | None = None
    include_mutable_content: bool | None = None
    production_mode: bool | None = None

    @property
    def is_complete(self) -> bool:
        """Return whether the provider has all that sending needs."""
        return None not in (self.key_id, self.team_id, self.bundle_id, self.p8_key)


class WebPushSetup(Struct, frozen=True, rename="camel"):
    """A Web Push provider."""

    kind: ClassVar[str] = "webpush"
    subject: Subject | None = None
    """A `mailto:` or `https:` address of who sends (RFC 8292, section 2.1)."""
    public_key: Annotated[PublicKey | None, FieldMark.MADE] = None
    """The uncompressed point of the P-256 key, in base64url without padding."""
    private_key: Annotated[str | None, FieldMark.INTERNAL, FieldMark.SECRET] = None
    """The key in PEM form."""

    @property
    def is_complete(self) -> bool:
        """Return whether the provider has all that sending needs."""
        return None not in msgspec.structs.astuple(self)


class SendGridSetup(Struct, frozen=True, rename="camel"):
    """The provider SendGrid."""

    kind: ClassVar[str] = "sendgrid"
    api_key: Annotated[
        Secret | None,
        FieldMark.SECRET,
        FieldText("The key of SendGrid's interface; the mark `•••` unless secrets are asked for."),
    ] = field(default=None, name="sendGridApiKey")
    template_id: Annotated[
        TemplateId | None, FieldText("The id of a dynamic template of SendGrid.")
    ] = field(default=None, name="sendGridTemplateID")
    unsubscribe_group_id: Annotated[
        UnsubscribeGroupId | None,
        FieldText("The number of SendGrid's group of unsubscribed addresses, as text."),
    ] = field(default=None, name="sendGridUnsubscribeGroupID")
    sender_name: SenderName | None = None
    sender_email: Annotated[Email | None, FieldMark.EMAIL] = None
    allow_email_replies: Annotated[
        AllowsReplies | None, FieldText("Whether a reply to a mail becomes a message.")
    ] = None
    sender_email_for_replies: Annotated[
        Email | None,
        FieldMark.EMAIL,
        FieldMark.REMOVABLE,
        Absent(),
        FieldText("The address to which replies go, with a part added for each mail."),
    ] = None
    is_enabled: Annotated[IsEnabled | None, Absent(True)] = None
    replies_token: Annotated[str | None, FieldMark.INTERNAL, FieldMark.SECRET] = None
    """The token of our webhook for replies."""


class SmtpSetup(Struct, frozen=True, rename="camel"):
    """A mail server."""

    kind: ClassVar[str] = "smtp"
    host: Annotated[
        Host | None,
        FieldMark.HOST,
        FieldText("The name or the address of the mail server."),
    ] = None
    port: Annotated[
        Port | None,
        FieldText("The port of the mail server, usually 465 for `tls` and 587 for `starttls`."),
    ] = None
    username: Annotated[Credential | None, Absent()] = None
    password: Annotated[
        Credential | None,
        FieldMark.SECRET,
        Absent(),
        FieldText("The password at the mail server; the mark `•••` unless secrets are asked for."),
    ] = None
    security: Security | None = None
    sender_name: SenderName | None = None
    sender_email: Annotated[Email | None, FieldMark.EMAIL] = None
    is_enabled: Annotated[IsEnabled | None, Absent(True)] = None


class TwilioSetup(Struct, frozen=True, rename="camel"):
    """The provider Twilio."""

    kind: ClassVar[str] = "twilio"
    account_sid: Annotated[AccountSid | None, FieldText("The id of the account at Twilio.")] = (
        field(default=None, name="twilioAccountSID")
    )
    auth_token: Annotated[
        Secret | None,
        FieldMark.SECRET,
        FieldText(
            "The secret of the account at Twilio; the mark `•••` unless secrets are asked for."
        ),
    ] = field(default=None, name="twilioAuthToken")
    sender_phone_number: Annotated[
        PhoneNumber | None,
        FieldMark.PHONE_NUMBER,
        FieldText("The phone number from which SMS come."),
    ] = field(default=None, name="twilioSenderPhoneNumber")
    is_enabled: Annotated[IsEnabled | None, Absent(True)] = None


class CustomSetup(Struct, frozen=True, rename="camel"):
    """A server of the app, which is called for each person: the base of the custom providers."""

    is_enabled: IsEnabled | None = None
    webhook_url: Annotated[WebhookUrl | None, FieldMark.URL] = field(
        default=None, name="webhookURL"
    )
    uses_basic_auth: bool | None = field(default=None, name="useBasicAuth")
    basic_auth_username: Username | None = None
    basic_auth_password: Annotated[Password | None, FieldMark.SECRET] = None


class CustomPushSetup(CustomSetup, frozen=True):
    """The custom push provider."""

    kind: ClassVar[str] = CUSTOM_PUSH


class CustomEmailSetup(CustomSetup, frozen=True):
    """The custom provider of e-mail."""

    kind: ClassVar[str] = CUSTOM_EMAIL
    uses_stored_address: OnlyStoredEmail | None = field(default=None, name="useStoredEmailID")


class CustomSmsSetup(CustomSetup, frozen=True):
    """The custom provider of SMS."""

    kind: ClassVar[str] = CUSTOM_SMS
    uses_stored_address: OnlyStoredPhone | None = field(default=None, name="useStoredPhNo")


PushSetup = FcmSetup | ApnsSetup | WebPushSetup
"""The setup of a push provider that an app may have many of."""
EmailSetup = SendGridSetup | SmtpSetup | CustomEmailSetup
SmsSetup = TwilioSetup | CustomSmsSetup
ChannelSetup = EmailSetup | SmsSetup | CustomPushSetup
"""The setup of a provider that an app has at most one of."""
EMAIL_KINDS: tuple[type[EmailSetup], ...] = (SendGridSetup, SmtpSetup, CustomEmailSetup)
SMS_KINDS: tuple[type[SmsSetup], ...] = (TwilioSetup, CustomSmsSetup)
"""Of the kinds of each channel, at most one is enabled."""
PUSH_KINDS: dict[str, type[PushSetup]] = {
    kind.kind: kind for kind in (FcmSetup, ApnsSetup, WebPushSetup)
}
CHANNEL_KINDS: dict[str, type[ChannelSetup]] = {
    kind.kind: kind for kind in (*EMAIL_KINDS, *SMS_KINDS, CustomPushSetup)
}

AnySetup = TypeVar("AnySetup", bound=PushSetup | ChannelSetup)
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(dict[str, Any]).decode
for _kind in (*PUSH_KINDS.values(), *CHANNEL_KINDS.values()):
    msgspec.json.Decoder(_kind)  # makes the types nested in it, for the reason in `app_settings.py`


def seal_setup(sealer: Sealer, setup: PushSetup | ChannelSetup, *place: str) -> dict[str, str]:
    """Return the columns of a setup: `config`, and `sealed`, which opens in its place only."""
    config: dict[str, Any] = {}
    secrets: dict[str, Any] = {}
    for each in fields_of(type(setup)):
        value = getattr(setup, each.name)
        if isinstance(value, Struct) and each.is_secret:
            secrets |= msgspec.structs.asdict(value)
        elif value is not None:
            (secrets if each.is_secret else config)[each.name] = value
    sealed = sealer.seal(_encode(secrets).decode(), *place)
    return {"config": _encode(config).decode(), "sealed": sealed}


def open_setup(
    sealer: Sealer, kind: type[AnySetup], config: str, sealed: str, *place: str
) -> AnySetup:
    """Return a setup from its columns. Limits do not apply: they may have been others."""
    stored = {**_decode(config), **_decode(sealer.open(sealed, *place))}
    values: dict[str, Any] = {}
    for each in fields_of(kind):
        if each.nested is not None and each.is_secret:
            values[each.name] = _take(each.nested, stored)
        elif each.nested is not None:
            values[each.name] = msgspec.convert(stored.get(each.name), each.nested | None)
        else:
            values[each.name] = stored.get(each.name)
    return kind(**values)


def _take(nested: type[Struct], stored: dict[str, Any]) -> Struct | None:
    """Return a struct whose fields are stored beside the others; None if none of them is."""
    names: Iterable[str] = nested.__struct_fields__
    taken = {name: stored[name] for name in names if stored.get(name) is not None}
    return nested(**taken) if taken else None

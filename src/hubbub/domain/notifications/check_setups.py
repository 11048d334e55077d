"""Check the setup of a mail, SMS or custom provider, as far as possible without calling it."""

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any, TypeVar

from hubbub.domain.notifications.addresses import NoAddress, normalise_email, normalise_phone_number
from hubbub.kernel.errors import BadInput
from hubbub.kernel.text import REDACTED
from hubbub.outbound.client import OutboundClient
from hubbub.outbound.errors import NotReached
from hubbub.records.notifications.setups import (
    ChannelSetup,
    CustomConfig,
    SendGridConfig,
    SendGridSetup,
    SmtpConfig,
    SmtpSetup,
    TwilioConfig,
    TwilioSetup,
)

Setup = TypeVar("Setup", bound=ChannelSetup)
Faults = dict[str, list[str]]

UNENCRYPTED = "none"
NO_STORED_SECRET = f"{REDACTED} stands for a stored secret, and none is stored."
REQUIRED_BY_BASIC_AUTH = "Basic auth requires it."
WITHOUT_TLS = (
    "Without TLS, only hosts in networks that the operator names in HUBBUB_OUTBOUND_ALLOW are used."
)
WIRE_NAMES = {
    "sender_email": "senderEmail",
    "sender_email_for_replies": "senderEmailForReplies",
    "sender_phone_number": "twilioSenderPhoneNumber",
    "auth_token": "twilioAuthToken",
    "api_key": "sendGridApiKey",
    "password": "password",
    "basic_auth_username": "basicAuthUsername",
    "basic_auth_password": "basicAuthPassword",
}
"""The names of fields on the wire, for errors."""


def normalise_setup(setup: Setup, outbound: OutboundClient) -> Setup:
    """Return a given setup with normal addresses; absent fields are allowed.

    Raises:
        BadInput: an address, a phone number, a host or a URL is wrong.
    """
    config: Any = setup.config
    faults: Faults = {}
    for field, normalise in _NORMALISED.get(type(config), {}).items():
        text = getattr(config, field)
        if not text:
            continue
        try:
            config = replace(config, **{field: normalise(text)})
        except NoAddress as fault:
            faults[WIRE_NAMES[field]] = [str(fault)]
    if isinstance(config, CustomConfig) and config.webhook_url is not None:
        _note(faults, "webhookURL", outbound, config.webhook_url)
    if isinstance(config, SmtpConfig) and config.host is not None:
        _note(faults, "host", outbound, f"https://{_in_url(config.host)}")
    _refuse(faults)
    return replace(setup, config=config)


_NORMALISED: dict[type, dict[str, Callable[[str], str]]] = {
    SendGridConfig: {
        "sender_email": normalise_email,
        "sender_email_for_replies": normalise_email,
    },
    SmtpConfig: {"sender_email": normalise_email},
    TwilioConfig: {"sender_phone_number": normalise_phone_number},
}


def check_whole(setup: ChannelSetup, outbound: OutboundClient) -> None:
    """Refuse a complete setup whose fields do not go together.

    Raises:
        BadInput: a secret is needed and absent, or mail would be sent without TLS where it may not.
    """
    faults: Faults = {}
    if isinstance(setup, SmtpSetup):
        _check_smtp(setup, outbound, faults)
    elif isinstance(setup, SendGridSetup | TwilioSetup):
        name = "api_key" if isinstance(setup, SendGridSetup) else "auth_token"
        if asdict(setup.secrets)[name] is None:
            faults[WIRE_NAMES[name]] = [NO_STORED_SECRET]
    elif setup.config.uses_basic_auth:
        if not setup.config.basic_auth_username:
            faults["basicAuthUsername"] = [REQUIRED_BY_BASIC_AUTH]
        if not setup.secrets.basic_auth_password:
            faults["basicAuthPassword"] = [REQUIRED_BY_BASIC_AUTH]
    _refuse(faults)


def _check_smtp(setup: SmtpSetup, outbound: OutboundClient, faults: Faults) -> None:
    config = setup.config
    if config.username and not setup.secrets.password:
        faults["password"] = ["A username requires a password."]
    if config.security == UNENCRYPTED and config.host is not None:
        try:
            outbound.check_stored(f"http://{_in_url(config.host)}")
        except NotReached:
            faults["security"] = [WITHOUT_TLS]


def _note(faults: Faults, field: str, outbound: OutboundClient, url: str) -> None:
    """Note what is wrong with the spelling of a URL."""
    try:
        outbound.check_stored(url)
    except NotReached as reason:
        faults[field] = [str(reason)]


def _in_url(host: str) -> str:
    """Return a host as URLs have it: IPv6 addresses in brackets, and nothing else with a colon."""
    return f"[{host}]" if ":" in host else host


def _refuse(faults: Faults) -> None:
    if faults:
        raise BadInput.fields(faults)

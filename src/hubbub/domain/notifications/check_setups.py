"""Check setups of mail, SMS and custom providers, as far as possible without calling them."""

from collections.abc import Callable
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from hubbub.domain.notifications.addresses import NoAddress, normalise_email, normalise_phone_number
from hubbub.kernel.errors import BadInput
from hubbub.kernel.fields import FieldMark, fields_of
from hubbub.kernel.text import NO_STORED_SECRET
from hubbub.outbound.client import OutboundClient
from hubbub.outbound.errors import NotReached
from hubbub.records.notifications.setups import ChannelSetup, CustomSetup, SmtpSetup

Given = TypeVar("Given", bound=Struct)
Faults = dict[str, list[str]]

UNENCRYPTED = "none"
REQUIRED_BY_BASIC_AUTH = "Basic auth requires it."
WITHOUT_TLS = (
    "Without TLS, only hosts in networks that the operator names in HUBBUB_OUTBOUND_ALLOW are used."
)


def normalise(given: Given, outbound: OutboundClient) -> Given:
    """Return given fields with addresses in their normal form; absent ones are allowed.

    Raises:
        BadInput: an address, a phone number, a host or a URL is wrong.
    """
    normal: dict[str, Any] = {}
    faults: Faults = {}
    for field in fields_of(type(given)):
        value = getattr(given, field.name)
        for mark in field.marks & _FORMS.keys() if value else ():
            try:
                normal[field.name] = _FORMS[mark](value, outbound)
            except (NoAddress, NotReached) as fault:
                faults[field.wire_name] = [str(fault)]
    _refuse(faults)
    return replace(given, **normal)


def _check_url(url: str, outbound: OutboundClient) -> str:
    outbound.check_stored(url)
    return url


def _check_host(host: str, outbound: OutboundClient) -> str:
    outbound.check_stored(f"https://{_in_url(host)}")
    return host


_FORMS: dict[FieldMark, Callable[[str, OutboundClient], str]] = {
    FieldMark.EMAIL: lambda text, _: normalise_email(text),
    FieldMark.PHONE_NUMBER: lambda text, _: normalise_phone_number(text),
    FieldMark.HOST: _check_host,
    FieldMark.URL: _check_url,
}
"""Each returns the normal form of a text, or raises `NoAddress` or `NotReached`."""


def check_whole(setup: ChannelSetup, outbound: OutboundClient) -> None:
    """Refuse a complete setup whose fields do not go together.

    Raises:
        BadInput: a secret is needed and absent, or mail would be sent without TLS where it may not.
    """
    faults: Faults = {}
    if isinstance(setup, SmtpSetup):
        _check_smtp(setup, outbound, faults)
    elif isinstance(setup, CustomSetup):
        if setup.uses_basic_auth and not setup.basic_auth_username:
            faults["basicAuthUsername"] = [REQUIRED_BY_BASIC_AUTH]
        if setup.uses_basic_auth and not setup.basic_auth_password:
            faults["basicAuthPassword"] = [REQUIRED_BY_BASIC_AUTH]
    else:
        for field in fields_of(type(setup)):
            if field.is_secret and getattr(setup, field.name) is None:
                faults[field.wire_name] = [NO_STORED_SECRET]
    _refuse(faults)


def _check_smtp(setup: SmtpSetup, outbound: OutboundClient, faults: Faults) -> None:
    if setup.username and not setup.password:
        faults["password"] = ["A username requires a password."]
    if setup.security == UNENCRYPTED and setup.host is not None:
        try:
            outbound.check_stored(f"http://{_in_url(setup.host)}")
        except NotReached:
            faults["security"] = [WITHOUT_TLS]


def _in_url(host: str) -> str:
    """Return a host as URLs have it: IPv6 addresses in brackets, and nothing else with a colon."""
    return f"[{host}]" if ":" in host else host


def _refuse(faults: Faults) -> None:
    if faults:
        raise BadInput.fields(faults)

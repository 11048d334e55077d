"""Check the setups of providers, as far as possible without calling them."""

import re
from collections.abc import Callable
from typing import Any, TypeVar

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from msgspec import Struct
from msgspec.structs import replace

from hubbub.domain.notifications.addresses import NoAddress, normalise_email, normalise_phone_number
from hubbub.kernel.errors import BadInput
from hubbub.kernel.fields import FieldMark, fields_of
from hubbub.kernel.text import NO_STORED_SECRET
from hubbub.outbound.client import OutboundClient
from hubbub.outbound.errors import NotReached
from hubbub.records.notifications.setups import (
    ApnsSetup,
    ChannelSetup,
    CustomSetup,
    FcmSetup,
    ServiceAccount,
    SmtpSetup,
)

Given = TypeVar("Given", bound=Struct)
Faults = dict[str, list[str]]

UNENCRYPTED = "none"
REQUIRED_BY_BASIC_AUTH = "Basic auth requires it."
WITHOUT_TLS = (
    "Without TLS, only hosts in networks that the operator names in HUBBUB_OUTBOUND_ALLOW are used."
)
LARGEST_RSA_BITS = 4096
NO_RSA_KEY = (
    f"This is not an RSA private key of at most {LARGEST_RSA_BITS} bits in PEM form; it needs its "
    "BEGIN and END lines, real line breaks, and no password."
)
NO_P256_KEY = (
    "This is not a private key of the curve P-256 in PEM form; it needs the whole content of the "
    ".p8 file, with its BEGIN and END lines and real line breaks."
)
_KEY_ID = re.compile(r"[!-~]+")


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


def check_credentials(setup: FcmSetup | ApnsSetup) -> None:
    """Refuse given credentials of a push provider that can't be used; missing ones are allowed.

    Checking a key takes up to some tenths of a second: it runs on a thread, outside transactions.

    Raises:
        BadInput: a field is wrong; the error names all such fields.
    """
    faults: Faults = {}
    if isinstance(setup, FcmSetup):
        faults = _find_account_faults(setup.service_account_creds or ServiceAccount())
    elif setup.p8_key is not None and not _is_p256(setup.p8_key):
        faults = {"p8Key": [NO_P256_KEY]}
    _refuse(faults)


def _find_account_faults(account: ServiceAccount) -> Faults:
    faults: Faults = {}
    if account.client_email is not None:
        try:
            normalise_email(account.client_email)
        except NoAddress as fault:
            faults["serviceAccountCreds.client_email"] = [str(fault)]
    if account.private_key is not None and not _is_usable_rsa(account.private_key):
        faults["serviceAccountCreds.private_key"] = [NO_RSA_KEY]
    if account.private_key_id is not None and not _KEY_ID.fullmatch(account.private_key_id):
        faults["serviceAccountCreds.private_key_id"] = [
            "The id of a key must have only visible ASCII characters."
        ]
    return faults


def _is_usable_rsa(pem: str) -> bool:
    # The full check of a very large key takes minutes, so its size is checked first.
    unchecked = _load_key(pem, is_checked=False)
    if not isinstance(unchecked, RSAPrivateKey) or unchecked.key_size > LARGEST_RSA_BITS:
        return False
    return _load_key(pem, is_checked=True) is not None


def _is_p256(pem: str) -> bool:
    key = _load_key(pem, is_checked=True)
    return isinstance(key, EllipticCurvePrivateKey) and isinstance(key.curve, SECP256R1)


def _load_key(pem: str, *, is_checked: bool) -> PrivateKeyTypes | None:
    try:
        return load_pem_private_key(
            pem.encode(), None, unsafe_skip_rsa_key_validation=not is_checked
        )
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None


def _refuse(faults: Faults) -> None:
    if faults:
        raise BadInput.fields(faults)

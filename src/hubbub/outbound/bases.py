"""The base addresses of providers, which the operator may set."""

from dataclasses import fields
from urllib.parse import urlsplit

from hubbub.config import BadSetting, Settings
from hubbub.outbound.addresses import AddressRule
from hubbub.outbound.client import check_url
from hubbub.outbound.errors import NotReached
from hubbub.outbound.spelling import check_spelling

BASES = ("fcm_url", "apns_url", "apns_sandbox_url", "sendgrid_url", "twilio_url")
"""Settings that are base addresses: a scheme, a host and, if needed, a port."""
WHOLE = ("google_token_url",)
"""Settings that are addresses with a path."""
OPTIONAL = ("openid_issuer",)
"""Addresses with a path that may be empty."""


def check_bases(settings: Settings, rule: AddressRule) -> None:
    """Check the spelling of all addresses of providers.

    Raises:
        BadSetting: one of them can't be called.
    """
    for setting in fields(Settings):
        url, name = getattr(settings, setting.name), setting.metadata["environment"]
        if setting.name in BASES + WHOLE or (setting.name in OPTIONAL and url):
            _check_spelling(url, name, rule)
        if setting.name in BASES:
            _check_end(url, name)


def _check_spelling(url: str, name: str, rule: AddressRule) -> None:
    try:
        check_spelling(url, check_url(url), rule)
    except NotReached as fault:
        raise BadSetting(f"{name} can't be {url!r}: {fault}") from None


def _check_end(url: str, name: str) -> None:
    parts = urlsplit(url)
    if f"{parts.scheme}://{parts.netloc}" != url:
        raise BadSetting(
            f"{name} can't be {url!r}: it has a scheme, a host and a port, and nothing after it."
        )

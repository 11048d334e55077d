"""URLs that are stored to be called later: what their spelling already says.

What a name resolves to is known only when it is connected to, and is checked then.
"""

import re
import socket
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Annotated
from urllib.parse import urlsplit

from msgspec import Meta

from hubbub.outbound.addresses import AddressRule
from hubbub.outbound.errors import NotReached

WebhookUrl = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=255,
        pattern=r"^[^\s\x00-\x1f\x7f]+$(?!\n)",
        description="An https URL. Private addresses, and http, only where the operator allows it.",
    ),
]
_NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?:\.(?!-)[a-z0-9_-]{1,63})*")
_NUMERIC = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)")
"""A host is an IPv4 address, or nothing, if its last label is a number (the URL Standard)."""
_LOCALHOST = re.compile(r"(?:.*\.)?localhost")
_LOOPBACK = ("127.0.0.1", "::1")


def check_spelling(url: str, scheme: str, rule: AddressRule) -> None:
    """Check that a URL, which is a valid one with `scheme`, may be called as far as it says.

    Raises:
        NotReached: its host is an address that may not be called, or can't be a host; or it has no
            TLS, and no network is allowed in which its host could be.
    """
    host = _plain_host(url)
    is_encrypted = scheme == "https"
    if _LOCALHOST.fullmatch(host):
        may_be = any(map(rule.is_allowed, _LOOPBACK))
    else:
        address = _address_of(host)
        if address is None:
            may_be = is_encrypted or bool(rule.allowed)
        else:
            may_be = rule.may_call(str(address), is_encrypted=is_encrypted)
    if not may_be:
        raise NotReached(_REFUSED[is_encrypted].format(host=host))


_REFUSED = {
    True: "The address {host} is not public. The operator may open it with HUBBUB_OUTBOUND_ALLOW.",
    False: (
        "The URL must begin with https://: {host} may be called only over TLS, unless the operator "
        "opens it with HUBBUB_OUTBOUND_ALLOW."
    ),
}


def _plain_host(url: str) -> str:
    """Return the host as it is looked up: in ASCII and lower case, without a dot at the end.

    Raises:
        NotReached: no host has that name.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if "[" in parts.netloc:
        return f"[{host}]"
    try:
        host = host.encode("idna").decode().lower().removesuffix(".")
    except UnicodeError:
        raise NotReached("The host of the URL is not valid.") from None
    if not _NAME.fullmatch(host):
        raise NotReached("The host of the URL is not valid.")
    return host


def _address_of(host: str) -> IPv4Address | IPv6Address | None:
    """Return the address that a host is, in any of its spellings; None if it is a name.

    Raises:
        NotReached: it looks like an address, and is none.
    """
    try:
        if host.startswith("["):
            return IPv6Address(host[1:-1].partition("%")[0])
        if _NUMERIC.fullmatch(host):
            return IPv4Address(socket.inet_aton(host))
    except (AddressValueError, OSError):
        raise NotReached("The host of the URL is not a valid address.") from None
    return None

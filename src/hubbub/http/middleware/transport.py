"""The HTTPS rule: no request in clear text, except from this machine."""

import ipaddress
from functools import lru_cache

from hubbub.config import Settings
from hubbub.kernel.errors import Forbidden


class HttpsRequired(Forbidden):
    """The request came over HTTP."""

    code = "ERR_HTTPS_REQUIRED"

    def __init__(self) -> None:
        super().__init__(
            "This server is reached over HTTPS only.",
            dev_message=(
                "Start it with --tls-cert and --tls-key, or name the proxy that ends TLS in "
                "HUBBUB_TRUSTED_PROXIES and have it send X-Forwarded-Proto: https."
            ),
        )


class Transport:
    """Accepts TLS, a trusted proxy that reports HTTPS, and clients on this machine."""

    def __init__(self, settings: Settings) -> None:
        names = settings.trusted_proxies.split(",")
        self._proxies = frozenset(name.strip() for name in names if name.strip())
        self._allows_loopback = settings.allow_loopback_http

    def check(self, scheme: str, client: str, forwarded_proto: str | None) -> None:
        """Refuse a request that came over HTTP.

        Raises:
            HttpsRequired: it did, and not from this machine.
        """
        if scheme == "https":
            return
        if client in self._proxies:
            if (forwarded_proto or "").partition(",")[0].strip().lower() == "https":
                return
            raise HttpsRequired
        if not (self._allows_loopback and is_loopback(client)):
            raise HttpsRequired


@lru_cache(maxsize=1024)
def is_loopback(address: str) -> bool:
    """Return whether `address` is this machine; an empty one is a Unix socket or a test."""
    if not address:
        return True
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = getattr(found, "ipv4_mapped", None)  # a socket for both families shows IPv4 so
    return (mapped or found).is_loopback

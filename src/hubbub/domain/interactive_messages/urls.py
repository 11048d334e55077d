"""The URLs that a button may open or call."""

import ipaddress
import re
from typing import Any
from urllib.parse import urlsplit

from hubbub.domain.interactive_messages.checks import must

WEB_SCHEMES = frozenset({"http", "https"})
UNSAFE_SCHEMES = frozenset({"javascript", "data", "vbscript", "file", "blob"})

NEVER_IN_A_URL = re.compile(r'[\s\x00-\x20\x7f-\x9f"<>\\]')
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
HOST_LABEL = re.compile(r"(?!-)(?:[A-Za-z0-9_-]|[^\x00-\x7f]){1,63}(?<!-)")
MOST_HOST_CHARACTERS = 253


def is_web_url(value: Any) -> bool:
    """Return whether `value` is an absolute http or https URL with a host."""
    # Clients drop white space and control characters before they parse a URL. The URL checked here
    # and the one opened there would differ, so such a URL is refused, not cleaned.
    if not isinstance(value, str) or NEVER_IN_A_URL.search(value):
        return False
    try:
        parts = urlsplit(value)
        return parts.scheme in WEB_SCHEMES and parts.port != 0 and _is_host(parts.hostname or "")
    except ValueError:
        return False


def is_deep_link(value: Any) -> bool:
    """Return whether `value` is a URL, of any scheme except those that run or read local things."""
    if not isinstance(value, str) or NEVER_IN_A_URL.search(value):
        return False
    scheme = SCHEME.match(value)
    if scheme is None:
        return False
    if scheme[1].lower() in WEB_SCHEMES:
        return is_web_url(value)
    return scheme[1].lower() not in UNSAFE_SCHEMES


def _is_host(host: str) -> bool:
    labels = host.removesuffix(".").split(".")
    if ":" in host or labels[-1].isdecimal():
        return _is_ip_address(host)
    return len(host) <= MOST_HOST_CHARACTERS and all(map(HOST_LABEL.fullmatch, labels))


def _is_ip_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


web_url = must(is_web_url, "This must be a valid absolute http or https URL.")
deep_link = must(
    is_deep_link,
    f"This must be a valid URL of any scheme except {', '.join(sorted(UNSAFE_SCHEMES))}.",
)

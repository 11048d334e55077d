"""The host that a request names: exactly one, or different readers take it for different apps."""

import re

_HOST = re.compile(rb"[A-Za-z0-9._~%:\[\]-]*")


def find_host_fault(count: int, host: bytes, version: str) -> str:
    """Return what is wrong with the headers Host of a request (RFC 9112, 3.2); empty if nothing is.

    `host` is the last of `count` headers.
    """
    if count > 1:
        return "There must be one header Host, not several."
    if count == 0 and version != "1.0":
        return "The header Host is required."
    if not _HOST.fullmatch(host):
        return "The header Host must be a host name or an address, with a port if need be."
    return ""


def host_of(host: bytes | None, port: int | None) -> bytes | None:
    """Return the host of an absolute target, which counts in place of the header."""
    if not host:
        return None
    host = b"[%b]" % host if b":" in host else host
    return host if port is None else b"%b:%d" % (host, port)

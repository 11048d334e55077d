"""The making of sockets to other servers, where each address is checked."""

import socket
from typing import Any

from hubbub.outbound.addresses import AddressRule


def open_checked_socket(rule: AddressRule, target: Any, *, is_encrypted: bool) -> socket.socket:
    """Return a socket for a resolved address, as `getaddrinfo` returns it.

    Raises:
        OSError: the address may not be called.
    """
    family, kind, protocol, _, address = target
    if not rule.may_call(address[0], is_encrypted=is_encrypted):
        raise OSError(_forbidden(address[0], is_encrypted=is_encrypted))
    return socket.socket(family, kind, protocol)


def _forbidden(address: str, *, is_encrypted: bool) -> str:
    if is_encrypted:
        return f"the address {address} is not public"
    return f"the address {address} may be called only over TLS"

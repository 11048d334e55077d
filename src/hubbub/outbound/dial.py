"""Connections to other servers: the name is resolved, and each address checked."""

import socket
from functools import partial
from typing import Any

import aiohappyeyeballs
from aiohttp.abc import ResolveResult

from hubbub.outbound.addresses import AddressRule
from hubbub.outbound.errors import NotReached, not_connected
from hubbub.outbound.names import Resolver

SECONDS_TO_NEXT_ADDRESS = 0.25


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


class Dialer:
    """Opens connections to servers that the rule allows."""

    def __init__(self, rule: AddressRule, resolver: Resolver) -> None:
        self._rule = rule
        self._resolver = resolver

    async def connect(self, host: str, port: int, *, is_encrypted: bool) -> socket.socket:
        """Return a socket that is connected; TLS, if it is promised, is up to the caller.

        Raises:
            NotReached: the name has no address, or none that may be called or answers.
        """
        opening = partial(open_checked_socket, self._rule, is_encrypted=is_encrypted)
        try:
            found = await self._resolver.resolve(host, port, socket.AF_UNSPEC)
            return await aiohappyeyeballs.start_connection(
                [(each["family"], socket.SOCK_STREAM, 0, "", _address(each)) for each in found],
                happy_eyeballs_delay=SECONDS_TO_NEXT_ADDRESS,
                socket_factory=opening,
            )
        except OSError as failure:
            raise not_connected(failure) from None
        except (UnicodeError, ValueError):  # a label of the host is empty, or too long
            raise NotReached("The host is not valid.") from None


def _address(found: ResolveResult) -> tuple[str, int] | tuple[str, int, int, int]:
    """Return an address as sockets take it."""
    if found["family"] == socket.AF_INET6:
        return found["host"], found["port"], 0, 0
    return found["host"], found["port"]

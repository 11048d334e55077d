"""Which addresses may be called: public ones, and those that the operator allows.

Whoever may name an address to call (a webhook, a file to fetch) must not reach what only this
machine or its network can reach: other services, or the metadata of a cloud provider.
"""

from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

from hubbub.config import BadSetting

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

NAT64 = IPv6Network("64:ff9b::/96")
"""Addresses that a gateway translates to the IPv4 address in their last 32 bits (RFC 6052)."""
TUNNELS = (
    IPv6Network("64:ff9b:1::/48"),  # NAT64 of a local network (RFC 8215)
    IPv6Network("2001::/32"),  # Teredo (RFC 4380)
    IPv6Network("2002::/16"),  # 6to4 (RFC 3056)
    IPv6Network("fec0::/10"),  # site-local (RFC 3879)
)
"""Addresses that may lead into a private network, though they are not private by themselves."""


@dataclass(frozen=True, slots=True)
class AddressRule:
    """The networks that may be called although they are not public, and without TLS."""

    allowed: tuple[Network, ...] = ()

    def is_allowed(self, text: str) -> bool:
        """Return whether the operator allows an address."""
        address = _plain(text)
        return any(address in network for network in self.allowed)

    def may_call(self, text: str, *, is_encrypted: bool) -> bool:
        """Return whether an address may be called with or without TLS."""
        return self.is_allowed(text) or (is_encrypted and is_public(text))


FURTHER = (
    IPv4Network("192.0.0.0/24"),  # of protocols (RFC 6890)
    IPv4Network("168.63.129.16/32"),  # of Azure, for its virtual machines
    IPv6Network("3fff::/20"),  # of documentation (RFC 9637)
)
"""Addresses that are not public either, though Python may take them for that."""


def is_public(text: str) -> bool:
    """Return whether an address is one of the Internet."""
    address = _plain(text)
    if any(address in network for network in (*TUNNELS, *FURTHER)):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved)


def _plain(text: str) -> Address:
    """Return an address without its zone; an IPv4 address for one that only wraps it."""
    address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv4Address):
        return address
    if address in NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address


def parse_rule(text: str, setting: str = "HUBBUB_OUTBOUND_ALLOW") -> AddressRule:
    """Return the rule with the networks of a setting, separated by commas.

    Raises:
        BadSetting: one of them is no network.
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    try:
        return AddressRule(tuple(ip_network(part) for part in parts))
    except ValueError as problem:
        raise BadSetting(
            f"{setting} must be networks like 10.0.0.0/8, by commas: {problem}."
        ) from None

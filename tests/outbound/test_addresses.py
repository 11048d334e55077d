"""Which addresses may be called."""

import pytest

from hubbub.config import BadSetting
from hubbub.outbound.addresses import is_public, parse_rule

PUBLIC = ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"]
NOT_PUBLIC = {
    "this host": ["0.0.0.0", "0.1.2.3", "::"],
    "loopback": ["127.0.0.1", "127.255.255.254", "::1"],
    "private": ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1", "fc00::1", "fd12::1"],
    "link-local": ["169.254.0.1", "fe80::1", "fe80::1%eth0"],
    "cloud metadata": ["169.254.169.254", "fd00:ec2::254", "100.100.100.200", "168.63.129.16"],
    "carrier-grade NAT": ["100.64.0.1", "100.127.255.255"],
    "protocols, tests and documentation": ["192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1"],
    "more documentation": ["203.0.113.1", "2001:db8::1", "3fff::1", "192.0.0.8"],
    "multicast and reserved": ["224.0.0.1", "240.0.0.1", "255.255.255.255", "ff02::1", "fec0::1"],
    "IPv4 in IPv6": ["::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "::ffff:0:127.0.0.1"],
    "NAT64": ["64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::a00:1"],
    "tunnels": ["2002:7f00:1::", "2002:a00:1::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2"],
}


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses(address: str) -> None:
    """Call public addresses over TLS only."""
    rule = parse_rule("")
    assert rule.may_call(address, is_encrypted=True)
    assert not rule.may_call(address, is_encrypted=False)


@pytest.mark.parametrize("address", [each for group in NOT_PUBLIC.values() for each in group])
def test_other_addresses(address: str) -> None:
    """Call no other address, with or without TLS."""
    assert not is_public(address)
    rule = parse_rule("192.168.7.0/24")
    assert not rule.may_call(address, is_encrypted=True)
    assert not rule.may_call(address, is_encrypted=False)


@pytest.mark.parametrize("address", ["10.1.2.3", "::ffff:10.1.2.3", "64:ff9b::a01:203", "fd12::9"])
def test_allowed_networks(address: str) -> None:
    """Call addresses of allowed networks, also without TLS."""
    rule = parse_rule(" 10.0.0.0/8, fd12::/16,")
    assert rule.may_call(address, is_encrypted=True)
    assert rule.may_call(address, is_encrypted=False)


@pytest.mark.parametrize("text", ["10.0.0.0/33", "internal.example", "10.0.0.1/8", "*"])
def test_a_wrong_network(text: str) -> None:
    """Refuse a setting that is no list of networks, with its name."""
    with pytest.raises(BadSetting, match="HUBBUB_OUTBOUND_ALLOW must be networks"):
        parse_rule(text)

"""URLs that are stored to be called later: refused if their spelling already says so."""

import pytest
from tests.outbound.test_addresses import NOT_PUBLIC, PUBLIC

from hubbub.outbound.addresses import parse_rule
from hubbub.outbound.client import OutboundClient
from hubbub.outbound.errors import NotReached

NOT_CALLED = [address for group in NOT_PUBLIC.values() for address in group]
SPELLINGS = {
    "of loopback": [
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0X7F.0.0.1",
        "0177.0.0.1",
        "017700000001",
        "127.0.0.1.",
        "１２７.０.０.１",
        "①②⑦.⓪.⓪.①",
        "127。0。0。1",
        "0",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "my.localhost",
        "ⓛocalhost",
        "[0:0:0:0:0:0:0:1]",
        "[::ffff:7f00:1]",
    ],
    "of the metadata": ["0xa9fea9fe", "2852039166", "169.254.43518", "[::ffff:a9fe:a9fe]"],
    "of a private address": ["10.1", "0xa.0.0.1", "192.168.257", "[fd00::1%25eth0]"],
}
INVALID = [
    "https://",
    "https:///path",
    "https://:443/",
    "https://./",
    "https://example..com/",
    "https://.example.com/",
    "https://-a.example/",
    "https://" + "a" * 64 + ".example/",
    "https://exa mple.com/",
    "https://example.com:0/",
    "https://example.com:65536/",
    "https://example.com:x/",
    "https://[::1/",
    "https://[v1.a]/",
    "https://[1.1.1.1]/",
    "https://999.1.1.1/",
    "https://1.2.3.4.5/",
    "https://a.1.2.3.4/",
    "https://0x/",
    "https://08.1.1.1/",
    "https://%31%32%37.0.0.1/",
    "https://127.0.0.1%2eexample.com/",
    "https://exa\\mple.com/",
    "https://exa_mple<>.com/",
    "https://anna@example.com/",
    "https://anna:sesame@example.com/",
    "https://example.com\\@127.0.0.1/",
    "https://\ufffd.example/",
    "example.com",
    "/hook",
    "ftp://example.com/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "//example.com/",
    "",
]


def check(url: str, allow: str = "") -> str | None:
    """Return why a URL is refused, or None."""
    client = OutboundClient(parse_rule(allow))
    try:
        client.check_stored(url)
    except NotReached as reason:
        return str(reason)
    return None


def host_of(address: str) -> str:
    """Return an address as a host."""
    return f"[{address.replace('%', '%25')}]" if ":" in address else address


@pytest.mark.parametrize(
    "host",
    [
        *map(host_of, PUBLIC),
        "example.com",
        "EXAMPLE.com.",
        "bücher.example",
        "xn--bcher-kva.example",
        "a_b.example",
        "internal",
        "localhost.example",
        "1.example",
        "0x7f.example",
    ],
)
def test_hosts_that_may_be_public(host: str) -> None:
    """A name, or a public address, may be called with TLS; without TLS only if allowed."""
    assert check(f"https://{host}/hook") is None
    assert check(f"HTTPS://{host}:8443") is None
    assert "https://" in (check(f"http://{host}/hook") or "")


@pytest.mark.parametrize("address", NOT_CALLED)
def test_addresses_that_are_not_public(address: str) -> None:
    """An address that is not public is refused with and without TLS, by name."""
    host = host_of(address)
    assert "is not public" in (check(f"https://{host}/") or "")
    assert check(f"http://{host}/") is not None
    assert check(f"https://{host}/", "192.168.7.0/24") is not None
    assert check(f"http://{host}/", "192.168.7.0/24") is not None


@pytest.mark.parametrize("host", [host for group in SPELLINGS.values() for host in group])
def test_other_spellings(host: str) -> None:
    """An address that is not public is refused in every spelling."""
    assert "is not public" in (check(f"https://{host}/") or "")
    assert check(f"http://{host}:80/") is not None
    assert check(f"https://{host}/", "192.168.7.0/24") is not None


@pytest.mark.parametrize("url", INVALID)
def test_invalid_urls(url: str) -> None:
    """Refuse what is no URL of a host, whatever is allowed."""
    assert check(url) is not None
    assert check(url, "0.0.0.0/0,::/0") is not None


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_allowed_networks(scheme: str) -> None:
    """Addresses of allowed networks may be called; names too, since they may be in them."""
    allow = "10.0.0.0/8,::1/128"
    for host in ("10.1.2.3", "0xa.1", "[::ffff:10.1.2.3]", "[::1]", "localhost", "receiver"):
        assert check(f"{scheme}://{host}:8000/", allow) is None
    for host in ("127.0.0.1", "11.0.0.1", "[::2]", "192.168.0.1"):
        is_public = scheme == "https" and host == "11.0.0.1"
        assert (check(f"{scheme}://{host}:8000/", allow) is None) is is_public
    assert check(f"{scheme}://localhost/", "10.0.0.0/8") is not None

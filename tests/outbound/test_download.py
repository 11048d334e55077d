"""Files are fetched from other servers, and from no forbidden address."""

from urllib.parse import quote

import pytest
from tests.elsewhere import Elsewhere

from hubbub.config import BadSetting
from hubbub.outbound.addresses import parse_rule
from hubbub.outbound.client import OutboundClient
from hubbub.outbound.errors import NotReached

NOWHERE = (
    "^It can't be connected to: its name has no address that may be called, or nobody answers. "
    "Private addresses are opened by the operator, with HUBBUB_OUTBOUND_ALLOW.$"
)
SPELLINGS = (
    "127.0.0.1", "127.1", "2130706433", "0177.0.0.1", "0x7f.0.0.1", "0x7f000001", "0.0.0.0",
    "localhost", "[::1]", "[::ffff:127.0.0.1]", "[0:0:0:0:0:ffff:7f00:1]",
)  # fmt: skip


async def fetch(client: OutboundClient, url: str, seconds: float = 5.0) -> bytes:
    """Return all that a URL answers."""
    async with client.download(url, seconds=seconds) as pieces:
        return b"".join([piece async for piece in pieces])


@pytest.mark.parametrize("scheme", ["https", "http"])
async def test_content(elsewhere: Elsewhere, client: OutboundClient, scheme: str) -> None:
    """Fetch a large file, whole."""
    port = elsewhere.encrypted if scheme == "https" else elsewhere.plain
    content = await fetch(client, f"{scheme}://localhost:{port}/bytes/300000")
    assert content == b"x" * 300_000


@pytest.mark.parametrize("host", SPELLINGS)
@pytest.mark.parametrize("scheme", ["https", "http"])
async def test_forbidden_addresses(elsewhere: Elsewhere, scheme: str, host: str) -> None:
    """Call no address of this machine, however it is spelled."""
    port = elsewhere.encrypted if scheme == "https" else elsewhere.plain
    client = OutboundClient(parse_rule("192.0.2.0/24"), str(elsewhere.certificate.cert))
    try:
        with pytest.raises(NotReached, match=rf"{NOWHERE}|URL is not valid"):
            await fetch(client, f"{scheme}://{host}:{port}/bytes/1")
    finally:
        await client.close()
    assert not elsewhere.asked


async def test_redirects_are_checked(elsewhere: Elsewhere, client: OutboundClient) -> None:
    """Follow redirects, but not to a forbidden address."""
    base = f"https://localhost:{elsewhere.encrypted}"
    for status in (301, 302, 303, 307, 308):
        assert await fetch(client, f"{base}/redirect/{status}?to=/bytes/7") == b"x" * 7
    for forbidden in ("https://10.0.0.1/", "http://[::1]/", "https://169.254.169.254/latest"):
        with pytest.raises(NotReached, match=NOWHERE):
            await fetch(client, f"{base}/redirect/302?to={forbidden}")
    with pytest.raises(NotReached, match="must begin with https://"):
        await fetch(client, f"{base}/redirect/302?to=file:///etc/passwd")
    for wrong in ("http://[", "//[x", "https://a]b/", "https://example\u2100.com/"):
        with pytest.raises(NotReached, match=r"^The URL "):
            await fetch(client, f"{base}/redirect/302?to={quote(wrong)}")
    with pytest.raises(NotReached, match="more than 5 redirects"):
        await fetch(client, f"{base}/again")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/status/404", "answered with the status 404"),
        ("/status/204", "answered with the status 204"),
        ("/status/302", "answered with the status 302"),
        ("/broken", "The connection failed: "),
        ("/encoded/gzip", "sends the encoding 'gzip'"),
    ],
)
async def test_no_content(
    elsewhere: Elsewhere, client: OutboundClient, path: str, reason: str
) -> None:
    """Say why there is no content."""
    with pytest.raises(NotReached, match=reason):
        await fetch(client, f"https://localhost:{elsewhere.encrypted}{path}")


async def test_a_slow_server(elsewhere: Elsewhere, client: OutboundClient) -> None:
    """Give up on a server that begins to answer and never ends."""
    with pytest.raises(NotReached, match=r"took more than 0\.2 seconds"):
        await fetch(client, f"https://localhost:{elsewhere.encrypted}/silence", seconds=0.2)


async def test_a_certificate_that_is_not_trusted(elsewhere: Elsewhere) -> None:
    """Call nobody whose certificate is not trusted."""
    client = OutboundClient(parse_rule("127.0.0.0/8"))
    try:
        with pytest.raises(NotReached, match="certificate is not valid"):
            await fetch(client, f"https://localhost:{elsewhere.encrypted}/bytes/1")
    finally:
        await client.close()
    assert not elsewhere.asked


@pytest.mark.parametrize(
    "url",
    ["", "https://", "ftp://localhost/", "//localhost/", "https://a:b@localhost/", "https://[::1/",
     "https://localhost:99999/", "javascript:alert(1)",
     "https://a..b/", "https://.com/", f"https://{'a' * 64}.example/"],
)  # fmt: skip
async def test_wrong_urls(client: OutboundClient, url: str) -> None:
    """Refuse what is no URL to call."""
    with pytest.raises(NotReached, match=r"^The URL "):
        await fetch(client, url)


async def test_no_proxy(
    elsewhere: Elsewhere, client: OutboundClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Take no proxy from the environment."""
    for name in ("http_proxy", "https_proxy", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")
    assert await fetch(client, f"https://localhost:{elsewhere.encrypted}/bytes/3") == b"xxx"


def test_a_file_of_authorities_that_is_none(tmp_path: object) -> None:
    """Name the setting whose file is not usable."""
    with pytest.raises(BadSetting, match=f"HUBBUB_OUTBOUND_CA: {tmp_path}/none.pem can't be used"):
        OutboundClient(parse_rule(""), f"{tmp_path}/none.pem")

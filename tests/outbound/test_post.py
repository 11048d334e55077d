"""Other servers are called with POST, and no forbidden address is."""

import asyncio

import pytest
from tests.elsewhere import Elsewhere
from tests.outbound.test_download import NOWHERE, SPELLINGS
from tests.wire import LOOPBACK

from hubbub.outbound.addresses import parse_rule
from hubbub.outbound.answer import Response
from hubbub.outbound.client import OutboundClient
from hubbub.outbound.errors import NotReached

HEADERS = {"Content-Type": "application/json", "webhook-id": "7"}
LIMIT = 64 * 1024


async def post(client: OutboundClient, url: str, seconds: float = 60.0) -> Response:
    """Return what a URL answers."""
    return await client.post(url, b'{"a": 1}', HEADERS, seconds=seconds)


@pytest.mark.parametrize("scheme", ["https", "http"])
async def test_a_call(elsewhere: Elsewhere, client: OutboundClient, scheme: str) -> None:
    """Send the body and the headers as they are; return the answer."""
    port = elsewhere.encrypted if scheme == "https" else elsewhere.plain
    answer = await post(client, f"{scheme}://localhost:{port}/bytes/300?a=b")

    assert (answer.status, answer.body) == (200, b"x" * 300)
    assert (elsewhere.asked[0].method, elsewhere.bodies) == ("POST", [b'{"a": 1}'])
    assert elsewhere.asked[0].query_string == "a=b"
    assert HEADERS.items() <= dict(elsewhere.asked[0].headers).items()
    assert elsewhere.asked[0].headers.getall("Content-Type") == ["application/json"]


async def test_every_status_is_an_answer(elsewhere: Elsewhere, client: OutboundClient) -> None:
    """Return any status, with Retry-After; follow no redirect."""
    base = f"https://localhost:{elsewhere.encrypted}"

    assert [
        (await post(client, f"{base}/{path}")).status
        for path in ("status/204", "status/404", "status/500", "redirect/307?to=/bytes/1", "again")
    ] == [204, 404, 500, 307, 302]
    assert (await post(client, f"{base}/busy/30")).headers["retry-after"] == "30"
    assert len(elsewhere.asked) == 6


@pytest.mark.parametrize("path", ["/endless", "/bytes/9000000"])
async def test_a_long_answer(elsewhere: Elsewhere, client: OutboundClient, path: str) -> None:
    """Read the begin of a long answer, and don't wait for the rest."""
    for _ in range(3):
        answer = await post(client, f"https://localhost:{elsewhere.encrypted}{path}")

        assert (answer.status, len(answer.body)) == (200, LIMIT)
    assert len(elsewhere.peers) == 3


async def test_connections_are_kept(elsewhere: Elsewhere, client: OutboundClient) -> None:
    """Call again over the same connection, if all of the last answer was read."""
    for _ in range(3):
        await post(client, f"https://localhost:{elsewhere.encrypted}/bytes/{LIMIT - 1}")

    assert len(elsewhere.peers) == 1


async def test_a_kept_connection_that_was_closed() -> None:
    """Call once more over a new connection, if the server has just closed the kept one."""
    calls: list[int] = []
    opened: list[asyncio.StreamWriter] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        opened.append(writer)
        await reader.readuntil(b'{"a": 1}')
        calls.append(len(opened))
        writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
        await reader.readuntil(b'{"a": 1}')  # as if it came too late
        calls.append(len(opened))
        writer.close()

    client = OutboundClient(parse_rule("127.0.0.0/8"))
    async with await asyncio.start_server(answer, LOOPBACK, 0) as server:
        url = f"http://{LOOPBACK}:{server.sockets[0].getsockname()[1]}/"
        first, second = await post(client, url), await post(client, url)
        await client.close()
        for writer in opened:
            writer.close()

    assert (first.status, second.status) == (204, 204)
    assert calls == [1, 1, 2]


@pytest.mark.parametrize("path", ["/broken", "/half", "/garbage"])
async def test_no_whole_answer(elsewhere: Elsewhere, client: OutboundClient, path: str) -> None:
    """Say why there is no answer; call a server once that breaks off a new connection."""
    with pytest.raises(NotReached, match="The connection failed: "):
        await post(client, f"https://localhost:{elsewhere.encrypted}{path}")
    assert len(elsewhere.asked) == 1


async def test_a_silent_server(elsewhere: Elsewhere, client: OutboundClient) -> None:
    """Give up on a server that does not answer."""
    with pytest.raises(NotReached, match=r"It took more than 0\.3 seconds"):
        await post(client, f"https://localhost:{elsewhere.encrypted}/silence", seconds=0.3)


@pytest.mark.parametrize("path", ["garbage", "half", "broken"])
async def test_no_url_in_a_reason(elsewhere: Elsewhere, client: OutboundClient, path: str) -> None:
    """Keep the URL out of the reason: its path or query may be a secret."""
    with pytest.raises(NotReached) as failure:
        await post(client, f"https://localhost:{elsewhere.encrypted}/{path}?token=hush")
    assert "hush" not in str(failure.value)
    assert len(elsewhere.asked) == 1


async def test_a_server_that_only_accepts(client: OutboundClient) -> None:
    """Give up on a server that never begins with TLS."""

    async def ignore(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with await asyncio.start_server(ignore, LOOPBACK, 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(NotReached, match=r"It took more than 0\.2 seconds"):
            await post(client, f"https://localhost:{port}/", seconds=0.2)


async def test_nobody_listens(client: OutboundClient) -> None:
    """Say no more than for an address that may not be called, but to the operator."""
    async with await asyncio.start_server(lambda *_: None, LOOPBACK, 0) as server:
        port = server.sockets[0].getsockname()[1]
    with pytest.raises(NotReached, match=NOWHERE) as refused:
        await post(client, f"https://localhost:{port}/")
    guarded = OutboundClient(parse_rule(""))
    with pytest.raises(NotReached, match=NOWHERE) as forbidden:
        await post(guarded, f"https://localhost:{port}/")
    await guarded.close()

    assert str(refused.value) == str(forbidden.value)
    assert "is not public" in forbidden.value.detail
    assert "Connect call failed" in refused.value.detail


@pytest.mark.parametrize("host", SPELLINGS)
@pytest.mark.parametrize("scheme", ["https", "http"])
async def test_forbidden_addresses(elsewhere: Elsewhere, scheme: str, host: str) -> None:
    """Call no address of this machine, however it is spelled."""
    port = elsewhere.encrypted if scheme == "https" else elsewhere.plain
    client = OutboundClient(parse_rule("192.0.2.0/24"), str(elsewhere.certificate.cert))
    try:
        with pytest.raises(NotReached, match=rf"{NOWHERE}|URL is not valid"):
            await post(client, f"{scheme}://{host}:{port}/bytes/1")
    finally:
        await client.close()
    assert not elsewhere.asked


async def test_certificates_are_verified(elsewhere: Elsewhere) -> None:
    """Call nobody whose certificate is not trusted, or is for another name."""
    rule, authority = parse_rule("127.0.0.0/8,0.0.0.0/32"), str(elsewhere.certificate.cert)
    for trusted, host in (("", "localhost"), (authority, "0.0.0.0")):
        client = OutboundClient(rule, trusted)
        try:
            with pytest.raises(NotReached, match="certificate is not valid"):
                await post(client, f"https://{host}:{elsewhere.encrypted}/bytes/1")
        finally:
            await client.close()
    assert not elsewhere.asked


@pytest.mark.parametrize("url", ["", "ftp://localhost/", "https://a:b@localhost/", "https://a..b/"])
async def test_wrong_urls(client: OutboundClient, url: str) -> None:
    """Refuse what is no URL to call."""
    with pytest.raises(NotReached, match=r"^The URL "):
        await post(client, url)


@pytest.mark.parametrize(
    ("spelled", "sent"),
    [
        ("/a%2Fb/../c?key=x%2Fy%3d&z=%7e+1", "/a%2Fb/../c?key=x%2Fy%3d&z=%7e+1"),
        ("/sl//ash;p=1?q=a/b?c", "/sl//ash;p=1?q=a/b?c"),
        ("?only=query", "/?only=query"),
        ("", "/"),
        ("/caf\u00e9?a b#part", "/caf%C3%A9?a%20b"),
    ],
)
async def test_a_url_is_called_as_it_is_spelled(
    elsewhere: Elsewhere, client: OutboundClient, spelled: str, sent: str
) -> None:
    """Send path and query as they are, and escape only what no URL may have."""
    await post(client, f"http://localhost:{elsewhere.plain}{spelled}")

    assert [each.raw_path for each in elsewhere.asked] == [sent]


async def test_one_call_has_its_own_connection(
    elsewhere: Elsewhere, client: OutboundClient
) -> None:
    """A call that must not be repeated goes over no connection that may be closed already."""
    url = f"https://localhost:{elsewhere.encrypted}/bytes/1"
    await post(client, url)
    for _ in range(2):
        await client.post_once(url, b"{}", HEADERS, seconds=5, keeps=False)
    await post(client, url)

    assert len(elsewhere.peers) == 3

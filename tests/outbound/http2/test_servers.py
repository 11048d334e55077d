"""Which servers may be called over HTTP/2, and what others than those say."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.certificate import Certificate, make_certificate
from tests.outbound.http2.echo import Echo, paths_of, post, reason_of
from tests.wire import LOOPBACK

from hubbub.outbound.addresses import parse_rule
from hubbub.outbound.answer import Response
from hubbub.outbound.client import OutboundClient
from hubbub.outbound.errors import NotReached
from hubbub.outbound.http2 import frames


async def test_without_tls(certificate: Certificate, client: OutboundClient) -> None:
    """A server without TLS is called where the operator allows it, and only there."""
    plain = Echo()
    await plain.start(None)
    strict = OutboundClient(parse_rule("10.0.0.0/8"), str(certificate.cert))
    try:
        assert paths_of(await post(client, plain.url)) == ["0"]
        (outcome,) = await post(strict, plain.url)
        assert "no address that may be called" in reason_of(outcome)
        assert plain.calls == 1
    finally:
        await strict.close()
        await plain.stop()


async def test_private_addresses_are_not_called(certificate: Certificate, echo: Echo) -> None:
    """An address that is not public is refused, also if a name leads to it."""
    strict = OutboundClient(parse_rule(""), str(certificate.cert))
    for url in (echo.url, echo.url.replace(LOOPBACK, "localhost")):
        (outcome,) = await post(strict, url)
        assert "no address that may be called" in reason_of(outcome)
    await strict.close()

    assert not echo.connections


async def test_certificates_are_verified(echo: Echo, tmp_path: Path) -> None:
    """A certificate that no authority vouches for is refused, and one for another name."""
    for authorities in ("", str(make_certificate(tmp_path).cert)):
        stranger = OutboundClient(parse_rule("127.0.0.0/8"), authorities)
        (outcome,) = await post(stranger, echo.url)
        assert reason_of(outcome).startswith("The certificate is not valid")
        await stranger.close()

    assert not echo.calls


async def test_names_of_certificates_are_verified(client: OutboundClient, echo: Echo) -> None:
    """The certificate must be that of the host."""
    (outcome,) = await post(client, echo.url.replace(LOOPBACK, "127.0.0.2"))

    assert not isinstance(outcome, Response)


@asynccontextmanager
async def listening(
    certificate: Certificate | None, said: bytes = b"", alpn: str = "h2"
) -> AsyncIterator[str]:
    """Yield the URL of a server that sends some bytes and nothing more."""
    tls = None
    if certificate is not None:
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        tls.load_cert_chain(certificate.cert, certificate.key)
        tls.set_alpn_protocols([alpn])

    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(said)
        await reader.read()
        writer.close()

    server = await asyncio.start_server(greet, LOOPBACK, 0, ssl=tls)
    port = server.sockets[0].getsockname()[1]
    yield f"{'https' if tls else 'http'}://{LOOPBACK}:{port}"
    server.close()


async def test_a_server_without_http2(client: OutboundClient, certificate: Certificate) -> None:
    """A server that does not choose HTTP/2 in the handshake is not called."""
    async with listening(certificate, alpn="http/1.1") as url:
        (outcome,) = await post(client, url)

    assert reason_of(outcome) == "The server does not speak HTTP/2."


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (b"", "It took more than 2 seconds."),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "The server broke the protocol"),
        (frames.settings_frame({}) + frames.window_frame(0), "The server broke the protocol"),
        (frames.settings_frame({}), "It took more than 2 seconds."),
    ],
)
async def test_servers_that_say_something_else(
    client: OutboundClient, said: bytes, why: str
) -> None:
    """A server that is silent, or does not speak HTTP/2, gets no second call of a batch."""
    async with listening(None, said) as url:
        outcomes = await post(client, url, 300, seconds=2)

    assert len(outcomes) == 300
    assert all(reason_of(each).startswith(why) for each in outcomes)


async def test_nobody_listens(client: OutboundClient) -> None:
    """A port where nobody listens, and a name that nobody has, fail at once."""
    with socket.create_server((LOOPBACK, 0)) as server:
        port = server.getsockname()[1]
    for host in (LOOPBACK, "nobody.invalid", "a..b"):
        try:
            (outcome,) = await post(client, f"https://{host}:{port}")
        except NotReached as failure:
            outcome = failure
        assert isinstance(outcome, NotReached)

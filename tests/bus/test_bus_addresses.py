"""The setting with the servers of the bus, and what is wrong in it."""

import pytest

from hubbub.bus.addresses import NatsServer, parse_servers
from hubbub.config import BadSetting


def test_servers_of_a_cluster() -> None:
    """Servers are separated by commas; port, user and password may be left out."""
    found = parse_servers("nats://a, tls://u:p%40ss@b:5000,nats://token@[::1]:4223")

    assert found == [
        NatsServer("a", 4222, is_encrypted=False),
        NatsServer("b", 5000, is_encrypted=True, user="u", password="p@ss"),
        NatsServer("::1", 4223, is_encrypted=False, user="token"),
    ]
    assert [server.url for server in found] == [
        "nats://a:4222",
        "nats://b:5000",
        "nats://[::1]:4223",
    ]


def test_a_server_is_shown_without_its_secrets() -> None:
    """Neither the name of a server nor its representation has user or password."""
    [server] = parse_servers("nats://token-or-user:s3cret@host")

    assert f"{server} {server.url} {server!r}".count("host:4222") == 2
    assert "token" not in f"{server} {server.url} {server!r}"
    assert "s3cret" not in f"{server} {server.url} {server!r}"


@pytest.mark.parametrize(
    "text",
    [
        "localhost:4222",
        "http://localhost",
        "nats://",
        "nats://:s3cret@",
        "nats://u:s3cret@host:0x10",
        "nats://u:s3cret@host:70000",
        "nats://u:s3cret@host/path",
        "nats://u:s3cret@host?a=b",
        "nats://u:s3cret@ho st",
        "nats://u:s3cret@[::1",
        "nats://u:s3/cret@host",
        "nats://u:s3cret,a@host",
        "nats://good,redis://u:s3cret@bad",
        ",",
    ],
)
def test_what_is_no_server(text: str) -> None:
    """The message names the setting and how an address looks, but no password."""
    with pytest.raises(BadSetting, match=r"HUBBUB_BUS_URL.*tls://") as refused:
        parse_servers(text)

    assert "s3cret" not in str(refused.value)

"""Who may read the metrics: this machine and named networks; through a proxy only with a token."""

import hmac
from typing import Any

import pytest
from tests.engines import one_engine
from tests.monitoring.scrape import ask
from tests.wire import Asked
from tests.world import Node

from hubbub.config import BadSetting
from hubbub.http.pages.metrics import page

ELSEWHERE = "203.0.113.9"
TOKEN = "correct-horse"
PROXIED = (
    {"x_forwarded_for": "203.0.113.9"},
    {"x_forwarded_for": ""},
    {"X_Forwarded_For": "127.0.0.1"},
    {"x_forwarded_proto": "https"},
    {"x_forwarded_host": "chat.example.com"},
    {"x_real_ip": "127.0.0.1"},
    {"forwarded": "for=127.0.0.1"},
    {"via": "1.1 proxy"},
)


def allowing(node: Node, networks: str) -> Node:
    """Return the node with these networks in the setting."""
    return node.with_settings(metrics_allow=networks)


@pytest.mark.parametrize("client", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1", ""])
async def test_this_machine_may_read(node: Node, client: str) -> None:
    """Clients on loopback, and of a Unix socket, read the metrics."""
    answer = await ask(node.sender, client=client)

    assert answer.status == 200
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("client", [ELSEWHERE, "10.0.0.1", "192.168.1.1", "2001:db8::1"])
@pytest.mark.parametrize("allowed", ["", "10.1.0.0/16, 2001:db8:1::/48"])
async def test_other_machines_may_not(node: Node, client: str, allowed: str) -> None:
    """Nobody else does, from a private network neither."""
    answer = await ask(allowing(node, allowed).sender, client=client)

    assert answer.status == 403
    assert answer.error["code"] == "AUTH_ERR_NO_ACCESS"


@pytest.mark.parametrize("client", ["10.1.2.3", "::ffff:10.1.2.3", "2001:db8:1::5", "127.0.0.1"])
async def test_named_networks_may_read(node: Node, client: str) -> None:
    """Networks of `HUBBUB_METRICS_ALLOW` read too, over plain HTTP."""
    answer = await ask(allowing(node, "10.1.0.0/16, 2001:db8:1::/48").sender, client=client)

    assert answer.status == 200


@pytest.mark.parametrize("networks", ["everybody", "10.0.0.5/8", "10.0.0.0/99", "127.0.0.1 ::1"])
def test_networks_that_are_none_end_the_start(node: Node, networks: str) -> None:
    """A node does not start with a setting that it can't read, and names it."""
    with pytest.raises(BadSetting, match="HUBBUB_METRICS_ALLOW must be networks"):
        allowing(node, networks)


@pytest.mark.parametrize("headers", PROXIED, ids=str)
@pytest.mark.parametrize("client", ["127.0.0.1", "10.1.2.3"])
@one_engine
async def test_a_proxy_gets_nothing(node: Node, client: str, headers: dict[str, str]) -> None:
    """A request that came through a proxy may come from anywhere, so it is refused."""
    answer = await ask(allowing(node, "10.1.0.0/16").sender, client=client, **headers)

    assert answer.status == 403
    assert answer.error["code"] == "AUTH_ERR_NO_ACCESS"


@pytest.mark.parametrize("headers", [{}, *PROXIED], ids=str)
async def test_a_token_opens_the_metrics(node: Node, headers: dict[str, str]) -> None:
    """With the token of the setting they are read, through a proxy too."""
    guarded = node.with_settings(metrics_token=TOKEN)
    answer = await ask(guarded.sender, authorization=f"Bearer {TOKEN}", **headers)

    assert answer.status == 200


@pytest.mark.parametrize(
    "shown",
    [
        "",
        "Bearer",
        "Bearer ",
        "Bearer correct-hors",
        "Bearer correct-horse2",
        "Bearer CORRECT-HORSE",
        "Bearer corréct-horse",
        f"Basic {TOKEN}",
        TOKEN,
    ],
)
async def test_a_wrong_token_opens_nothing(node: Node, shown: str) -> None:
    """Without the token nobody reads, on this machine neither."""
    answer = await ask(node.with_settings(metrics_token=TOKEN).sender, authorization=shown)

    assert answer.status == 401
    assert answer.error["code"] == "AUTH_ERR_NO_ACCESS"
    assert answer.headers["www-authenticate"] == 'Bearer realm="metrics"'


async def test_a_token_opens_no_network(node: Node) -> None:
    """The token does not replace the rule of addresses."""
    guarded = node.with_settings(metrics_token=TOKEN)
    answer = await ask(guarded.sender, authorization=f"Bearer {TOKEN}", client=ELSEWHERE)

    assert answer.status == 403


async def test_a_token_is_compared_in_constant_time(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each shown token goes, whole, into a comparison that takes the same time for all."""
    compared: list[tuple[bytes, bytes]] = []

    def compare(shown: Any, token: Any) -> bool:
        compared.append((shown, token))
        return hmac.compare_digest(shown, token)

    monkeypatch.setattr(page, "compare_digest", compare)
    guarded = node.with_settings(metrics_token=TOKEN)
    for scheme, shown in (("Bearer", "c"), ("Bearer", TOKEN), ("Basic", "correct-hors")):
        await ask(guarded.sender, authorization=f"{scheme} {shown}")

    assert compared == [
        (b"c", TOKEN.encode()),
        (TOKEN.encode(), TOKEN.encode()),
        (b"correct-hors", TOKEN.encode()),
    ]


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"])
@pytest.mark.parametrize("headers", [{}, {"origin": "https://elsewhere.example"}], ids=str)
@one_engine
async def test_other_methods_are_refused(node: Node, method: str, headers: dict[str, str]) -> None:
    """There is only GET; a preflight of another origin is refused like any method."""
    answer = await ask(node.sender, method, **headers)

    assert answer.status == 405
    assert answer.headers["allow"] == "GET"
    assert not any(name.startswith("access-control-") for name in answer.headers)


@pytest.mark.parametrize("client", ["127.0.0.1", ELSEWHERE])
async def test_pages_of_other_origins_read_nothing(node: Node, client: str) -> None:
    """No answer lets a browser show the metrics to a page."""
    answer = await ask(node.sender, origin="https://elsewhere.example", client=client)

    assert not any(name.startswith("access-control-") for name in answer.headers)


@pytest.mark.parametrize(
    "path", ["/v3/metrics", "/v3.0/metrics", "/%6detrics", "//metrics", "/metrics/", "/Metrics"]
)
async def test_there_is_one_path(node: Node, path: str) -> None:
    """The metrics are at `/metrics` alone, so that no other spelling escapes its rules."""
    answer = await node.sender.send(Asked("GET", path))

    assert answer.status == 404

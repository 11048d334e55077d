"""The URLs of webhooks: what can't be called is refused when it is stored."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.api.webhooks.doors import URL, Door
from tests.outbound.test_spelling import INVALID, NOT_CALLED, SPELLINGS, host_of
from tests.wire import InProcess
from tests.world import Node, World

from hubbub.http.app import make_app
from hubbub.outbound.addresses import parse_rule
from hubbub.outbound.client import OutboundClient
from hubbub.rest.operations import OPERATIONS

REFUSED = [
    *(f"https://{host_of(address)}/hook" for address in NOT_CALLED),
    *(f"https://{host}/hook" for group in SPELLINGS.values() for host in group),
    *(url for url in INVALID if url),
    "http://example.com/hook",
    "http://1.1.1.1/hook",
]
Allowing = Callable[[str], World]


@pytest.fixture
def allowing(node: Node, world: World) -> Allowing:
    """The world on a node whose operator allows some networks."""

    def make(networks: str) -> World:
        outbound = OutboundClient(parse_rule(networks))
        app = make_app(replace(node.runtime, outbound=outbound), OPERATIONS)
        return World(InProcess(app), world.app_id, world.key, world.auth_key)

    return make


async def test_urls_that_are_refused(world: World) -> None:
    """A URL that can't be called is refused by its field, on creation and by a change."""
    await world.post("/webhooks", {"id": "server", "name": "My server", "webhookURL": URL})
    for url in REFUSED:
        body = {"id": "other", "name": "Other", "webhookURL": url}
        for method, path in (("POST", "/webhooks"), ("PUT", "/webhooks/server")):
            details = await world.refused(method, path, body, status=400, code="ERR_BAD_REQUEST")

            assert list(details) == ["webhookURL"], url

    (found,) = await world.get("/webhooks")
    assert found["webhookURL"] == URL


async def test_urls_that_are_accepted(door: Door) -> None:
    """Any https URL of a name or of a public address is accepted, and kept as it is."""
    await door.create()
    for url in (
        "https://example.com",
        "HTTPS://Example.COM:8443/Hook?a=b&c=%20#part",
        "https://bücher.example/größe/😀",
        "https://1.1.1.1/",
        "https://[2606:4700::1111]:443/",
        "https://does-not-exist.invalid/",
    ):
        changed = await door.call("PUT", "/webhooks/server", {"webhookURL": url})
        assert changed["webhookURL"] == url


async def test_urls_in_allowed_networks(allowing: Allowing) -> None:
    """An operator can allow networks, also without TLS; other addresses stay refused."""
    allowed = allowing("127.0.0.0/8")
    for number, url in enumerate(
        ("http://127.0.0.1:8000/", "https://127.1/", "http://localhost:8000/", "http://receiver/")
    ):
        await allowed.post("/webhooks", {"id": f"w{number}", "name": "W", "webhookURL": url})
    for url in ("http://10.0.0.1/", "https://10.0.0.1/", "http://1.1.1.1/", "https://[::1]/"):
        body = {"id": "other", "name": "Other", "webhookURL": url}
        details = await allowed.refused(
            "POST", "/webhooks", body, status=400, code="ERR_BAD_REQUEST"
        )
        assert list(details) == ["webhookURL"]


async def test_a_url_that_is_no_longer_allowed(world: World, allowing: Allowing) -> None:
    """Other fields of a webhook can be changed when its URL is not allowed any more."""
    url = "http://10.0.0.1/"
    await allowing("10.0.0.0/8").post(
        "/webhooks", {"id": "server", "name": "My server", "webhookURL": url}
    )

    changed = await world.put("/webhooks/server", {"enabled": False, "webhookURL": url})
    assert (changed["enabled"], changed["webhookURL"]) == (False, url)

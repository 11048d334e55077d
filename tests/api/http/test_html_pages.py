"""No HTML page has what comes from outside as markup; unsubscribing takes whole links only."""

import base64
import json
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any
from urllib.parse import quote

import pytest
from tests.engines import one_engine
from tests.wire import Answer, Asked, InProcess
from tests.world import Node, World

from hubbub.domain.notifications.unsubscribe import PATH, Subscriber, unsubscribe_url
from hubbub.http.app import make_app
from hubbub.realtime.contract.page import add_realtime_contract
from hubbub.records.notifications.sending.digests import list_unsubscribed
from hubbub.records.users.store import find_numbers
from hubbub.rest.operations import OPERATIONS
from hubbub.runtime import Runtime

MARKUP = "\"'><x9 onload=x9()>&x9;"
HTML = "text/html"
NAMES = (
    "Host",
    "X-Forwarded-Host",
    "X-Forwarded-Proto",
    "Referer",
    "User-Agent",
    "Accept-Language",
)
ADDRESS = "https://chat.example"


class Reader(HTMLParser):
    """Finds what came from outside as an element or an attribute of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = {name for name, _ in attrs}
        if tag == "x9" or "onload" in names:
            self.found.append(self.get_starttag_text() or tag)


async def token_of(runtime: Runtime, app_id: str, uid: str) -> str:
    """Return the token in the link that a user is sent."""
    found = await runtime.database.read(app_id, lambda snapshot: find_numbers(snapshot, [uid]))
    settings = replace(runtime.settings, public_url=ADDRESS)
    named = replace(runtime, settings=settings)
    url = unsubscribe_url(named, Subscriber(app_id, uid, "email", found[uid]))
    return url.removeprefix(f"{ADDRESS}{PATH}/")


async def refusing(runtime: Runtime, app_id: str) -> set[str]:
    """Return which of Anna and Ben want no e-mails."""
    return await runtime.database.read(
        app_id, lambda snapshot: list_unsubscribed(snapshot, "email", ["anna", "ben"])
    )


async def call(node: Node, method: str, path: str, **headers: str) -> Answer:
    """Return the answer to a request without credentials."""
    return await node.sender.send(Asked(method, path, headers))


def check_inert(answer: Answer) -> None:
    """Check that an answer that browsers render as a page has no markup from outside."""
    assert answer.headers["content-type"].startswith(("application/json", HTML)), answer.headers
    if answer.headers["content-type"].startswith(HTML):
        reader = Reader()
        reader.feed(answer.body.decode())
        assert reader.found == []
        assert "default-src 'none'" in answer.headers["content-security-policy"]


async def test_a_link_with_anything_added_is_none(node: Node, world: World) -> None:
    """A link is taken as it was sent; one with characters that a decoder would skip is unknown."""
    await world.user("anna")
    token = await token_of(node.runtime, world.app_id, "anna")
    assert (await call(node, "GET", f"{PATH}/{token}")).status == 200

    for added in (
        quote(MARKUP, safe=""),
        quote(f"=={MARKUP}", safe="="),
        "%20",
        "%0A",
        "=",
        "==",
        ".",
        "*",
        "+",
        "%2F",
        "A",
        "é",
    ):
        for bad in (f"{token}{added}", f"{added}{token}", f"{token[:9]}{added}{token[9:]}"):
            for method, after in (("GET", ""), ("POST", ""), ("POST", "/again")):
                answer = await call(node, method, f"{PATH}/{quote(bad, safe='%')}{after}")
                check_inert(answer)
                assert answer.status == 404, bad
    assert await refusing(node.runtime, world.app_id) == set()


@one_engine
@pytest.mark.parametrize("uid", ["a", "a" * 4, "a" * 7])
async def test_every_page_escapes(node: Node, world: World, uid: str) -> None:
    """Whatever is put into the path, the query or a header, no page has it as markup."""
    await world.user(uid)
    token = await token_of(node.runtime, world.app_id, uid)  # padded in each of the ways
    settings = replace(node.runtime.settings, realtime_origins=f"https://a.example/{MARKUP}")
    runtime = replace(node.runtime, settings=settings)
    app = make_app(runtime, OPERATIONS)
    add_realtime_contract(app.routes, settings)
    node = replace(node, runtime=runtime, sender=InProcess(app))
    bad = quote(MARKUP, safe="")
    pages = 0
    for route in app.routes:
        for method in sorted(route.endpoints):
            path = route.path.replace("{token}", token)
            for shown in {
                path,
                f"{path}?x={bad}&token={bad}",
                f"{path}{bad}",
                f"{path}=={bad}",
                f"{path}/{bad}",
            }:
                filled = shown.replace("{", bad + "{")
                headers = dict.fromkeys(NAMES, MARKUP)
                answer = await call(node, method, quote(filled, safe="/?&=%"), **headers)
                if answer.headers.get("content-type", "").startswith(HTML):
                    pages += 1
                    check_inert(answer)
    assert pages > 10


async def test_a_link_is_of_one_user(node: Node, world: World) -> None:
    """The link of a deleted user does nothing to a later user with the same uid."""
    await world.user("anna")
    old = await token_of(node.runtime, world.app_id, "anna")
    await world.delete("/users/anna", {"permanent": True})
    await world.user("anna")

    await call(node, "POST", f"{PATH}/{old}")
    assert await refusing(node.runtime, world.app_id) == set()
    new = await token_of(node.runtime, world.app_id, "anna")
    await call(node, "POST", f"{PATH}/{new}")
    assert await refusing(node.runtime, world.app_id) == {"anna"}
    await call(node, "POST", f"{PATH}/{old}/again")
    assert await refusing(node.runtime, world.app_id) == {"anna"}
    await call(node, "POST", f"{PATH}/{new}/again")
    assert await refusing(node.runtime, world.app_id) == set()


async def test_links_of_earlier_versions(node: Node, world: World) -> None:
    """A link that names the user by uid alone goes on working: it is in mails that were sent."""
    await world.user("ben")
    sealed: dict[str, Any] = {"app_id": world.app_id, "uid": "ben", "channel": "email"}
    text = node.runtime.sealer.seal(json.dumps(sealed), "unsubscribe")
    token = base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    assert (await call(node, "POST", f"{PATH}/{token}")).status == 200
    assert await refusing(node.runtime, world.app_id) == {"ben"}


@one_engine
@pytest.mark.parametrize("name", NAMES)
async def test_errors_are_no_pages(node: Node, name: str) -> None:
    """An error that names the path is JSON, which browsers do not render."""
    answer = await call(node, "GET", f"/{quote(MARKUP)}", **{name: MARKUP})

    assert answer.status in {400, 404}
    assert answer.headers["content-type"].startswith("application/json")

"""Pages beside the interface: the reference, the landing page, the health checks."""

import gzip
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import httpx2
import pytest
from tests.api.http.test_examples import CountedIds
from tests.clock import ManualClock
from tests.conftest import NewSettings
from tests.contract import load_contract
from tests.engines import one_engine
from tests.live import LiveNode
from tests.wire import Answer, Asked, InProcess
from tests.world import Node

from hubbub.bootstrap import open_runtime
from hubbub.config import Settings
from hubbub.http.app import make_app
from hubbub.http.contract.errors import list_error_codes
from hubbub.http.pages.reference.outline import OTHERS, WORDS, tag_groups
from hubbub.http.pages.reference.page import FILES, guides_
from hubbub.kernel.errors import Unavailable
from hubbub.realtime.contract.document import build_asyncapi
from hubbub.rest.operations import OPERATIONS

PAGES = ("/", "/docs")
ASSETS = tuple(FILES)
DOCUMENTS = ("/v3/openapi.json",)
ELSEWHERE = re.compile(r"(?:https?:)?//(?!127\.0\.0\.1)[a-z0-9]", re.IGNORECASE)
VOID = {"input", "link", "meta", "wbr"}


class Reader(HTMLParser):
    """Parses a page, and fails where its elements are not closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, name: str) -> list[str]:
        """Return every value of an attribute."""
        return [
            value or "" for _, given in self.elements for key, value in given.items() if key == name
        ]


async def get(node: Node, path: str, **headers: str) -> Answer:
    """Return the answer to a GET without credentials."""
    return await node.sender.send(Asked("GET", path, headers))


async def read_page(node: Node, path: str) -> Reader:
    """Return a parsed page."""
    answer = await get(node, path)
    assert answer.status == 200
    return Reader(answer.body.decode())


@one_engine
async def test_links_within_a_page_lead_somewhere(node: Node) -> None:
    """Every anchor that is linked to exists, once."""
    for path in PAGES:
        page = await read_page(node, path)

        ids = page.all("id")
        assert len(ids) == len(set(ids))
        assert {link[1:] for link in page.all("href") if link.startswith("#")} <= set(ids)


@one_engine
async def test_the_reference_has_everything(node: Node) -> None:
    """Each operation, each error code and each shape that is linked to has its place."""
    page = await read_page(node, "/docs")

    ids = set(page.all("id"))
    assert {entry.name for entry in OPERATIONS} <= ids
    assert {each.code for each in list_error_codes()} <= ids
    assert "shape-User" in ids


def test_every_area_is_listed_once() -> None:
    """Each area of the interface has one place in the contents, the most used ones first."""
    tags = [tag["name"] for tag in load_contract().document["tags"]]
    groups = dict(tag_groups(tags))

    listed = [tag for tags in groups.values() for tag in tags]
    assert sorted(listed) == sorted(tags)
    assert listed[0] == "Messages"
    assert OTHERS not in groups, "give the new area a place in GROUPS"


@one_engine
async def test_words_of_newcomers_lead_somewhere(node: Node) -> None:
    """The words are those of guides and operations that exist."""
    headings = {heading for heading, _ in guides_()}

    assert headings | {entry.name for entry in OPERATIONS} >= WORDS.keys()


@one_engine
async def test_the_reference_says_what_the_document_says(node: Node) -> None:
    """No word of an operation is lost."""
    text = " ".join((await read_page(node, "/docs")).text.split())

    for entry in OPERATIONS:
        for part in (entry.summary, *entry.description.split("\n\n")):
            assert " ".join(part.replace("`", "").removesuffix(".").split()) in text, entry.name


@one_engine
async def test_samples_name_the_port_of_the_server(new_settings: NewSettings) -> None:
    """The documents name the port on which the server listens."""
    async with open_runtime(new_settings(port=9321), ManualClock(), CountedIds()) as runtime:
        sender = InProcess(make_app(runtime, OPERATIONS))
        document = (await sender.send(Asked("GET", "/v3/openapi.json", {}))).json

    assert document["servers"][0]["variables"]["host"]["default"] == "localhost:9321"
    sockets = build_asyncapi(replace(Settings(), port=9321))["servers"]["local"]
    assert sockets["host"] == "localhost:9321"


@one_engine
@pytest.mark.parametrize("path", [*PAGES, *ASSETS])
async def test_a_page_may_load_and_call_only_what_is_ours(node: Node, path: str) -> None:
    """The policy of pages and their files allows scripts of this server, and calls to it only."""
    answer = await get(node, path)

    policy = {
        name: rest
        for name, _, rest in (
            part.strip().partition(" ")
            for part in answer.headers["content-security-policy"].split(";")
        )
    }
    assert answer.status == 200
    assert {policy[name] for name in ("default-src", "base-uri", "frame-ancestors")} == {"'none'"}
    assert {policy["script-src"], policy["connect-src"]} == {"'self'"}
    assert "//" not in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"


@one_engine
@pytest.mark.parametrize("path", PAGES)
async def test_a_page_holds_no_script_or_style_of_its_own(node: Node, path: str) -> None:
    """Scripts and styles are files; no element has a handler or a style in it."""
    page = await read_page(node, path)

    scripts = [given for name, given in page.elements if name == "script"]
    expected = {"/": [], "/docs": ["/docs/reference.js"]}
    assert [given["src"] for given in scripts] == expected[path]
    assert "style" not in {name for name, _ in page.elements}
    attributes = {key for _, given in page.elements for key in given}
    assert not [key for key in attributes if key == "style" or key.startswith("on")]


@one_engine
@pytest.mark.parametrize("path", PAGES)
async def test_a_page_names_no_other_place(node: Node, path: str) -> None:
    """No page refers to another server."""
    page = await read_page(node, path)

    assert ELSEWHERE.findall(" ".join(page.all("href") + page.all("src"))) == []


@one_engine
@pytest.mark.parametrize("path", [*PAGES, *ASSETS, *DOCUMENTS])
async def test_content_is_compressed_for_who_accepts_it(node: Node, path: str) -> None:
    """With `Accept-Encoding: gzip` the same bytes come compressed; caches tell both apart."""
    plain = await get(node, path)
    packed = await get(node, path, **{"accept-encoding": "br, gzip;q=0.8"})

    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < len(plain.body)
    assert plain.headers["vary"] == packed.headers["vary"] == "Accept-Encoding"
    assert plain.headers["etag"] != packed.headers["etag"]


@one_engine
@pytest.mark.parametrize(
    "accepted", ["", "br", "gzip;q=0", "gzip;q=0.000, br", "xgzip", "identity", "gzip;q=0.00 , x"]
)
async def test_content_is_plain_for_others(node: Node, accepted: str) -> None:
    """Without gzip among the accepted encodings, content comes as it is."""
    answer = await get(node, "/docs", **{"accept-encoding": accepted})

    assert "content-encoding" not in answer.headers
    assert b"<!doctype html>" in answer.body


@one_engine
@pytest.mark.parametrize("path", [*PAGES, *ASSETS, *DOCUMENTS])
async def test_content_that_the_reader_has_is_not_sent_again(node: Node, path: str) -> None:
    """A request with the current entity tag is answered 304, and any other one in full."""
    for accepted in ({}, {"accept-encoding": "gzip"}):
        first = await get(node, path, **accepted)
        tags = f'"old", W/{first.headers["etag"]}'
        again = await get(node, path, **accepted, **{"if-none-match": tags})
        other = await get(node, path, **accepted, **{"if-none-match": '"old"'})

        assert (again.status, again.body) == (304, b"")
        assert again.headers["etag"] == first.headers["etag"]
        assert (other.status, other.body) == (200, first.body)


@one_engine
async def test_browsers_ask_whether_content_has_changed(node: Node) -> None:
    """A page that was kept is asked for again, which costs little if it is the same."""
    for path in (*PAGES, *ASSETS, *DOCUMENTS):
        assert (await get(node, path)).headers["cache-control"] == "no-cache"


@one_engine
@pytest.mark.parametrize("path", PAGES)
async def test_what_a_page_asks_for_is_served(node: Node, path: str) -> None:
    """Every link and file of a page exists."""
    page = await read_page(node, path)
    wanted = {link for link in page.all("href") + page.all("src") if not link.startswith("#")}
    assert wanted, "the page must link something for this test to mean anything"

    for link in wanted:
        assert (await get(node, link)).status == 200, link


@pytest.mark.parametrize(("check", "status"), [("live", "live"), ("ready", "ready")])
async def test_a_node_that_works_says_so(node: Node, check: str, status: str) -> None:
    """Both health checks answer 200 while all is well."""
    answer = await get(node, f"/health/{check}")

    assert answer.status == 200
    assert answer.json["status"] == status


async def test_files_that_other_nodes_do_not_see(live: LiveNode) -> None:
    """On PostgreSQL a folder for files is doubtful: log and health check say so, not where."""
    answer = httpx2.get(f"{live.address}/health/ready", trust_env=False).json()
    is_doubtful = bool(live.database_url)

    assert ("--files" in str(answer.get("warnings"))) == is_doubtful
    assert str(live.data) not in str(answer)
    assert ("doubtful_setting" in live.output) == is_doubtful


class StoreAway:
    """A database that never answers."""

    def __init__(self, failure: Exception) -> None:
        self._failure = failure

    async def read(self, app_id: str, reading: object) -> None:
        raise self._failure


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (Unavailable("The store can't be reached at the moment."), "can't be reached"),
        (TimeoutError(), "did not answer within 5 seconds"),
    ],
)
async def test_a_node_without_its_store_is_not_ready(
    node: Node, failure: Exception, reason: str
) -> None:
    """While the store is not reachable, a node is live but not ready, and gives the reason."""
    database: Any = StoreAway(failure)
    sender = InProcess(make_app(replace(node.runtime, database=database), OPERATIONS))
    ready = await sender.send(Asked("GET", "/health/ready"))
    live = await sender.send(Asked("GET", "/health/live"))

    assert live.status == 200
    assert ready.status == 503
    assert ready.json["status"] == "not ready"
    assert reason in ready.json["reason"]
    assert ready.headers["retry-after"] == "1"

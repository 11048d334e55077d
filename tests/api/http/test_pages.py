"""Pages beside the interface: the reference, the landing page, the health checks."""

import gzip
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.contract import load_contract
from tests.live import LiveNode
from tests.wire import Answer, Asked, InProcess
from tests.world import Node

from hubbub.http.app import make_app
from hubbub.http.operation import Operation
from hubbub.http.pages import reference as pages
from hubbub.http.pages.reference import FILES
from hubbub.http.pages.reference.files import VIEWER
from hubbub.kernel.errors import Unavailable
from hubbub.rest.operations import OPERATIONS

PAGES = ("/", "/docs")
ASSETS = tuple(FILES)
DOCUMENTS = ("/v3/openapi.json", "/docs/openapi.json")
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


def described(entry: Operation) -> Any:
    """Return an operation of the document."""
    return load_contract().operation(entry.path, entry.method)


async def test_links_within_a_page_lead_somewhere(node: Node) -> None:
    """Every anchor that is linked to exists, once."""
    for path in PAGES:
        page = await read_page(node, path)

        ids = page.all("id")
        assert len(ids) == len(set(ids))
        assert {link[1:] for link in page.all("href") if link.startswith("#")} <= set(ids)


async def test_the_reference_has_every_operation(node: Node) -> None:
    """The document of the reference has all operations and components, with a title each."""
    shown = (await get(node, "/docs/openapi.json")).json
    document = load_contract().document

    assert shown["components"]["schemas"] == document["components"]["schemas"]
    assert {(path, method) for path, each in shown["paths"].items() for method in each} == {
        (entry.path, entry.method.lower()) for entry in OPERATIONS
    }
    assert all(told["summary"] for each in shown["paths"].values() for told in each.values())


async def test_every_area_is_listed_once(node: Node) -> None:
    """Each area of the interface has one place in the contents, the most used ones first."""
    shown = (await get(node, "/docs/openapi.json")).json

    groups = {group["name"]: group["tags"] for group in shown["x-tagGroups"]}
    listed = [tag for tags in groups.values() for tag in tags]
    assert sorted(listed) == sorted(tag["name"] for tag in load_contract().document["tags"])
    assert listed[0] == "Messages"
    assert "More" not in groups, "give the new area a place in GROUPS"


@pytest.mark.parametrize("entry", OPERATIONS, ids=lambda entry: entry.name)
async def test_the_reference_says_what_the_document_says(node: Node, entry: Operation) -> None:
    """No word of an operation is lost, and each of its error codes has an example."""
    shown = (await get(node, "/docs/openapi.json")).json
    operation = shown["paths"][entry.path][entry.method.lower()]
    told = described(entry)

    words = re.sub(r"[`.]", "", f"{operation['summary']} {operation['description']}")
    assert re.sub(r"[`.]", "", told["summary"]) in words
    assert re.sub(r"[`.]", "", told.get("description", "")) in words
    for status, response in told["responses"].items():
        codes = re.findall(r"`(\w*ERR_\w+)`", response.get("description", ""))
        shared = operation["responses"][status].get("$ref", "").rpartition("/")[2]
        full = shown["components"]["responses"].get(shared, operation["responses"][status])
        examples = json.dumps(full.get("content"))
        assert all(code in examples for code in codes)


@pytest.mark.parametrize("path", ["/", "/docs/openapi.json", *ASSETS])
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


@pytest.mark.parametrize("path", PAGES)
async def test_a_page_holds_no_script_or_style_of_its_own(node: Node, path: str) -> None:
    """Scripts and styles are files; no element has a handler or a style in it."""
    page = await read_page(node, path)

    scripts = [given for name, given in page.elements if name == "script"]
    expected = {"/": [], "/docs": [VIEWER, "/docs/reference.js"]}
    assert [given["src"] for given in scripts] == expected[path]
    assert "style" not in {name for name, _ in page.elements}
    attributes = {key for _, given in page.elements for key in given}
    assert not [key for key in attributes if key == "style" or key.startswith("on")]


@pytest.mark.parametrize("path", [*PAGES, "/docs/pages.css", "/docs/reference.js"])
async def test_a_page_names_no_other_place(node: Node, path: str) -> None:
    """No page refers to another server."""
    answer = await get(node, path)

    assert ELSEWHERE.findall(answer.body.decode()) == []


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


@pytest.mark.parametrize(
    "accepted", ["", "br", "gzip;q=0", "gzip;q=0.000, br", "xgzip", "identity", "gzip;q=0.00 , x"]
)
async def test_content_is_plain_for_others(node: Node, accepted: str) -> None:
    """Without gzip among the accepted encodings, content comes as it is."""
    answer = await get(node, "/docs", **{"accept-encoding": accepted})

    assert "content-encoding" not in answer.headers
    assert b"<!doctype html>" in answer.body


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


async def test_only_the_viewer_is_kept_without_asking(node: Node) -> None:
    """Browsers ask for everything again, except for the viewer, whose path has its version."""
    for path in (*PAGES, *ASSETS, *DOCUMENTS):
        caching = (await get(node, path)).headers["cache-control"]
        assert ("immutable" in caching) == (path == VIEWER), path
        assert path == VIEWER or caching == "no-cache"


def test_the_viewer_is_the_pinned_one() -> None:
    """The script has the recorded hash, and its licences are of the recorded version."""
    folder = Path(pages.__file__).parent / "viewer"
    pin = json.loads((folder / "viewer.json").read_text())
    script = gzip.decompress((folder / "viewer.js.gz").read_bytes())
    licences = (folder / "LICENSES.txt").read_text()

    assert hashlib.sha256(script).hexdigest() == pin["sha256"]
    assert licences.startswith(f"{pin['package']}@{pin['version']}: ")
    assert not re.search(r"\bGPL|\bAGPL|UNLICENSED|SEE LICENSE", licences)


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

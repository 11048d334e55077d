"""Pages beside the interface: the reference, the landing page, the health checks."""

import copy
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import httpx2
import pytest
from jsonschema import Draft202012Validator
from tests.contract import load_contract
from tests.live import LiveNode
from tests.wire import Answer, Asked, InProcess
from tests.world import Node

from hubbub.http.app import make_app
from hubbub.http.contract.reference_page import reference_page
from hubbub.http.contract.reference_page.examples import Example, make_example
from hubbub.http.contract.reference_page.markup import el, prose
from hubbub.http.contract.reference_page.shapes import Shapes
from hubbub.http.decode import decode_body, decode_query
from hubbub.http.operation import Operation
from hubbub.kernel.errors import Unavailable
from hubbub.rest.operations import OPERATIONS

PAGES = ("/", "/docs")
ASSETS = ("/docs/reference.css", "/docs/reference.js", "/docs/icon.svg")
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


async def get(node: Node, path: str) -> Answer:
    """Return the answer to a GET without credentials."""
    return await node.sender.send(Asked("GET", path))


async def read_page(node: Node, path: str) -> Reader:
    """Return a parsed page."""
    answer = await get(node, path)
    assert answer.status == 200
    return Reader(answer.body.decode())


def described(entry: Operation) -> Any:
    """Return an operation of the document."""
    return load_contract().document["paths"][entry.path][entry.method.lower()]


def example_of(entry: Operation) -> Example:
    """Return the example in the reference."""
    document = load_contract().document
    shapes = Shapes(document["components"]["schemas"])
    return make_example(entry, described(entry), shapes, "/v3")


async def test_the_reference_lists_every_operation(node: Node) -> None:
    """Each declared operation has its own anchor, and a link to it in the contents."""
    page = await read_page(node, "/docs")

    articles = [given["id"] for name, given in page.elements if name == "article"]
    assert sorted(entry.name for entry in OPERATIONS) == sorted(map(str, articles))
    assert {f"#{entry.name}" for entry in OPERATIONS} <= set(page.all("href"))


async def test_links_within_a_page_lead_somewhere(node: Node) -> None:
    """Every anchor that is linked to exists, once."""
    page = await read_page(node, "/docs")

    ids = page.all("id")
    assert len(ids) == len(set(ids))
    assert {link[1:] for link in page.all("href") if link.startswith("#")} <= set(ids)


@pytest.mark.parametrize("entry", OPERATIONS, ids=lambda entry: entry.name)
async def test_the_reference_says_what_the_document_says(node: Node, entry: Operation) -> None:
    """The page has an operation's summary, path, fields, parameters, statuses and error codes."""
    html = (await get(node, "/docs")).body.decode()
    start = html.index(f'<article class="operation" id="{entry.name}"')
    article = Reader(html[start : html.index("</article>", start) + len("</article>")]).text
    told = described(entry)

    assert told["summary"].removesuffix(".").replace("`", "") in article
    assert f"{entry.method} /v3{entry.path}" in article
    for parameter in told["parameters"]:
        assert parameter["name"] in article
    for status, response in told["responses"].items():
        assert status in article
        assert all(
            code in article for code in re.findall(r"`(\w*ERR_\w+)`", response["description"])
        )
    for name in fields_of(told):
        assert name in article


def fields_of(told: dict[str, Any]) -> set[str]:
    """Return the names of the fields of a body, of its answer, and of the shapes in them."""
    shapes = Shapes(load_contract().document["components"]["schemas"])
    contents = [told.get("requestBody", {}).get("content"), told["responses"]["200"]["content"]]
    schemas = [content["application/json"]["schema"] for content in contents if content]
    fields = [field for schema in schemas for field in shapes.fields(schema)]
    inner = [shapes.inner(field.schema) for field in fields]
    deeper = [field for shape in inner if shape is not None for field in shapes.fields(shape)]
    return {field.name for field in (*fields, *deeper)}


@pytest.mark.parametrize("entry", OPERATIONS, ids=lambda entry: entry.name)
def test_an_example_fits_the_shapes(entry: Operation) -> None:
    """The example of an operation is a request that the server accepts as well-formed."""
    example = example_of(entry)

    assert "…" not in example.path
    if entry.body is not None:
        decode_body(json.dumps(example.body).encode(), entry.body)
        schema = described(entry)["requestBody"]["content"]["application/json"]["schema"]
        components = load_contract().document["components"]
        Draft202012Validator({**schema, "components": components}).validate(example.body)
    if entry.query is not None:
        decode_query(example.target.partition("?")[2], entry.query)


async def test_an_example_that_is_sent_does_what_it_says(node: Node) -> None:
    """The examples of the first steps work in sequence, unchanged."""
    by_name = {entry.name: entry for entry in OPERATIONS}
    world = await node.world()
    steps = (
        "create_user", "import_groups", "import_members", "import_messages", "list_users",
        "get_user", "send_message", "list_user_messages", "list_group_messages",
        "update_contact_details", "create_authtoken", "create_apikey", "deactivate_users",
        "reactivate_users",
    )  # fmt: skip
    await world.user("ben")

    for name in steps:
        example = example_of(by_name[name])
        path = example.target.removeprefix("/v3")
        as_ = example.headers.get("onBehalfOf")
        data = await world.call(example.method, path, example.body, as_=as_)
        if name.startswith("import"):
            assert all(row["success"] for row in data.values()), data


@pytest.mark.parametrize("path", [*PAGES, *ASSETS])
async def test_a_page_may_load_only_what_is_ours(node: Node, path: str) -> None:
    """Pages and their files have a policy that allows only our own scripts and styles."""
    answer = await get(node, path)

    policy = {
        name: rest
        for name, _, rest in (
            part.strip().partition(" ")
            for part in answer.headers["content-security-policy"].split(";")
        )
    }
    assert answer.status == 200
    assert policy["default-src"] == "'none'"
    assert {policy[f"{kind}-src"] for kind in ("script", "style", "img")} == {"'self'"}
    assert policy["frame-ancestors"] == "'none'"
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", PAGES)
async def test_a_page_holds_no_script_or_style_of_its_own(node: Node, path: str) -> None:
    """Scripts and styles are files; no element has a handler or a style in it."""
    page = await read_page(node, path)

    scripts = [given for name, given in page.elements if name == "script"]
    assert [given["src"] for given in scripts] == ["/docs/reference.js"]
    assert "style" not in {name for name, _ in page.elements}
    attributes = {key for _, given in page.elements for key in given}
    assert not [key for key in attributes if key == "style" or key.startswith("on")]


@pytest.mark.parametrize("path", [*PAGES, "/docs/reference.css", "/docs/reference.js"])
async def test_a_page_names_no_other_place(node: Node, path: str) -> None:
    """No page refers to another server."""
    answer = await get(node, path)

    assert ELSEWHERE.findall(answer.body.decode()) == []


@pytest.mark.parametrize("path", PAGES)
async def test_what_a_page_asks_for_is_served(node: Node, path: str) -> None:
    """Every link and file of a page exists."""
    page = await read_page(node, path)
    wanted = {link for link in page.all("href") + page.all("src") if not link.startswith("#")}
    assert wanted, "the page must link something for this test to mean anything"

    for link in wanted:
        assert (await get(node, link)).status == 200, link


def test_everything_on_the_reference_is_escaped() -> None:
    """Text of the document never becomes markup of the page."""
    document = load_contract().document
    harmless = Reader(reference_page(document, OPERATIONS))
    poison = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>&lt;"
    hurt = Reader(reference_page(poisoned(copy.deepcopy(document), poison), OPERATIONS))

    assert "<script>alert(1)</script>" in hurt.text
    assert [name for name, _ in hurt.elements] == [name for name, _ in harmless.elements]
    assert {key for _, given in hurt.elements for key in given} == {
        key for _, given in harmless.elements for key in given
    }


def poisoned(value: Any, poison: str, key: str = "") -> Any:
    """Return a document with markup added to each of its texts."""
    if isinstance(value, dict):
        return {name: poisoned(item, poison, name) for name, item in value.items()}
    if isinstance(value, list):
        return [poisoned(item, poison, key) for item in value]
    is_text = key in {"summary", "description", "enum", "pattern", "version"}
    return value + poison if is_text and isinstance(value, str) else value


def test_markup_escapes_text_and_attributes() -> None:
    """Text becomes markup only through an element."""
    assert el("p", "a < b & c") == "<p>a &lt; b &amp; c</p>"
    assert el("a", "x", href='"><b>') == '<a href="&quot;&gt;&lt;b&gt;">x</a>'
    assert el("p", el("b", "<"), ["&", None]) == "<p><b>&lt;</b>&amp;</p>"
    assert el("input", hidden=True, id=None) == "<input hidden>"
    assert prose("see `<a>` & b") == "see <code>&lt;a&gt;</code> &amp; b"


@pytest.mark.parametrize(("check", "status"), [("live", "live"), ("ready", "ready")])
async def test_a_node_that_works_says_so(node: Node, check: str, status: str) -> None:
    """Both health checks answer 200 while all is well."""
    answer = await get(node, f"/health/{check}")

    assert answer.status == 200
    assert answer.json["status"] == status


async def test_files_that_other_nodes_do_not_see(live: LiveNode) -> None:
    """On PostgreSQL a folder for files is doubtful: the log and the health check say so."""
    answer = httpx2.get(f"{live.address}/health/ready", trust_env=False).json()
    is_doubtful = bool(live.database_url)

    assert ("--files" in str(answer.get("warnings"))) == is_doubtful
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

"""What holds for all pages of the console: policy, size, escaping, no answer in parts."""

import gzip
import re
from html.parser import HTMLParser

from msgspec.inspect import StrType, StructType, type_info
from tests.console.conftest import SignIn
from tests.console.visitors import Visitor
from tests.engines import one_engine
from tests.wire import InProcess
from tests.world import Node, World

from hubbub.console.page import PAGES, PageForm
from hubbub.console.site import STATIC
from hubbub.records.operators.model import OperatorRole

MOST_BYTES = 60 * 1024
"""All scripts and style sheets, compressed."""
FORBIDDEN = ("onclick", "onload", "onerror", "style", "hx-on", "srcdoc")
EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"


class Elements(HTMLParser):
    """The elements of a page with their attributes; it fails where they are not closed in order."""

    VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag, tag


async def test_all_answers_have_the_policy(signed_in: SignIn, console: InProcess) -> None:
    """No script in a page runs, no other site frames it or reads it, no cache keeps it."""
    visitor = await signed_in()
    answers = [
        await visitor.ask("GET", "/console"),
        await visitor.ask("GET", "/console/apps/none"),
        await visitor.ask("POST", "/console/apps", b"csrf=x"),
        await visitor.ask("POST", "/console/apps", f"csrf={await visitor.csrf()}".encode()),
        await visitor.ask("GET", "/console/audit/save"),
        await Visitor(console).ask("GET", "/console/sign-in"),
        await Visitor(console).ask("GET", "/console"),
    ]

    assert [each.status for each in answers] == [200, 404, 403, 400, 200, 200, 303]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in answer.headers


async def test_no_page_of_another_origin_may_read_the_console(signed_in: SignIn) -> None:
    """Unlike the interface, the console allows no origin, also not to ask whether it may."""
    visitor = await signed_in()
    for method in ("GET", "OPTIONS"):
        answer = await visitor.ask(
            method, "/console/apps", headers={"origin": "https://evil.example"}
        )

        assert "access-control-allow-origin" not in answer.headers


@one_engine
async def test_the_files_are_small(console: InProcess) -> None:
    """All that a browser loads beside the pages has less than 60 KB, compressed."""
    answers = [
        await Visitor(console).ask(
            "GET", f"/console/static/{name}", headers={"accept-encoding": "gzip"}
        )
        for name in STATIC
    ]

    assert all(gzip.decompress(each.body) for each in answers)
    assert sum(len(each.body) for each in answers) < MOST_BYTES


@one_engine
async def test_pages_are_well_formed(signed_in: SignIn, world: World) -> None:
    """Elements are closed, ids are unique, fields have labels; nothing runs or styles inline."""
    visitor = await signed_in()
    for (method, path), page in PAGES.items():
        if method != "GET" or page.is_live or re.sub(r"\{app\}", "", path).count("{"):
            continue
        html = await visitor.get(path.replace("{app}", world.app_id))
        if not visitor.answer.headers["content-type"].startswith("text/html"):
            continue
        elements = Elements(html).found
        ids = [given["id"] for _, given in elements if "id" in given]
        labelled = {given.get("for") for tag, given in elements if tag == "label"}

        assert len(ids) == len(set(ids)), path
        for tag, given in elements:
            assert not set(given) & set(FORBIDDEN), (path, tag, given)
            assert tag != "script" or given.get("src"), path
            if tag in ("input", "select", "textarea") and given.get("type") not in (
                "hidden",
                "checkbox",
                "radio",
            ):
                assert given.get("id") in labelled or "aria-label" in given, (path, given)


async def test_what_people_write_is_only_text(signed_in: SignIn, node: Node) -> None:
    """Markup in names, and in what was entered wrongly, is shown as text."""
    visitor = await signed_in()
    await visitor.post("/apps", {"name": EVIL, "id": f"app-{node.runtime.ids.hexadecimal(8)}"})
    where = visitor.answer.headers["location"].removeprefix("/console")
    refused = await visitor.post("/apps", {"name": EVIL, "id": "-"}, status=400)
    pages = [
        await visitor.get(where),
        await visitor.get("/apps?search=%3Cscript%3Ealert(1)"),
        await visitor.get("/audit?subject=%22%3E%3Cscript%3E"),
        refused,
    ]

    assert "&lt;script&gt;alert(1)" in pages[0]
    for html in pages:
        tags = [tag for tag, given in Elements(html).found if not (tag == "script" and given)]
        assert "img" not in tags
        assert "script" not in tags


async def test_a_refused_form_is_shown_again(signed_in: SignIn) -> None:
    """A refused form has what was entered, and the reason why it was refused."""
    visitor = await signed_in()

    page = await visitor.post("/apps", {"name": "Kept", "id": "Not an id"}, status=400)

    assert 'value="Kept"' in page
    assert "The id must be 1 to 63 of a-z" in page


@one_engine
async def test_malformed_requests_are_refused(signed_in: SignIn) -> None:
    """A body that is no form, too large, or not UTF-8 is refused, and no request fails."""
    visitor = await signed_in()
    token = (await visitor.csrf()).encode()
    for body, headers, status in (
        (b'{"csrf": "x"}', {"content-type": "application/json"}, 400),
        (b"csrf=" + token + b"&name=" + b"x" * 300_000, {}, 413),
        (b"csrf=" + token + b"&name=%ff", {}, 400),
        (b"csrf=" + token + b"&name=\xff", {}, 400),
        (b"csrf=" + token + b"&name=a%00b", {}, 400),
        (b"csrf=" + token + b"&x=1" * 300, {}, 400),
        (b"csrf=" + token + b"&name=a&region=moon", {}, 400),
        (b"csrf=" + token + b"&name=" + b"x" * 101, {}, 400),
    ):
        answer = await visitor.ask("POST", "/console/apps", body, headers)

        assert answer.status == status, (body[:80], answer)
    for query in ("page=0", "page=x", "page=99999999999", "search=%ff", "search=%00"):
        assert (await visitor.ask("GET", f"/console/apps?{query}")).status == 400, query
    for cookie in ("hubbub_console", "=;;", 'hubbub_console="', "hubbub_console=\x7f"):
        answer = await Visitor(visitor.sender).ask("GET", "/console", headers={"cookie": cookie})
        assert answer.status == 303, cookie


async def test_no_id_makes_a_page_fail(signed_in: SignIn, world: World) -> None:
    """Ids that nothing can have lead to nothing, on every page and with every form."""
    visitor = await signed_in()
    body = f"csrf={await visitor.csrf()}".encode()
    paths = [(method, path) for method, path in PAGES if "{" in path]
    for method, path in [*paths, *((m, p.replace("{app}", world.app_id)) for m, p in paths)]:
        for hostile in ("%00", "x" * 300, "a%2Fb", "%ff", "%F0%9F%98%80") if "{" in path else ():
            asked = re.sub(r"\{\w+\}", hostile, path)
            answer = await visitor.ask(method, f"/console{asked}", body)

            if hostile in ("%00", "x" * 300):
                assert answer.status == 404, (method, asked, answer)


def test_forms_have_limits() -> None:
    """Each text that a form or a query has is limited."""
    types = {each for page in PAGES.values() for each in (page.form, page.query) if each}
    unlimited = []
    for type_ in types:
        assert issubclass(type_, PageForm)
        info = type_info(type_)
        assert isinstance(info, StructType)
        for each in info.fields:
            options = getattr(each.type, "types", (each.type,))
            if any(isinstance(one, StrType) and one.max_length is None for one in options):
                unlimited.append(f"{type_.__name__}.{each.name}")

    assert unlimited == []


async def test_a_change_says_what_was_done(signed_in: SignIn, node: Node) -> None:
    """After a change the next page says so once."""
    visitor = await signed_in(OperatorRole.OWNER)
    app = f"app-{node.runtime.ids.hexadecimal(8)}"

    where = await visitor.post("/apps", {"name": "An app", "id": app})

    path = where.removeprefix("/console")
    assert app in await visitor.notice(path)
    assert 'role="status"' not in await visitor.get(path)

"""The page about the sockets, rendered from the AsyncAPI document: plain HTML without a script.

And the routes of both.
"""

import json
from collections.abc import Iterator
from functools import cached_property
from html import escape
from importlib.resources import files
from typing import Any

from hubbub.config import Settings
from hubbub.http.answer import JSON
from hubbub.http.contract.fields import Fields
from hubbub.http.contract.schemas import Schema
from hubbub.http.operation import PREFIXES
from hubbub.http.pages.content import CompressedContent
from hubbub.http.pages.markup import anchor, inline, paragraphs, table
from hubbub.http.pages.site import HTML, SECURITY_HEADERS
from hubbub.http.routes import Routes
from hubbub.realtime.contract.document import (
    CHANNEL,
    EPHEMERAL,
    EVENTS,
    METHODS,
    SESSION,
    Document,
    build_asyncapi,
    make_asyncapi,
)

SECTIONS = {
    SESSION: "The frames that begin a session and keep it alive.",
    METHODS: "What clients call: a frame `call` with a `ref`, a `method` and `params`.",
    EVENTS: "What the server tells. Each of these events has an `id` and a `cursor`.",
    EPHEMERAL: "Events that are stored nowhere: they have no `id` and no `cursor`.",
}
FRAME_FIELDS = {"op", "ref", "method", "event"}
"""The fields of all calls, replies and events, which their tables leave out."""


def make_page(settings: Settings) -> bytes:
    """Return the page."""
    page = (files(__package__) / "page.html").read_text()
    return page.replace("{content}", render(build_asyncapi(settings))).encode()


def render(document: Document) -> str:
    """Return the content of the page: headings, texts, tables, examples."""
    return "\n".join(RealtimeRendering(document).parts())


class RealtimeRendering:
    """The parts of the page, in order."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._channel = document["channels"][CHANNEL]
        self._messages = document["components"]["messages"]
        self._fields = Fields(document["components"]["schemas"])

    @cached_property
    def _by_section(self) -> dict[str, dict[str, Any]]:
        sections: dict[str, dict[str, Any]] = {name: {} for name in SECTIONS}
        for name, operation in self._document["operations"].items():
            sections[operation["tags"][0]["name"]][name] = operation
        return sections

    def parts(self) -> Iterator[str]:
        """Yield the parts of the page."""
        yield from paragraphs(self._document["info"]["description"])
        address = f"wss://{{host}}{self._channel['address']}"
        yield f"<pre><code>{escape(address)}</code></pre>"
        yield self._contents()
        for section, text in SECTIONS.items():
            yield f'<h2 id="{anchor(section)}">{section}</h2>'
            yield f"<p>{inline(text)}</p>"
            for name, operation in self._by_section[section].items():
                yield from self._operation(name, operation)
        yield from self._close_codes()
        yield from self._limits()

    def _contents(self) -> str:
        lines = [
            f'<li><a href="#{anchor(section)}">{section}</a>: '
            + ", ".join(f'<a href="#{name}">{name}</a>' for name in operations)
            + "</li>"
            for section, operations in self._by_section.items()
        ]
        lines += ['<li><a href="#close-codes">Close codes</a></li>']
        lines += ['<li><a href="#limits">Limits</a></li>']
        return f'<nav aria-label="Contents"><ul>{"".join(lines)}</ul></nav>'

    def _operation(self, name: str, operation: Document) -> Iterator[str]:
        yield f'<section><h3 id="{name}">{name}</h3>'
        yield from paragraphs(operation["summary"])
        yield from paragraphs(operation.get("description", ""))
        said = [self._resolve(each) for each in operation["messages"]]
        replies = [self._resolve(each) for each in operation.get("reply", {}).get("messages", ())]
        is_method = operation["tags"][0]["name"] == METHODS
        yield self._table(_heading(operation, is_method), _part_of(said[0]["payload"]))
        yield from (_example(each) for each in said)
        for reply in replies:
            if "error" in reply["payload"]["properties"]:
                yield self._codes(reply["payload"])
            else:
                yield self._table("Field of the answer", reply["payload"])
                yield _example(reply)
        yield "</section>"

    def _codes(self, payload: Schema) -> str:
        problem = self._fields.resolve(payload["properties"]["error"])
        codes = self._fields.resolve(problem["properties"]["code"])["enum"]
        return f"<p>Errors: {', '.join(f'<code>{code}</code>' for code in codes)}.</p>"

    def _table(self, heading: str, schema: Schema) -> str:
        rows = [
            [
                f"<code>{escape(each.name)}</code>",
                inline(each.type),
                inline(" ".join(filter(None, [each.text, "Required." * each.is_required]))),
            ]
            for each in self._fields.of(schema)
            if each.name not in FRAME_FIELDS
        ]
        return table([heading, "Type", "Meaning"], rows) if rows else ""

    def _close_codes(self) -> Iterator[str]:
        yield '<h2 id="close-codes">Close codes</h2>'
        yield "<p>With a code of its own the server says why it closes, and what helps.</p>"
        rows = [
            [f"<code>{each['code']}</code>", inline(each["meaning"]), inline(each["then"])]
            for each in self._channel["x-close-codes"]
        ]
        yield table(["Code", "Meaning", "What the client does"], rows)

    def _limits(self) -> Iterator[str]:
        yield '<h2 id="limits">Limits</h2>'
        rows = [[f"{each['value']:,g}", inline(each["text"])] for each in self._channel["x-limits"]]
        yield table(["Limit", "Of what"], rows)

    def _resolve(self, reference: dict[str, str]) -> Document:
        message: Document = self._messages[reference["$ref"].rpartition("/")[2]]
        return message


def _heading(operation: Document, is_method: bool) -> str:
    if is_method:
        return "Parameter"
    return "Field of the event" if "reply" not in operation else "Field"


def _part_of(payload: Schema) -> Schema:
    """Return the part of a frame that its table shows: of a call its parameters."""
    params: Schema | None = payload["properties"].get("params")
    return payload if params is None else params


def _example(message: Document) -> str:
    shown = json.dumps(message["examples"][0]["payload"], indent=2, ensure_ascii=False)
    name = message["examples"][0]["payload"]["op"]
    return (
        f"<details><summary>Example: <code>{name}</code></summary>"
        f"<pre><code>{escape(shown, quote=False)}</code></pre></details>"
    )


def add_realtime_contract(routes: Routes, settings: Settings) -> None:
    """Add the routes of the AsyncAPI document and its page."""
    cors = {"Access-Control-Allow-Origin": "*"}
    document = CompressedContent(JSON, lambda: make_asyncapi(settings), headers=cors)
    for prefix in PREFIXES:
        routes.add(f"{prefix}/asyncapi.json", "GET", document)
    page = CompressedContent(HTML, lambda: make_page(settings), headers=SECURITY_HEADERS)
    routes.add("/docs/realtime", "GET", page)

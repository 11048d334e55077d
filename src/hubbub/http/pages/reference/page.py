"""The reference of the operations, rendered from the OpenAPI document: text that needs no script.

A script adds the search, samples in other languages, and a form that sends a request.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Any

import hubbub
from hubbub.http.contract.errors import list_error_codes
from hubbub.http.contract.fields import Fields
from hubbub.http.contract.schemas import Schema
from hubbub.http.pages.markup import anchor, inline, paragraphs, render_markdown, table
from hubbub.http.pages.reference.outline import WORDS, tag_groups, title_of

Described = dict[str, Any]
JSON, FORM = "application/json", "multipart/form-data"
SHAPES, CODES = "Shapes", "Error codes"
_FOLDER = files(__package__)
TOKENS = (files("hubbub.http.pages") / "tokens.css").read_bytes()
"""The colours, fonts and spaces of all pages, those of the demo chat included."""


def make_reference(document: Described) -> bytes:
    """Return the page."""
    page = (_FOLDER / "reference.html").read_text(encoding="utf-8")
    rendering = ReferenceRendering(document)
    parts = {"{contents}": rendering.contents(), "{content}": "\n".join(rendering.parts())}
    for mark, text in parts.items():
        page = page.replace(mark, text)
    return page.encode()


class ReferenceRendering:
    """The parts of the page, in order."""

    def __init__(self, document: Described) -> None:
        self._document = document
        self._components = document["components"]
        self._fields = Fields(self._components["schemas"])
        self._by_tag: dict[str, list[tuple[str, str, Described]]] = {}
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                row = (method.upper(), path, operation)
                self._by_tag.setdefault(operation["tags"][0], []).append(row)
        self._shown: dict[str, None] = {}
        """The shapes that answers refer to, in the order in which they first did."""

    # The contents

    def contents(self) -> str:
        """Return the list of everything, with links."""
        guides = [f'<li><a href="#{anchor(name)}">{inline(name)}</a></li>' for name, _ in guides_()]
        parts = ["<h2>Guides</h2>", f"<ul>{''.join(guides)}</ul>"]
        for group, tags in tag_groups(list(self._by_tag)):
            parts.append(f"<h2>{group}</h2>")
            parts += [self._contents_of(tag) for tag in tags]
        more = [f'<li><a href="#{anchor(name)}">{name}</a></li>' for name in (CODES, SHAPES)]
        return "\n".join([*parts, "<h2>Look up</h2>", f"<ul>{''.join(more)}</ul>"])

    def _contents_of(self, tag: str) -> str:
        lines = [
            f'<li><a href="#{operation["operationId"]}">{inline(title_of(operation["summary"]))}'
            f"</a></li>"
            for _, _, operation in self._by_tag[tag]
        ]
        return f"<details><summary>{tag}</summary><ul>{''.join(lines)}</ul></details>"

    # The text

    def parts(self) -> Iterator[str]:
        """Yield the parts of the page."""
        yield from render_markdown(opening_())
        for name, text in guides_():
            yield _section(anchor(name), "guide", WORDS.get(name, ""))
            yield f"<h2>{inline(name)}</h2>"
            yield from render_markdown(text)
            yield "</section>"
        about = {tag["name"]: tag["description"] for tag in self._document["tags"]}
        for _, tags in tag_groups(list(self._by_tag)):
            for tag in tags:
                yield f'<h2 id="{anchor(tag)}">{tag}</h2><p>{inline(about[tag])}</p>'
                for method, path, operation in self._by_tag[tag]:
                    yield from self._operation(method, path, operation)
        yield from self._error_codes()
        yield from self._shapes()

    def _operation(self, method: str, path: str, operation: Described) -> Iterator[str]:
        name, summary = operation["operationId"], operation["summary"]
        yield _section(name, "operation", WORDS.get(name, ""), self._data(method, path, operation))
        yield f"<h3>{inline(title_of(summary))}</h3>"
        old = ' <span class="old">deprecated</span>' if operation.get("deprecated") else ""
        yield (
            f'<p class="where"><b class="{method.lower()}">{method}</b> <code>/v3{path}</code>'
            f" <code class=id>{name}</code>{old}</p>"
        )
        if title_of(summary) != summary.removesuffix("."):
            yield from paragraphs(summary)
        yield from paragraphs(operation.get("description", ""))
        yield f"<p>{_callers(operation['security'])}</p>"
        yield '<pre class="sample"><code></code></pre>'
        yield self._parameters(operation["parameters"])
        yield from self._body(operation)
        yield from self._answer(operation)
        yield self._errors(operation["responses"])
        yield "</section>"

    def _data(self, method: str, path: str, operation: Described) -> dict[str, str]:
        """Return what the script needs to know for samples and requests."""
        inputs = [
            {
                "name": each["name"],
                "in": each["in"],
                "required": each["required"],
                **({"example": each["example"]} if "example" in each else {}),
            }
            for each in operation["parameters"]
        ]
        data = {"method": method, "path": path, "inputs": _dense(inputs)}
        content = operation.get("requestBody", {}).get("content", {})
        if content:
            examples = content[JSON].get("examples", {})
            data["body"] = _indented(next(iter(examples.values()), {"value": {}})["value"])
        if FORM in content:
            data["files"] = "file"
        if "key" in operation["security"][0]:
            data["manages"] = "yes"
        return data

    def _parameters(self, parameters: list[Described]) -> str:
        rows = [
            [
                f"<code>{escape(each['name'])}</code>",
                f"{each['in']}, {inline(self._fields.type_of(each['schema']))}",
                _meaning(each.get("description", ""), each["schema"], each["required"]),
            ]
            for each in parameters
        ]
        return table(["Parameter", "Type", "Meaning"], rows) if rows else ""

    def _body(self, operation: Described) -> Iterator[str]:
        body = operation.get("requestBody")
        if body is None:
            return
        yield self._table("Field of the body", body["content"][JSON]["schema"])
        if FORM in body["content"]:
            yield (
                f"<p>With files it is <code>{FORM}</code>: each field is a part of its own, and"
                " each file is a part named <code>file</code>.</p>"
            )
        for name, example in body["content"][JSON].get("examples", {}).items():
            title = "Example" if name == "example" else f"Example: {inline(name)}"
            yield _example(title + " of the body", example["value"])

    def _answer(self, operation: Described) -> Iterator[str]:
        content = operation["responses"]["200"]["content"][JSON]
        schema = self._fields.resolve(content["schema"])
        data = schema.get("properties", {}).get("data", {})
        yield f"<p>The answer: <code>data</code> is {self._linked(data)}"
        yield ", with <code>meta</code>.</p>" if "meta" in schema.get("properties", {}) else ".</p>"
        examples = content.get("examples", {})
        if examples:
            yield _example("Example of the answer", next(iter(examples.values()))["value"])

    def _linked(self, schema: Schema) -> str:
        """Return the type of a value in words, with links to the shapes in it."""
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            self._shown.setdefault(name)
            return f'<a href="#shape-{name}">{name}</a>'
        if "items" in schema:
            return f"a list of {self._linked(schema['items'])}"
        if isinstance(schema.get("additionalProperties"), dict):
            return f"an object by id of {self._linked(schema['additionalProperties'])}"
        options = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
        if options:
            return " or ".join(dict.fromkeys(self._linked(each) for each in options))
        return inline(self._fields.type_of(schema))

    def _errors(self, responses: Described) -> str:
        lines = "".join(
            f'<li>{status} <a href="#{code}"><code>{code}</code></a></li>'
            for status, answer in responses.items()
            if status != "200"
            for code in self._resolve(answer)["content"][JSON]["examples"]
        )
        return f"<details><summary>Errors</summary><ul class=codes>{lines}</ul></details>"

    def _resolve(self, answer: Described) -> Described:
        if "$ref" not in answer:
            return answer
        whole: Described = self._components["responses"][answer["$ref"].rpartition("/")[2]]
        return whole

    def _table(self, heading: str, schema: Schema) -> str:
        rows = [
            [
                f"<code>{escape(each.name)}</code>",
                inline(each.type),
                _meaning(each.text, {}, each.is_required),
            ]
            for each in self._fields.of(schema)
        ]
        return table([heading, "Type", "Meaning"], rows) if rows else ""

    def _error_codes(self) -> Iterator[str]:
        yield f'<h2 id="{anchor(CODES)}">{CODES}</h2>'
        examples = {
            name.partition(".")[0]: each["value"]
            for name, each in self._components["examples"].items()
        }
        known = {each.code: each for each in list_error_codes()}
        for code in sorted({*known, *examples}):
            yield _section(code, "code", "")
            yield f"<h3><code>{code}</code></h3>"
            if code in known:
                statuses = ", ".join(map(str, known[code].statuses))
                yield f"<p>{statuses}: {inline(' '.join(known[code].meanings))}</p>"
            if code in examples:
                yield _example("Example", examples[code])
            yield "</section>"

    def _shapes(self) -> Iterator[str]:
        yield f'<h2 id="{anchor(SHAPES)}">{SHAPES}</h2><p>What answers hold.</p>'
        done: set[str] = set()
        while waiting := [name for name in self._shown if name not in done]:
            for name in waiting:
                done.add(name)
                yield from self._shape(name)

    def _shape(self, name: str) -> Iterator[str]:
        schema = self._components["schemas"][name]
        yield _section(f"shape-{name}", "shape", "")
        yield f"<h3>{name}</h3>"
        yield from paragraphs(schema.get("description", ""))
        if "enum" in schema or "properties" not in schema:
            yield f"<p>{self._linked({k: v for k, v in schema.items() if k != 'description'})}</p>"
        rows = [
            [
                f"<code>{escape(field)}</code>",
                self._linked(each),
                inline(
                    each.get("description") or self._fields.resolve(each).get("description", "")
                ),
            ]
            for field, each in schema.get("properties", {}).items()
        ]
        if rows:
            yield table(["Field", "Type", "Meaning"], rows)
        yield "</section>"


def opening_() -> str:
    """Return what the guides begin with, before the first heading."""
    return _introduction().partition("\n## ")[0]


def guides_() -> Iterator[tuple[str, str]]:
    """Yield the heading and the text of each guide."""
    for part in _introduction().split("\n## ")[1:]:
        heading, _, text = part.partition("\n")
        yield heading, text


def _introduction() -> str:
    return (files(__package__) / "introduction.md").read_text(encoding="utf-8")


def _section(id_: str, kind: str, words: str, data: dict[str, str] | None = None) -> str:
    given = {"words": words, **(data or {})}
    rest = "".join(f' data-{name}="{escape(text)}"' for name, text in given.items() if text)
    return f'<section id="{id_}" class="{kind}"{rest}>'


def _callers(security: list[dict[str, list[str]]]) -> str:
    ways = [" and ".join(f"<code>{name}</code>" for name in way) for way in security]
    return f"Call it with {' or '.join(ways)}."


def _meaning(text: str, schema: Schema, is_required: bool) -> str:
    default = f"The default is `{json.dumps(schema['default'])}`." if "default" in schema else ""
    return inline(" ".join(filter(None, [text, default, "Required." * is_required])))


def _example(title: str, value: Any) -> str:
    text = escape(_indented(value), quote=False)
    return f"<details><summary>{title}</summary><pre><code>{text}</code></pre></details>"


def _indented(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _dense(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class File:
    """A file of the pages; a style sheet begins with what all pages share."""

    name: str
    content_type: str
    before: bytes = b""

    def read(self) -> bytes:
        """Return the content."""
        return self.before + (_FOLDER / self.name).read_bytes()


FILES = {
    "/docs/reference.js": File("reference.js", "text/javascript; charset=utf-8"),
    "/docs/pages.css": File("pages.css", "text/css; charset=utf-8", TOKENS),
    "/docs/icon.svg": File("icon.svg", "image/svg+xml"),
}
"""The files by the path under which they are served."""


def landing_page() -> bytes:
    """Return the page at `/`: the version of the server, and links."""
    page = (_FOLDER / "landing.html").read_text()
    return page.replace("{version}", hubbub.__version__).encode()

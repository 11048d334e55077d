"""Make the pages of the site that have no file: the operations by area, and the error codes.

A hook of MkDocs. Links from the documents to files outside `docs/` lead to no page of the site, so
they become plain text there.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import hubbub.http.app  # declares the codes of requests that reach no operation
import hubbub.moving.apply.rows  # noqa: F401  # declares those of refused rows
from hubbub.config import Settings
from hubbub.http.contract.errors import list_error_codes
from hubbub.http.contract.fields import Fields
from hubbub.http.contract.openapi import build_document
from hubbub.http.pages.reference.outline import GROUPS, title_of
from hubbub.realtime.contract.document import build_asyncapi
from hubbub.realtime.contract.page import render
from hubbub.rest.operations import OPERATIONS

DOCS = Path(__file__).parents[1] / "docs"
AREAS = [area for group in GROUPS.values() for area in group]
ERRORS = "reference/errors.md"
REALTIME = "reference/realtime.md"
ABOUT_ERRORS = """\
An error is `{"error": {"code", "message"}}` with an HTTP status. `code` never changes for the same
reason; `message` is for people, and `details` names the fields of a request."""
RANKS = {
    "decisions/": 0.2,
    "reference/api/notifications": 0.3,
    "reference/api/auth-tokens": 3,
    "reference/api/": 0.8,
    "reference/realtime": 0.3,
    "guides/moving-in/sendbird": 0.3,
    "guides/": 1.5,
    "operating": 1.5,
    "getting-started": 3,
    "scaling": 2,
}
"""How much a match counts in the search, by the beginning of the page's path."""
_LINK_OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./)+[^)]*\)")
_CODE_SPAN = re.compile(r"(`[^`]*`)|<")
_CODE = re.compile(r"`(\w*ERR_\w+)`")
Schema = dict[str, Any]


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the reference and the decisions to the navigation."""
    decisions = sorted(path.name for path in (DOCS / "decisions").glob("[a-z]*.md"))
    assert config.nav is not None
    config.nav[-1]["Decisions"] += [f"decisions/{name}" for name in decisions]
    operations = [{area: _page_of(area)} for area in AREAS]
    config.nav.insert(
        2, {"Reference": [{"Error codes": ERRORS}, {"Realtime": REALTIME}, *operations]}
    )
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the reference."""
    for area in AREAS:
        files.append(File.generated(config, _page_of(area), content=_area_page(area)))
    files.append(File.generated(config, ERRORS, content=_errors_page()))
    realtime = f"# Realtime reference\n\n<div>{render(build_asyncapi(Settings()))}</div>\n"
    files.append(File.generated(config, REALTIME, content=realtime))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Keep the words of links that lead out of the site; rank the page in the search."""
    ranks = (rank for start, rank in RANKS.items() if page.file.src_uri.startswith(start))
    page.meta["search"] = {"boost": next(ranks, 1)}
    return _LINK_OUTSIDE.sub(_without_outside, markdown)


def _without_outside(link: re.Match[str]) -> str:
    target = link[0].rpartition("(")[2].rstrip(")").partition("#")[0].lstrip("./")
    return link[0] if (DOCS / target).exists() else link[1]


def _page_of(area: str) -> str:
    return f"reference/api/{area.lower().replace(' ', '-')}.md"


@cache
def _document() -> dict[str, Any]:
    return build_document(OPERATIONS)


def _area_page(area: str) -> str:
    """Return the page of an area: each operation under a heading."""
    described = next(tag for tag in _document()["tags"] if tag["name"] == area)
    parts = [f"# {area}", described.get("description", "")]
    for path, methods in _document()["paths"].items():
        for method, operation in methods.items():
            if area in operation["tags"]:
                parts += _operation(method.upper(), path, operation)
    return "\n\n".join(filter(None, parts)) + "\n"


def _operation(method: str, path: str, operation: dict[str, Any]) -> Iterator[str]:
    summary = operation["summary"]
    yield f"## {title_of(summary)} {{ #{operation['operationId']} }}"
    yield f"`{method} /v3{path}`"
    if title_of(summary) != summary.removesuffix("."):
        yield summary
    yield operation.get("description", "")
    parameters = [
        (
            each["name"],
            f"{_names().type_of(each['schema'])}, {each['in']}",
            _text(each),
            each["required"],
        )
        for each in operation["parameters"]
    ]
    yield _table("Parameter", parameters)
    if "requestBody" in operation:
        content = operation["requestBody"]["content"]
        yield _table("Field of the body", _fields_of(content["application/json"]["schema"]))
        if "multipart/form-data" in content:
            yield "With files it is `multipart/form-data`: [Send media](../../guides/media.md)."
    answer = operation["responses"]["200"]["content"]["application/json"]["schema"]
    yield _table("Field of the answer", _fields_of(answer))
    codes = [code for each in operation["responses"].values() for code in _codes(each)]
    if codes:
        links = ", ".join(
            f"[`{code}`](../errors.md#{code.lower()})" for code in dict.fromkeys(codes)
        )
        yield f"Errors: {links}."


def _codes(response: dict[str, Any]) -> list[str]:
    if "$ref" in response:
        name = response["$ref"].rpartition("/")[2]
        response = _document()["components"]["responses"][name]
    return _CODE.findall(response["description"])


def _table(heading: str, rows: list[tuple[str, str, str, bool]]) -> str:
    if not rows:
        return ""
    lines = [f"| {heading} | Type | Meaning |", "| --- | --- | --- |"]
    for name, type_, text, is_required in rows:
        meaning = " ".join(filter(None, [text, "Required." if is_required else ""]))
        lines.append(f"| `{name}` | {type_} | {meaning} |".replace("\n", " "))
    return "\n".join(lines)


def _fields_of(schema: Schema) -> list[tuple[str, str, str, bool]]:
    """Return the fields of an object as rows of a table."""
    return [
        (each.name, each.type, _escape(each.text.replace("|", "\\|")), each.is_required)
        for each in _names().of(schema)
    ]


@cache
def _names() -> Fields:
    return Fields(_document()["components"]["schemas"])


def _text(described: dict[str, Any]) -> str:
    """Return the meaning of a parameter or field, safe inside a table."""
    text = described.get("description") or described.get("schema", {}).get("description", "")
    return _escape(str(text).replace("|", "\\|"))


def _escape(text: str) -> str:
    """Return a text whose `<` begin no tag; in code they are shown as they are anyway."""
    return _CODE_SPAN.sub(lambda found: found[1] or "&lt;", text)


def _errors_page() -> str:
    """Return the page of error codes, each under a heading of its own."""
    parts = ["# Error codes", ABOUT_ERRORS]
    for each in list_error_codes():
        parts.append(f"## {each.code} {{ #{each.code.lower()} }}")
        statuses = ", ".join(map(str, each.statuses))
        meanings = [f"- {_escape(meaning)}" for meaning in each.meanings]
        parts += [f"HTTP status {statuses}.", "\n".join(meanings)]
    return "\n\n".join(parts) + "\n"

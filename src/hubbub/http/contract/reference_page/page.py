"""The reference page: how to call, then every operation, grouped by area."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hubbub.http.contract.reference_page.assets import ICON, SCRIPT, STYLESHEET
from hubbub.http.contract.reference_page.markup import Html, document, el, paragraphs, prose
from hubbub.http.contract.reference_page.operation_section import (
    method_mark,
    operation_section,
    search_text,
)
from hubbub.http.contract.reference_page.shapes import Shapes
from hubbub.http.operation import Operation

_ASIDE = re.compile(r"[.,:;]")
Described = tuple[Operation, Mapping[str, Any]]

SET_UP = """\
export KEY=…                 # an API key of the app
export MANAGEMENT_KEY=…      # from first-keys.txt
export MANAGEMENT_SECRET=…\
"""


def reference_page(described: Mapping[str, Any], operations: Iterable[Operation]) -> str:
    """Return the page for an OpenAPI document and the operations that it describes."""
    areas = dict(_areas(described, operations))
    return document(
        title="Hubbub API reference",
        stylesheet=STYLESHEET,
        script=SCRIPT,
        icon=ICON,
        body=[
            el("a", "Skip to the operations", href="#content", class_="skip"),
            _bar(described),
            el("div", _contents(areas), _main(described, areas), class_="frame"),
        ],
    )


def _areas(
    described: Mapping[str, Any], operations: Iterable[Operation]
) -> Iterator[tuple[str, list[Described]]]:
    """Yield the areas in order of their names, each with its operations."""
    entries = list(operations)
    for tag in sorted(tag["name"] for tag in described["tags"]):
        yield (
            tag,
            [
                (entry, described["paths"][entry.path][entry.method.lower()])
                for entry in entries
                if entry.tag == tag
            ],
        )


def _anchor(area: str) -> str:
    return "area-" + area.lower().replace(" ", "-")


def _bar(described: Mapping[str, Any]) -> Html:
    return el(
        "header",
        el("a", "Hubbub", href="/", class_="brand"),
        el("span", f"Reference {described['info']['version']}", class_="version"),
        el(
            "div",
            el("label", "Filter the operations", for_="filter", class_="unseen"),
            el(
                "input",
                id="filter",
                type="search",
                placeholder="Filter: send, /users, DELETE …",
                autocomplete="off",
                spellcheck="false",
                aria_keyshortcuts="/",
            ),
            el("output", for_="filter", aria_live="polite"),
            class_="search",
            hidden=True,
        ),
        el("a", "OpenAPI", href="/v3/openapi.json", class_="document"),
        class_="bar",
    )


def _contents(areas: Mapping[str, list[Described]]) -> Html:
    return el(
        "nav",
        el(
            "details",
            el("summary", "Operations"),
            [_contents_of(area, entries) for area, entries in areas.items()],
            open=True,
        ),
        class_="contents",
        aria_label="Operations",
    )


def _contents_of(area: str, entries: list[Described]) -> Html:
    links = [
        el(
            "li",
            el(
                "a",
                method_mark(entry.method),
                " ",
                el("span", prose(_ASIDE.split(described["summary"])[0])),
                href=f"#{described['operationId']}",
            ),
            data_text=search_text(entry, described),
        )
        for entry, described in entries
    ]
    return el(
        "div",
        el("a", area, href=f"#{_anchor(area)}", class_="area-link"),
        el("ul", links),
        class_="group",
    )


def _main(described: Mapping[str, Any], areas: Mapping[str, list[Described]]) -> Html:
    shapes = Shapes(described["components"]["schemas"])
    prefix = described["servers"][1]["url"]
    sections = [
        el(
            "section",
            el("h2", el("a", area, href=f"#{_anchor(area)}")),
            [operation_section(entry, each, shapes, prefix) for entry, each in entries],
            class_="area",
            id=_anchor(area),
        )
        for area, entries in areas.items()
    ]
    no_match = el("p", "No operation matches.", class_="nothing", hidden=True)
    return el("main", _introduction(described), sections, no_match, id="content", tabindex="-1")


def _introduction(described: Mapping[str, Any]) -> Html:
    return el(
        "section",
        el("h1", "API reference"),
        paragraphs(described["info"]["description"].strip()),
        el("p", "The examples use these shell variables:"),
        el("pre", el("code", SET_UP), tabindex="0"),
        class_="introduction",
    )

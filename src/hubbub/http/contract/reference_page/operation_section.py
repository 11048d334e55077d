"""The section of one operation: what it does, who may call it, its input and its answer."""

import re
from collections.abc import Mapping
from typing import Any

from hubbub.http.contract.reference_page.examples import ADDRESS, Example, curl_lines, make_example
from hubbub.http.contract.reference_page.markup import Html, el, paragraphs, prose
from hubbub.http.contract.reference_page.shapes import Field, Shapes, field_list
from hubbub.http.operation import Acting, Operation, RequiredKey

Described = Mapping[str, Any]
_CODES = re.compile(r"\s*`((?:AUTH_)?ERR_[A-Z_]+)`")

SECTIONS = {"path": "Path", "query": "Query", "header": "Headers"}
KEYS = {
    RequiredKey.FULL_ACCESS: "An API key of scope `fullAccess`, in the header `apikey`.",
    RequiredKey.AUTH_ONLY: (
        "An API key of scope `fullAccess` or `authOnly`, in the header `apikey`."
    ),
    RequiredKey.MANAGEMENT: "Management credentials, in the headers `key` and `secret`.",
}
ACTING = {
    Acting.OPTIONAL: (
        "With an API key, the header `onBehalfOf` names the acting user; without it the app "
        "itself acts."
    ),
    Acting.REQUIRED: "With an API key, the header `onBehalfOf` must name the acting user.",
}


def operation_section(
    declared: Operation, described: Described, shapes: Shapes, prefix: str
) -> Html:
    """Return the section of an operation, with an anchor."""
    name, summary = described["operationId"], described["summary"]
    path = prefix + declared.path
    example = make_example(declared, described, shapes, prefix)
    return el(
        "article",
        el("h3", el("a", prose(summary.removesuffix(".")), href=f"#{name}"), id=f"{name}-title"),
        el("p", method_mark(declared.method), " ", el("code", _breakable(path)), class_="route"),
        el(
            "div",
            el(
                "div",
                paragraphs(described.get("description", "")),
                _callers(declared),
                _parameters(described, shapes),
                _body(declared, described, shapes),
                _answer(described, shapes),
                _errors(described),
                class_="facts",
            ),
            _sample(example),
            class_="columns",
        ),
        class_="operation",
        id=name,
        aria_labelledby=f"{name}-title",
        data_text=search_text(declared, described),
    )


def search_text(declared: Operation, described: Described) -> str:
    """Return the text that the filter box searches."""
    words = (declared.method, declared.path, described["operationId"], described["summary"])
    return " ".join((*words, *described.get("tags", ()))).lower()


def method_mark(method: str) -> Html:
    """Return the method as a coloured word."""
    return el("span", method, class_=f"method {method.lower()}")


def _breakable(path: str) -> list[Html | str]:
    """Return a path that may break before each slash."""
    first, *rest = path.split("/")
    return [first, *(piece for part in rest for piece in (Html("<wbr>"), f"/{part}"))]


def _part(title: str, *content: Any) -> Html:
    return el("section", el("h4", title), *content)


def _callers(declared: Operation) -> Html:
    ways = [KEYS[declared.key]]
    if declared.is_for_users:
        ways.append("A user's auth token, in the header `authToken`: the caller is that user.")
    if declared.acting in ACTING:
        ways.append(ACTING[declared.acting])
    return _part("Who may call", el("ul", (el("li", prose(way)) for way in ways)))


def _parameters(described: Described, shapes: Shapes) -> list[Html]:
    parts = []
    for place, title in SECTIONS.items():
        fields = [
            Field(
                parameter["name"],
                {**parameter["schema"], **_description(parameter)},
                parameter["required"] and place != "path",
            )
            for parameter in described.get("parameters", ())
            if parameter["in"] == place
        ]
        if fields:
            parts.append(_part(title, field_list(shapes, fields)))
    return parts


def _description(parameter: Described) -> dict[str, str]:
    text = parameter.get("description")
    return {"description": text} if text else {}


def _body(declared: Operation, described: Described, shapes: Shapes) -> Html | None:
    if "requestBody" not in described:
        return None
    schema = described["requestBody"]["content"]["application/json"]["schema"]
    about = str(shapes.resolve(schema).get("description", ""))
    limit = f"JSON, at most {declared.largest_body // 2**20} MiB."
    return _part(
        "Body",
        el("p", prose(about), " ", limit) if about else el("p", limit),
        field_list(shapes, shapes.fields(schema)),
    )


def _answer(described: Described, shapes: Shapes) -> Html:
    schema = described["responses"]["200"]["content"]["application/json"]["schema"]
    fields = field_list(shapes, shapes.fields(schema), marks_required=False)
    return el(
        "section",
        el("details", el("summary", el("h4", "Answer"), el("span", "200")), fields),
    )


def _errors(described: Described) -> Html:
    rows = [
        _error(status, response["description"])
        for status, response in described["responses"].items()
        if status != "200"
    ]
    return el(
        "section",
        el(
            "details",
            el("summary", el("h4", "Errors"), el("span", _statuses(described))),
            el("dl", rows, class_="errors"),
        ),
    )


def _statuses(described: Described) -> str:
    return " ".join(status for status in described["responses"] if status != "200")


def _error(status: str, description: str) -> list[Html]:
    codes = _CODES.findall(description)
    meaning = _CODES.sub("", description)
    named = el("p", ([el("code", code), " "] for code in codes)) if codes else None
    return [el("dt", status), el("dd", prose(meaning), named)]


def _sample(example: Example) -> Html:
    """Return the example as a curl command; the script replaces the address with the server's."""
    lines = curl_lines(example)
    return el(
        "figure",
        el(
            "figcaption",
            el("span", "Example"),
            el("button", "Copy", type="button", class_="copy", hidden=True),
        ),
        el(
            "pre",
            el(
                "code",
                "curl ",
                f"-X {example.method} " if _needs_method(example) else None,
                '"',
                el("span", ADDRESS, class_="address"),
                f'{example.target}"',
                [f" \\\n  {line}" for line in lines],
            ),
            tabindex="0",
        ),
        class_="sample",
    )


def _needs_method(example: Example) -> bool:
    """Return whether curl would choose another method by itself."""
    return example.method != ("GET" if example.body is None else "POST")

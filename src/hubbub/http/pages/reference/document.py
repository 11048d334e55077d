"""The OpenAPI document as the reference shows it: guides first, areas in a useful order, codes."""

import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import msgspec

from hubbub.http.contract.error_codes import list_error_codes

GROUPS = {
    "Chat": ("Messages", "Conversations"),
    "People": ("Users", "Auth Tokens", "Friends", "Blocked Users", "Bots"),
    "Groups": ("Groups", "Group Members", "Banned Users"),
    "Moving in": ("Data Import",),
    "Rights": ("Roles", "RBAC", "Restrict Features"),
    "Events": ("Events", "Webhooks"),
    "Administration": ("Apps", "API Keys", "Settings", "Notifications", "Metrics"),
}
"""The areas in the order in which a newcomer needs them."""
OTHERS = "More"
PREFILLED = {"default", "enum", "items", "anyOf", "oneOf", "$ref", "const"}
"""What a schema has for which the viewer fills in a value."""
_ASIDE = re.compile(r"[.,:;](?:\s|$)")


def make_reference_document(document: dict[str, Any]) -> bytes:
    """Return the document of the reference as JSON."""
    tags = [tag["name"] for tag in document["tags"]]
    return msgspec.json.encode(
        {
            **document,
            "info": {**document["info"], "title": "Hubbub API", "description": _introduction()},
            "servers": [{"url": "/v3"}],
            "x-tagGroups": list(_tag_groups(tags)),
            "paths": {
                path: {method: _operation(each) for method, each in methods.items()}
                for path, methods in document["paths"].items()
            },
        }
    )


def _introduction() -> str:
    """Return the guides, with a heading for each error code, by which the search finds it."""
    # In italics: the viewer's contents and search drop underscores of other headings.
    guides = (files(__package__) / "introduction.md").read_text()
    codes = [
        f"### *{each.code}*\n\n{', '.join(map(str, each.statuses))}: {' '.join(each.meanings)}"
        for each in list_error_codes()
    ]
    return "\n\n".join([guides, "## Error codes", *codes])


def _tag_groups(tags: list[str]) -> Iterator[dict[str, Any]]:
    """Yield the groups of areas; an area that has no group yet is in the last one."""
    placed = {tag for group in GROUPS.values() for tag in group}
    for name, group in {**GROUPS, OTHERS: [tag for tag in tags if tag not in placed]}.items():
        if named := [tag for tag in group if tag in tags]:
            yield {"name": name, "tags": named}


def title_of(summary: str) -> str:
    """Return the part of a summary that fits into a list of operations."""
    return _ASIDE.split(summary)[0].replace("`", "")


def _operation(operation: dict[str, Any]) -> dict[str, Any]:
    """Return an operation with a short title."""
    summary = operation["summary"]
    title = title_of(summary)
    rest = operation.get("description", "")
    is_cut = title != summary.removesuffix(".").replace("`", "")
    description = "\n\n".join(filter(None, [summary if is_cut else "", rest]))
    return {
        **operation,
        "summary": title,
        "description": description,
        "parameters": [_unset(each) for each in operation["parameters"]],
    }


def _unset(parameter: dict[str, Any]) -> dict[str, Any]:
    """Return a parameter that the viewer does not send unless the reader chooses to.

    It sends each one that has an example, a default or values to choose from.
    """
    schema = parameter.get("schema", {})
    is_filled_in = parameter.keys() & {"example", "examples"} or schema.keys() & PREFILLED
    if parameter.get("in") != "query" or parameter.get("required") or not is_filled_in:
        return parameter
    value = parameter.get("example", schema.get("default", ""))
    examples = parameter.get("examples", {"unset": {"value": value}})
    return {
        **{name: text for name, text in parameter.items() if name != "example"},
        "examples": {name: {**each, "x-disabled": True} for name, each in examples.items()},
    }

"""Unions in the document: clients can tell their shapes apart."""

from collections.abc import Iterator
from itertools import permutations
from typing import Any

from hubbub.http.contract.openapi import build_document
from hubbub.rest.operations import OPERATIONS

SCHEMAS: dict[str, dict[str, Any]] = build_document(OPERATIONS)["components"]["schemas"]


def unions(schema: Any) -> Iterator[list[dict[str, Any]]]:
    """Yield the shapes of each `oneOf` in a schema."""
    if isinstance(schema, dict):
        if "oneOf" in schema:
            yield [shape for option in schema["oneOf"] for shape in shapes_of(option)]
        for item in schema.values():
            yield from unions(item)
    if isinstance(schema, list):
        for item in schema:
            yield from unions(item)


def shapes_of(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the shapes that a schema describes: those of a union within it, or itself."""
    found = resolve(schema)
    options = found.get("oneOf") or found.get("anyOf") or []
    return [shape for option in options for shape in shapes_of(option)] or [found]


def resolve(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema, or the component that it refers to."""
    return SCHEMAS[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema


def test_no_value_is_two_shapes_of_a_union() -> None:
    """Clients allow further fields, so a shape differs by required fields or values of its own."""
    pairs = [
        (name, one, other)
        for name, schema in SCHEMAS.items()
        for shapes in unions(schema)
        for one, other in permutations(shapes, 2)
    ]

    assert len(pairs) > 100, "there must be unions for this test to mean anything"
    assert [pair for pair in pairs if not differs(*pair[1:])] == []


def differs(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether nothing that has only the fields of `one` is `other`."""
    if one.get("type") != "object" or other.get("type") != "object":
        return one.get("type") != other.get("type")
    fields, others = one["properties"], other["properties"]
    if any(name not in fields for name in other.get("required", ())):
        return True
    required = {*one.get("required", ()), *other.get("required", ())}
    shared = required & fields.keys() & others.keys()
    return any(are_apart(fields[name], others[name]) for name in shared)


def are_apart(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether the values that two fields may have are named, and none is in common."""
    values, others = (named_values(resolve(field)) for field in (one, other))
    return bool(values and others) and values.isdisjoint(others)


def named_values(schema: dict[str, Any]) -> set[Any]:
    """Return the values that a schema names, if it allows no others."""
    return {schema["const"]} if "const" in schema else set(schema.get("enum", ()))

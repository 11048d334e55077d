"""JSON Schemas as lists of fields: name, type, limits, description, and the fields inside."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hubbub.http.contract.reference_page.markup import Html, el, join, prose

Schema = Mapping[str, Any]

DEEPEST = 2
"""The most shapes within each other that the page shows."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a shape, or a parameter."""

    name: str
    schema: Schema
    is_required: bool


class Shapes:
    """The components of the document, to which schemas refer."""

    def __init__(self, components: Mapping[str, Schema]) -> None:
        self._components = components

    def resolve(self, schema: Schema) -> Schema:
        """Return a schema with its reference replaced by what it refers to."""
        if not isinstance(schema, dict) or "$ref" not in schema:
            return schema if isinstance(schema, dict) else {}
        beside = {name: value for name, value in schema.items() if name != "$ref"}
        title = str(schema["$ref"]).rpartition("/")[2]
        return {**self._components[title], "title": title, **beside}

    def fields(self, schema: Schema) -> list[Field]:
        """Return the fields of an object, the required ones first."""
        shape = self.resolve(schema)
        required = shape.get("required", ())
        found = [
            Field(name, self.resolve(part), name in required)
            for name, part in shape.get("properties", {}).items()
        ]
        return sorted(found, key=lambda field: not field.is_required)

    def type_of(self, schema: Schema) -> str:
        """Return the type in words."""
        schema = self.resolve(schema)
        options = schema.get("anyOf") or schema.get("oneOf")
        if options:
            return " or ".join(dict.fromkeys(self.type_of(option) for option in options))
        if "enum" in schema or "const" in schema:
            return "one of"
        kind = schema.get("type", "any JSON value")
        if kind == "array":
            return f"array of {self.type_of(schema.get('items', {}))}"
        if kind == "object" and "additionalProperties" in schema:
            return f"object: each value {self.type_of(schema['additionalProperties'])}"
        return str(kind)

    def inner(self, schema: Schema) -> Schema | None:
        """Return the shape inside a field, its items, its values or its alternatives."""
        schema = self.resolve(schema)
        if "properties" in schema:
            return schema
        either = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
        options = [self.inner(option) for option in either]
        shapes = [option for option in options if option is not None]
        if shapes:
            return _either(shapes)
        for part in ("items", "additionalProperties"):
            if isinstance(schema.get(part), dict):
                return self.inner(schema[part])
        return None


def _either(shapes: list[Schema]) -> Schema:
    """Return one shape with the fields of all alternatives, none of them required."""
    properties: dict[str, Any] = {}
    for shape in shapes:
        properties = {**shape["properties"], **properties}
    titles = dict.fromkeys(str(shape.get("title", "")) for shape in shapes)
    return {"type": "object", "title": " or ".join(titles), "properties": properties}


def limits_of(schema: Schema) -> Iterator[str]:
    """Yield the limits of a value in words."""
    yield from _range(schema, "minLength", "maxLength", "characters")
    yield from _range(schema, "minimum", "maximum", "")
    yield from _range(schema, "minItems", "maxItems", "items")
    yield from _range(schema, "minProperties", "maxProperties", "entries")
    if "pattern" in schema and "description" not in schema:
        yield f"matches `{schema['pattern']}`"
    if schema.get("default") not in (None, "", [], {}):
        yield f"default `{json.dumps(schema['default'])}`"


def _range(schema: Schema, least: str, most: str, unit: str) -> Iterator[str]:
    low, high = schema.get(least), schema.get(most)
    if low is not None and high is not None:
        limit = f"{low:,} to {high:,}" if low != high else f"{low:,}"
    elif low is not None:
        limit = f"at least {low:,}"
    elif high is not None:
        limit = f"at most {high:,}"
    else:
        return
    yield f"{limit} {unit}".rstrip()


def field_list(shapes: Shapes, fields: list[Field], *, marks_required: bool = True) -> Html:
    """Return fields as a list; the fields inside one are a list in its entry."""
    return el(
        "ul",
        (_entry(shapes, field, (), marks_required=marks_required) for field in fields),
        class_="fields",
    )


def _entry(shapes: Shapes, field: Field, within: tuple[str, ...], *, marks_required: bool) -> Html:
    schema = field.schema
    about = el("span", shapes.type_of(schema), _values(shapes, schema), class_="type")
    required = el("span", "required", class_="required")
    limits = [*limits_of(schema), *_item_limits(shapes, schema)]
    return el(
        "li",
        el(
            "div",
            el("code", field.name, class_="name"),
            " ",
            about,
            [" ", required] if field.is_required and marks_required else None,
            [" ", el("span", prose(", ".join(limits)), class_="limits")] if limits else None,
            class_="line",
        ),
        el("p", prose(_meaning(shapes, schema))) if _meaning(shapes, schema) else None,
        _inside(shapes, schema, within, marks_required=marks_required),
    )


def _values(shapes: Shapes, schema: Schema) -> Html | None:
    """Return the values of an enumeration."""
    schema = shapes.resolve(schema)
    values = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if values is None and schema.get("type") == "array":
        return _values(shapes, schema.get("items", {}))
    if values is None:
        return None
    return join([" ", [[el("code", str(value)), " "] for value in values]])


def _item_limits(shapes: Shapes, schema: Schema) -> list[str]:
    if schema.get("type") != "array":
        return []
    item = shapes.resolve(schema.get("items", {}))
    return [f"each {limit}" for limit in limits_of(item)]


def _meaning(shapes: Shapes, schema: Schema) -> str:
    """Return the description of a field, or else that of its items."""
    text = schema.get("description")
    if text is None and schema.get("type") == "array":
        text = shapes.resolve(schema.get("items", {})).get("description")
    return str(text or "")


def _inside(
    shapes: Shapes, schema: Schema, within: tuple[str, ...], *, marks_required: bool
) -> Html | None:
    inner = shapes.inner(schema)
    if inner is None:
        return None
    title = str(inner.get("title", ""))
    if title in within:
        return el("p", "As above.")
    if len(within) >= DEEPEST:
        return el("p", prose(f"See `{title}` in the OpenAPI document."))
    entries = (
        _entry(shapes, field, (*within, title), marks_required=marks_required)
        for field in shapes.fields(inner)
    )
    return el("ul", entries, class_="fields")

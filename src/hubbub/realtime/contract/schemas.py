"""Schemas of the OpenAPI document in the dialect of AsyncAPI, which is JSON Schema draft 7."""

from typing import Any

from hubbub.http.contract.schemas import Schema

_OF_OPENAPI = ("discriminator",)
"""A keyword that AsyncAPI has in another sense. The variants tell themselves apart anyway."""


def in_draft_7(value: Any) -> Any:
    """Return a schema, or a part of one, in which nothing but the reference stands beside it."""
    if isinstance(value, list):
        return [in_draft_7(each) for each in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value and len(value) > 1:
        beside = {name: each for name, each in value.items() if name != "$ref"}
        return {"allOf": [{"$ref": value["$ref"]}], **in_draft_7(beside)}
    return {name: in_draft_7(each) for name, each in value.items() if name not in _OF_OPENAPI}


def camel(name: str) -> str:
    """Return the name of a component for a name with underscores."""
    return "".join(word.capitalize() for word in name.split("_"))


def fields(shape: Schema, **values: Schema) -> Schema:
    """Return the schema of a frame: the fields of its struct, some of them with `values`."""
    properties = {**shape["properties"], **values}
    required = [name for name in properties if name in values or name in shape["required"]]
    return {"type": "object", "properties": properties, "required": required}

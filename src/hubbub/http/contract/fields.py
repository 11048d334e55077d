"""The fields of a schema as rows of a table."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hubbub.http.contract.schemas import Schema

DEEPEST = 2
"""Fields are listed down to this depth; deeper ones are in the document."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field, with the path to it."""

    name: str
    type: str
    text: str
    is_required: bool


class Fields:
    """Lists fields, with the components that schemas refer to."""

    def __init__(self, components: Mapping[str, Schema]) -> None:
        self._components = components

    def of(self, schema: Schema) -> list[Field]:
        """Return the fields of an object; of alternatives that share a field, the first one's."""
        by_name: dict[str, Field] = {}
        for field in self._walk(schema, "", 1):
            by_name.setdefault(field.name, field)
        return list(by_name.values())

    def _walk(self, schema: Schema, prefix: str, depth: int) -> Iterator[Field]:
        shape = self.resolve(schema)
        for option in _options(shape):
            yield from self._walk(option, prefix, depth)
        for name, part in shape.get("properties", {}).items():
            field = self.resolve(part)
            is_required = name in shape.get("required", ())
            text = str(field.get("description", ""))
            yield Field(f"{prefix}{name}", self.type_of(part), text, is_required)
            if depth < DEEPEST:
                inner = field.get("items", field)
                yield from self._walk(inner, f"{prefix}{name}.", depth + 1)

    def resolve(self, schema: Schema) -> Schema:
        """Return a schema, with what stands beside a reference, in place of the reference."""
        whole = schema.get("allOf", ())
        if len(whole) == 1:
            return {**self.resolve(whole[0]), **{k: v for k, v in schema.items() if k != "allOf"}}
        if "$ref" not in schema:
            return schema
        return self._components[schema["$ref"].rpartition("/")[2]]

    def type_of(self, schema: Schema) -> str:
        """Return the type of a value in words."""
        schema = self.resolve(schema)
        if "enum" in schema:
            return " or ".join(f"`{value}`" for value in schema["enum"])
        if options := _options(schema):
            return " or ".join(dict.fromkeys(self.type_of(each) for each in options))
        if "items" in schema:
            return f"list of {self.type_of(schema['items'])}"
        return str(schema.get("type", "any"))


def _options(schema: Schema) -> list[Schema]:
    return [each for key in ("anyOf", "oneOf", "allOf") for each in schema.get(key, ())]

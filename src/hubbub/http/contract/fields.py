"""The fields of a schema as rows of a table."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from hubbub.http.contract.schemas import Schema

DEEPEST = 2
"""Fields are listed down to this depth; deeper ones are in the document."""


@dataclass(frozen=True, slots=True)
class DocumentedField:
    """A field, with the path to it."""

    name: str
    type: str
    text: str
    is_required: bool

    def merged(self, other: "DocumentedField") -> "DocumentedField":
        """Return the field of either of two shapes; the text is the first one's."""
        types = dict.fromkeys([*self.type.split(" or "), *other.type.split(" or ")])
        is_required = self.is_required and other.is_required
        return replace(self, type=" or ".join(types), is_required=is_required)


class Fields:
    """Lists fields, with the components that schemas refer to."""

    def __init__(self, components: Mapping[str, Schema]) -> None:
        self._components = components

    def of(self, schema: Schema) -> list[DocumentedField]:
        """Return the fields of an object; those that alternatives share are one, of either type."""
        by_name: dict[str, DocumentedField] = {}
        for field in self._walk(schema, "", 1):
            known = by_name.get(field.name)
            by_name[field.name] = field if known is None else known.merged(field)
        return list(by_name.values())

    def _walk(self, schema: Schema, prefix: str, depth: int) -> Iterator[DocumentedField]:
        shape = self.resolve(schema)
        walked = [list(self._walk(option, prefix, depth)) for option in _options(shape)]
        needed = [{each.name for each in fields if each.is_required} for fields in walked]
        combine = set.union if "allOf" in shape else set.intersection
        always: set[str] = combine(*needed) if needed else set()
        for fields in walked:
            yield from (replace(each, is_required=each.name in always) for each in fields)
        for name, part in shape.get("properties", {}).items():
            field = self.resolve(part)
            is_required = name in shape.get("required", ())
            text = str(field.get("description", ""))
            yield DocumentedField(f"{prefix}{name}", self.type_of(part), text, is_required)
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

"""The schemas of the document, made of the types that operations declare."""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from hubbub.http.documented import (
    AS,
    DESCRIBED,
    DOCUMENTED,
    HOW,
    OPEN,
    REQUIRED,
    VARIANTS,
    Variants,
)

FILE = Path(__file__).with_name("field_descriptions.toml")
ANY = "*"
"""The table of fields that mean the same in every shape."""
Schema = dict[str, Any]

REF = "#/components/schemas/{name}"
_PREFIX = REF.format(name="")
_GENERIC = re.compile(r"(\w+?)_(\w+)_")
_OURS = ("default", "title", "required", REQUIRED)
"""The keywords of msgspec and of our annotations that the document has in another form."""
DEFAULT_IS = "The default is "
_LOOKAHEAD = re.compile(r"\(\?![^()]*\)")
"""What patterns exclude: a final newline, before which Python's `$` matches, too, but that of JSON
Schema does not; and rare values that a description names. Not every language knows lookaheads."""


def description_of(shape: str, field: str) -> str | None:
    """Return what a field of a shape means, or None if there is no row for it."""
    rows = field_descriptions()
    declared = DESCRIBED.get(shape, {}).get(field)
    return declared or rows.get(shape, {}).get(field) or rows[ANY].get(field)


@cache
def field_descriptions() -> Mapping[str, Mapping[str, str]]:
    """Return the descriptions by the name of the shape, then by that of the field."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


class Schemas:
    """The schema of each type; those of objects, and of types with a title, are components."""

    def __init__(self, types: Iterable[Any]) -> None:
        self.components: dict[str, Schema] = {}
        self._references: dict[str, tuple[str, ...]] = {}
        """The components that each one refers to, once it has been asked."""
        self._by_type, components = _generate(list(types))
        for name, schema in components.items():
            if name in OPEN:
                schema["additionalProperties"] = self._by_type[repr(OPEN[name])] or True
            schema.pop("title", None)
            self.add(component_name(name), self._finish(schema))
        for name, schema in self.components.items():
            self.describe_fields(name, schema)
        self._by_type = {key: self._finish(schema) for key, schema in self._by_type.items()}
        for type_, variants in VARIANTS.items():
            self._vary(component_name(type_.__name__), variants)

    def of(self, type_: Any) -> Schema:
        """Return the schema of a type that was given at the start."""
        return self._by_type[repr(type_)]

    def add(self, name: str, schema: Schema) -> Schema:
        """Add a component, and return the reference to it."""
        assert self.components.setdefault(name, schema) == schema, f"two schemas named {name}"
        return {"$ref": REF.format(name=name)}

    def describe_field(self, shape: str, name: str, schema: Schema) -> Schema:
        """Return the schema of a field with its description: its own, or else that of its name."""
        own = schema.get("description", "")
        if own and not own.startswith(DEFAULT_IS):
            return schema
        text = description_of(shape, name)
        if text is None or ("$ref" in schema and self.resolve(schema).get("description")):
            return schema
        return {**schema, "description": f"{text} {own}".strip()}

    def describe_fields(self, name: str, schema: Schema) -> None:
        """Add the descriptions of the fields of an object that have none."""
        for field, each in schema.get("properties", {}).items():
            schema["properties"][field] = self.describe_field(name, field, each)

    def resolve(self, schema: Schema) -> Schema:
        """Return a schema, or the component that it refers to."""
        return self.components[name_of(schema)] if "$ref" in schema else schema

    def prune(self, used_by: Any) -> None:
        """Remove the components that a document does not use."""
        self.components = {name: self.components[name] for name in sorted(self.used_by(used_by))}

    def used_by(self, value: Any) -> set[str]:
        """Return the names of the components that a part of a document refers to, at any depth."""
        used: set[str] = set()
        waiting = list(_references(value))
        while waiting:
            name = waiting.pop()
            if name not in used:
                used.add(name)
                waiting.extend(self._references_of(name))
        return used

    def _references_of(self, name: str) -> tuple[str, ...]:
        if name not in self._references:
            self._references[name] = tuple(_references(self.components[name]))
        return self._references[name]

    def _finish(self, schema: Any) -> Any:
        """Return a schema of msgspec as the document has it."""
        if isinstance(schema, list):
            return [self._finish(item) for item in schema]
        if not isinstance(schema, dict):
            return schema
        required = list(_required(schema))
        default, title = schema.get("default"), schema.get("title")
        schema = {name: item for name, item in schema.items() if name not in _OURS}
        if "$ref" in schema:
            schema["$ref"] = REF.format(name=_target(name_of(schema)))
        elif AS in schema:
            schema = self._documented(schema)
        else:
            schema = {name: self._part(name, item) for name, item in schema.items()}
            schema = _tidied(_without_null(schema)) | ({"required": required} if required else {})
        if title is not None:
            schema = self.add(title, schema)
        return with_default(schema, default)

    def _part(self, keyword: str, value: Any) -> Any:
        if keyword == "properties":
            return {name: self._finish(field) for name, field in value.items()}
        return self._finish(value)

    def _documented(self, schema: Schema) -> Schema:
        """Return the schema of the types that a mark names."""
        options = [self._finish(self._by_type[repr(type_)]) for type_ in DOCUMENTED[schema[AS]]]
        rest = {name: schema[name] for name in ("description", "maxProperties") if name in schema}
        return {**(options[0] if len(options) == 1 else {schema[HOW]: options}), **rest}

    def _vary(self, name: str, variants: Variants) -> None:
        """Describe a component as one of its variants."""
        if variants.only is not None:
            return
        options = [
            {"$ref": REF.format(name=component_name(each.__name__))} for each in variants.types
        ]
        schema: Schema = {"oneOf": options, "description": self.components[name]["description"]}
        if variants.discriminator is not None:
            schema["discriminator"] = {
                "propertyName": variants.discriminator,
                "mapping": dict(self._mapping(options, variants.discriminator)),
            }
        self.components[name] = schema

    def _mapping(self, options: list[Schema], field: str) -> Iterator[tuple[str, str]]:
        for option in options:
            for value in self.resolve(option)["properties"][field]["enum"]:
                yield value, option["$ref"]


def component_name(name: str) -> str:
    """Return the name of a component for the name that msgspec gives to a type."""
    generic = _GENERIC.fullmatch(name)
    if generic is not None:
        holder = "List" if generic[1] in {"Listing", "SliceList"} else generic[1]
        return component_name(generic[2]) + holder
    assert "." not in name, f"two types have the name of {name}"
    return name.removesuffix("Shape")


def _target(name: str) -> str:
    """Return the component to which references to a type lead, by msgspec's name of the type."""
    only = {type_.__name__: variants.only for type_, variants in VARIANTS.items()}.get(name)
    return component_name(name if only is None else only.__name__)


def name_of(schema: Schema) -> str:
    """Return the name of the component that a schema refers to."""
    return str(schema["$ref"]).removeprefix(_PREFIX)


def with_default(schema: Schema, default: Any) -> Schema:
    """Return a schema whose description names the default.

    It has no keyword for it: generators take a field with a default for a required one.
    """
    if default in (None, False, "", [], {}):
        return schema
    text = f"{DEFAULT_IS}`{default if isinstance(default, str) else json.dumps(default)}`."
    return {**schema, "description": f"{schema.get('description', '')} {text}".strip()}


def _generate(types: list[Any]) -> tuple[dict[str, Schema], dict[str, Schema]]:
    """Return the schemas of types by their texts, and the components.

    Schemas can name further types, which are added until there are no more.
    """
    types += [
        *OPEN.values(),
        *VARIANTS,
        *(each for variants in VARIANTS.values() for each in variants.types),
        *(variants.form for variants in VARIANTS.values() if variants.form is not None),
    ]
    known: set[str] = set()
    while True:
        known.update(map(repr, types))
        schemas, components = msgspec.json.schema_components(types, ref_template=REF)
        marks = {*_marks(schemas), *_marks(components)}
        further = {repr(each): each for mark in sorted(marks) for each in DOCUMENTED[mark]}
        new = [type_ for key, type_ in further.items() if key not in known]
        if not new:
            return dict(zip(map(repr, types), schemas, strict=True)), components
        types += new


def _marks(value: Any) -> Iterator[str]:
    if isinstance(value, list | tuple):
        for item in value:
            yield from _marks(item)
    if isinstance(value, dict):
        if AS in value:
            yield value[AS]
        for item in value.values():
            yield from _marks(item)


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _references(item)
    if isinstance(value, dict):
        if str(value.get("$ref")).startswith(_PREFIX):
            yield name_of(value)
        for item in value.values():
            yield from _references(item)


def _required(schema: Schema) -> Iterator[str]:
    """Yield the required fields of an object, with those that a check demands."""
    named = schema.get("required", ())
    for name, field in schema.get("properties", {}).items():
        if name in named or (isinstance(field, dict) and REQUIRED in field):
            yield name


def _without_null(schema: Schema) -> Schema:
    """Return a schema without `null`: an absent field is left out of answers.

    In requests null means absent, which the document does not mention.
    """
    if "anyOf" not in schema:
        return schema
    options = [option for option in schema["anyOf"] if option != {"type": "null"}]
    rest = {name: item for name, item in schema.items() if name != "anyOf"}
    return {**options[0], **rest} if len(options) == 1 else {**rest, "anyOf": options}


def _tidied(schema: Schema) -> Schema:
    """Return a schema with what tools need: types of enumerations, objects that are open."""
    if "enum" in schema and "type" not in schema:
        schema["type"] = "string"
    if schema.get("type") == "object" and "properties" not in schema:
        schema.setdefault("additionalProperties", True)
    if "pattern" in schema:
        schema["pattern"] = _LOOKAHEAD.sub("", schema["pattern"])
    return schema

"""What the document says of types beyond their declaration; requests and answers ignore it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec
from msgspec import Meta

AnyShape = TypeVar("AnyShape", bound=type[msgspec.Struct])

AS = "x-documented-as"
HOW = "x-documented-how"
REQUIRED = "x-required"

DOCUMENTED: dict[str, tuple[Any, ...]] = {}
"""The types that `documented_as` names, by their mark in a schema."""


def documented_as(
    *types: Any, required: bool = False, exclusive: bool = True, **schema: Any
) -> Meta:
    """Return the annotation of a value that the document describes as one of `types`.

    The program has another type for such a value: it is checked later, with errors of its own, or
    it is JSON already. A value fits exactly one of the types if that is `exclusive`. `required` is
    for a field that only such a check demands. `schema` has further keywords of JSON Schema.
    """
    marks: dict[str, Any] = dict(schema)
    if types:
        marks[AS] = repr(types)
        marks[HOW] = "oneOf" if exclusive else "anyOf"
        DOCUMENTED[repr(types)] = types
    if required:
        marks[REQUIRED] = True
    return Meta(extra_json_schema=marks)


@dataclass(frozen=True, slots=True)
class Variants:
    """The shapes that the values of one type have on the wire."""

    types: Sequence[type]
    discriminator: str | None = None
    """The field whose value tells the shapes apart; in each of them it is an enumeration."""
    form: type | None = None
    """The shape of the value as a form with files, if not the first one."""

    @property
    def only(self) -> type | None:
        """Return the shape, if there is only one."""
        return self.types[0] if len(self.types) == 1 else None


VARIANTS: dict[type, Variants] = {}
"""The types that the document describes as one of several shapes."""


OPEN: dict[str, Any] = {}
"""The type of the further fields of shapes that may have any, by the name of the shape."""


def with_fields_of(type_: Any) -> Callable[[AnyShape], AnyShape]:
    """Return a decorator: objects of a shape have further fields of a type, under any name."""

    def register(shape: AnyShape) -> AnyShape:
        OPEN[shape.__name__] = type_
        return shape

    return register


with_any_fields = with_fields_of(Any)


DESCRIBED: dict[str, Mapping[str, str]] = {}
"""What the fields of shapes mean, by the name of the shape: for those whose types do not say it."""


def describe_fields(shape: str, texts: Mapping[str, str]) -> None:
    """Say what the fields of a shape mean, by their names on the wire."""
    DESCRIBED[shape.removesuffix("Shape")] = texts


def variant(
    base: type[msgspec.Struct],
    name: str,
    about: str,
    *,
    without: Sequence[str] = (),
    narrowed: Mapping[str, Any] | None = None,
    **types: Any,
) -> type[msgspec.Struct]:
    """Return a shape for the document: that of `base`, in which the fields `types` are required.

    The fields `narrowed` have these types and stay optional.
    """
    fields: list[Any] = []
    for field in msgspec.structs.fields(base):
        if field.name in types:
            fields.append((field.name, types[field.name]))
        elif narrowed and field.name in narrowed:
            fields.append((field.name, narrowed[field.name], None))
        elif field.required:
            fields.append((field.name, field.type))
        elif field.name not in without:
            fields.append((field.name, field.type, None))
    return msgspec.defstruct(
        name, fields, namespace={"__doc__": about}, kw_only=True, rename="camel"
    )


@dataclass(frozen=True, slots=True)
class SentCall:
    """A call that the server makes to an app's server: a trigger, and the data that it sends."""

    summary: str
    data: type
    example: Any
    """The data of an example."""


EVENT_DATA: dict[str, type] = {}
"""The shape of the data of each event, which the document describes under `x-events`."""

SENT_CALLS: dict[str, SentCall] = {}
"""The calls that the document describes under `webhooks`, by trigger."""

"""Make the shapes of bodies and answers from a struct that declares its fields once.

What a field's declaration says is in `hubbub.kernel.fields`.
"""

from collections.abc import Sequence
from typing import Any, Literal, get_origin

import msgspec
from msgspec import UNSET, Struct, UnsetType

from hubbub.http.documented import describe_fields
from hubbub.kernel.fields import Field, FieldMark, fields_of
from hubbub.rest.wire.shapes import Shape

Fields = Sequence[tuple[str, Any, Any]]
"""The fields of a shape: their names, types and defaults."""


def saved_fields(declared: type[Struct]) -> Fields:
    """Return the fields of a body that saves the whole."""
    return [_saved(field) for field in fields_of(declared) if field.is_given]


def changed_fields(declared: type[Struct]) -> Fields:
    """Return the fields of a body that changes some: those that are absent keep their values."""
    return [_changed(field) for field in fields_of(declared) if _may_change(field)]


def shown_fields(declared: type[Struct], *, is_whole: bool = False) -> Fields:
    """Return the fields of an answer, without limits; if it is whole, none of them is absent."""
    return [_shown(field, is_whole) for field in fields_of(declared) if _is_shown(field)]


def make_shape(name: str, about: str, fields: Fields, declared: type[Struct]) -> type[Struct]:
    """Return a shape with a docstring; a declaration says what the fields mean."""
    describe_fields(
        name, {each.wire_name: each.about for each in fields_of(declared) if each.about}
    )
    return msgspec.defstruct(
        name, fields, bases=(Shape,), kw_only=True, namespace={"__doc__": about}
    )


def given_fields(body: Struct, declared: type[Struct]) -> dict[str, Any]:
    """Return what a body gives by name; the text of a field that is to be removed is empty."""
    given: dict[str, Any] = {}
    for field in fields_of(declared):
        value = getattr(body, field.name, UNSET)
        if value is None and FieldMark.REMOVABLE in field.marks:
            value = ""
        if value is not None and value is not UNSET:
            given[field.name] = value
    return given


def show(value: Struct) -> dict[str, Any]:
    """Return the fields of an answer by name."""
    shown = (field.name for field in fields_of(type(value)) if _is_shown(field))
    return {name: getattr(value, name) for name in shown}


def _is_shown(field: Field) -> bool:
    return FieldMark.INTERNAL not in field.marks


def _may_change(field: Field) -> bool:
    return field.is_given and FieldMark.FIXED not in field.marks


def _saved(field: Field) -> tuple[str, Any, Any]:
    if not field.is_optional:
        return field.name, field.given_type, _named(field, field.default)
    if field.absent is None:
        return field.name, field.given_type, _named(field)
    type_ = field.given_type if field.absent.means is not None else field.given_type | None
    return field.name, type_, _named(field, field.absent.means)


def _changed(field: Field) -> tuple[str, Any, Any]:
    if FieldMark.REMOVABLE in field.marks:
        return field.name, field.given_type | UnsetType | None, _named(field, UNSET)
    return field.name, field.given_type | None, _named(field, None)


def _shown(field: Field, is_whole: bool) -> tuple[str, Any, Any]:
    # Values of a set have no limits that may have been others when they were stored.
    is_set = not field.is_given or get_origin(field.plain_type) is Literal
    type_ = field.given_type if is_set else field.plain_type
    if is_whole or not field.is_optional:
        return field.name, type_, _named(field)
    return field.name, type_ | None, _named(field, None)


def _named(field: Field, default: Any = msgspec.NODEFAULT) -> Any:
    return msgspec.field(default=default, name=field.wire_name)

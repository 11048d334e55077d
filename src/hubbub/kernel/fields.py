"""What a struct declares of its fields beyond their types: the places that need it go over them.

    class MailSetup(Struct, frozen=True, rename="camel"):
        host: Annotated[Host | None, FieldText("The name of the mail server.")] = None
        password: Annotated[Password | None, FieldMark.SECRET, Absent()] = None

The type, without None, has the limits of what clients may send.
"""

from dataclasses import dataclass
from enum import Enum
from functools import reduce
from operator import or_
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import Struct

from hubbub.kernel.text import MASK

AnyStruct = TypeVar("AnyStruct", bound=Struct)


class FieldMark(Enum):
    """What a field is, beside its type in `Annotated`."""

    SECRET = "secret"  # noqa: S105
    """It is sealed in the store, and answers have a mark in its place."""
    MADE = "made"
    """The server makes it: no request has it, and it stays when the rest is replaced."""
    INTERNAL = "internal"
    """Likewise, and no answer has it."""
    FIXED = "fixed"
    """It never changes."""
    REMOVABLE = "removable"
    """In a change, null removes it; of other fields, null means not given."""
    EMAIL = "email"
    PHONE_NUMBER = "phone number"
    HOST = "host"
    URL = "URL"
    """The domain checks those forms, and stores addresses in their normal form."""


@dataclass(frozen=True, slots=True)
class FieldText:
    """What a field means, for the document, where its type does not say it."""

    text: str


@dataclass(frozen=True, slots=True)
class Absent:
    """Says that a request to save the whole may lack a field that may be None: what it means."""

    means: Any = None


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a struct as it is declared."""

    name: str
    wire_name: str
    given_type: Any
    """Of a given value, with its limits."""
    is_optional: bool
    """Whether it may be None."""
    default: Any
    about: str | None
    marks: frozenset[FieldMark]
    absent: Absent | None
    nested: type[Struct] | None
    """The struct that it holds, if it does."""
    is_secret: bool
    """Whether it is stored sealed: it, or a field of the struct that it holds."""

    @property
    def plain_type(self) -> Any:
        """Return the type of a value without its limits."""
        return get_args(self.given_type)[0] if _is_annotated(self.given_type) else self.given_type

    @property
    def is_given(self) -> bool:
        """Return whether clients write it."""
        return not self.marks & {FieldMark.MADE, FieldMark.INTERNAL}


def fields_of(struct: type[Struct]) -> tuple[Field, ...]:
    """Return the fields of a struct in their order."""
    if struct not in _FIELDS:
        _FIELDS[struct] = tuple(map(_declared, msgspec.structs.fields(struct)))
    return _FIELDS[struct]


_FIELDS: dict[type[Struct], tuple[Field, ...]] = {}


def merge(before: AnyStruct | None, given: AnyStruct) -> AnyStruct:
    """Return `before` with the given values of `given`, at every depth."""
    if before is None:
        return given
    changes = {
        name: merge(getattr(before, name), value) if isinstance(value, Struct) else value
        for name, value in msgspec.structs.asdict(given).items()
        if value is not None
    }
    return msgspec.structs.replace(before, **changes)


def keep(before: Struct | None, given: AnyStruct) -> AnyStruct:
    """Return `given` with the values of `before` for masked secrets and what the server makes."""
    changes: dict[str, Any] = {}
    for field in fields_of(type(given)):
        value, known = getattr(given, field.name), getattr(before, field.name, None)
        if field.nested is not None and value is not None:
            changes[field.name] = keep(known, value)
        elif not field.is_given or (field.is_secret and value == MASK):
            changes[field.name] = known
    return msgspec.structs.replace(given, **changes)


def mask(value: AnyStruct) -> AnyStruct:
    """Return a struct with `MASK` in the place of each secret, at every depth."""
    changes: dict[str, Any] = {}
    for field in fields_of(type(value)):
        held = getattr(value, field.name)
        if held and field.is_secret:
            changes[field.name] = MASK if field.nested is None else mask(held)
    return msgspec.structs.replace(value, **changes)


def _declared(field: msgspec.structs.FieldInfo) -> Field:
    whole, *notes = get_args(field.type) if _is_annotated(field.type) else (field.type,)
    options = get_args(whole) if get_origin(whole) in (Union, UnionType) else ()
    is_optional = NoneType in options
    given = reduce(or_, (each for each in options if each is not NoneType)) if is_optional else None
    nested = given if isinstance(given, type) and issubclass(given, Struct) else None
    return Field(
        name=field.name,
        wire_name=field.encode_name,
        given_type=given if is_optional else field.type,
        is_optional=is_optional,
        default=field.default,
        about=next((note.text for note in notes if isinstance(note, FieldText)), None),
        marks=frozenset(note for note in notes if isinstance(note, FieldMark)),
        absent=next((note for note in notes if isinstance(note, Absent)), None),
        nested=nested,
        is_secret=FieldMark.SECRET in notes
        or (nested is not None and any(each.is_secret for each in fields_of(nested))),
    )


def _is_annotated(type_: Any) -> bool:
    return get_origin(type_) is Annotated

"""What is wrong with a body or a query, in words for the person who sent it.

msgspec says what it expected in terms of Python and JSON Schema; here each of its sentences becomes
one about the field.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import quote

import msgspec
from msgspec import inspect

from hubbub.kernel.errors import BadInput

LONGEST_PROBLEM = 200
MOST_NAMES = 10
"""The most unknown names that are reported."""
LONGEST_NAME = 40
MOST_VALUES = 50
MOST_LOOKED_AT = 1_000
"""The entries of a list in which unknown names are looked for."""
_PLACED = re.compile(r"(?P<problem>.*) - at (?:`key` in )?`\$(?P<path>[^`]*)`", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(.+)`")
_WRONG_TYPE = re.compile(r"Expected `(.+)`, got `(.+)`")
_LENGTH = re.compile(r"Expected `(str|array|object)` of length (<=|>=) (\d+)")
_SIZE = re.compile(r"Expected `(?:int|float)` (<=|>=) (-?\d+)")
_FORM = re.compile(r"Expected `str` matching regex .*", re.DOTALL)
_OTHER_VALUE = re.compile(r"Invalid enum value (.*)", re.DOTALL)
_BYTE = re.compile(r"(?:JSON is malformed: )?(.*) \(byte (\d+)\)")

_TYPES = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_UNITS = {"str": "characters", "array": "entries", "object": "fields"}


class UnknownNames(BadInput):
    """The request has fields or parameters that the operation does not have."""

    def __init__(self, names: Sequence[str], known: Sequence[str]) -> None:
        has = f"it has {', '.join(known)}" if known else "it has none"
        super().__init__(
            "The request has fields or parameters that this operation does not have.",
            details={
                name[:LONGEST_PROBLEM]: [f"There is no such field or parameter; {has}."]
                for name in names[:MOST_NAMES]
            },
        )


def header_text(names: Sequence[str]) -> str:
    """Return names as a list for a header: the first few, shortened, percent-encoded."""
    shown = [_header_name(name) for name in dict.fromkeys(names)]
    return ", ".join(shown if len(shown) <= MOST_NAMES else [*shown[:MOST_NAMES], "..."])


def _header_name(name: str) -> str:
    most = LONGEST_NAME if name.isascii() else LONGEST_NAME // 4
    cut = name[:most]
    return quote(cut, safe="", errors="replace") + ("..." if cut != name else "")


def unknown_names(value: Any, type_: Any, path: str = "") -> list[str]:
    """Return the names, as dotted paths, of a value that its type does not have; the first few."""
    names: dict[str, None] = {}
    for name in _unknown(value, list(_alternatives(_info(type_))), path):
        names[name] = None
        if len(names) > MOST_NAMES:
            break
    return list(names)


def _unknown(value: Any, types: Sequence[inspect.Type], path: str) -> Iterator[str]:
    if isinstance(value, list):
        items = [inner for each in types for found in _within(each, "") for inner in found]
        for item in value[:MOST_LOOKED_AT] if items else ():
            if isinstance(item, dict | list):
                yield from _unknown(item, items, path)
        return
    fields = _fields_of(types)
    for name, item in value.items() if fields else ():
        if name not in fields:
            yield path + name
        elif isinstance(item, dict | list):
            yield from _unknown(item, list(_alternatives(fields[name])), f"{path}{name}.")


def _fields_of(types: Sequence[inspect.Type]) -> dict[str, inspect.Type]:
    """Return the fields of the structs among some types, by their names on the wire."""
    return {
        field.encode_name: field.type
        for each in types
        if isinstance(each, inspect.StructType)
        for field in each.fields
    }


def invalid(
    fault: msgspec.ValidationError, type_: Any, sent_as: Mapping[str, str] | None = None
) -> BadInput:
    """Return the refusal for a fault that msgspec found in a value for `type_`, by field.

    `sent_as` has the names of the fields that were sent by another name.
    """
    placed = _PLACED.fullmatch(str(fault))
    parts = re.split(r"[.\[\]]+", placed["path"]) if placed else []
    path = [part for part in parts if part]
    problem = (placed["problem"] if placed else str(fault)).strip()
    missing = _MISSING.fullmatch(problem)
    if missing is not None:
        path.append(missing[1])
    shown = (sent_as or {}).get(path[0], path[0]) if path else ""
    name = ".".join([shown, *path[1:]])
    if missing is not None:
        return BadInput.field(name, f"The {name} field is required.")
    if not path:
        return BadInput(f"The body {_say(problem, ())}.")
    return BadInput.field(name, f"The {name} {_say(problem, tuple(_types_at(type_, path)))}.")


def malformed_json(raw: bytes, fault: msgspec.DecodeError) -> BadInput:
    """Return the refusal of a body that is not JSON, with the line and column of the fault."""
    reason, place = split_malformed(raw, fault)
    before = raw[:place].rpartition(b"\n")
    line, column = (
        before[0].count(b"\n") + 1 + bool(before[1]),
        len(before[2].decode(errors="replace")) + 1,
    )
    return not_json(reason, line, column)


def split_malformed(raw: bytes | bytearray, fault: msgspec.DecodeError) -> tuple[str, int]:
    """Return what is wrong with a body that is not JSON, and at which byte."""
    placed = _BYTE.fullmatch(str(fault))
    return ("it ends too early", len(raw)) if placed is None else (placed[1], int(placed[2]))


def not_json(reason: str, line: int, column: int) -> BadInput:
    """Return the refusal of a body that is not JSON."""
    return BadInput(
        f"The body is not a JSON object: {reason}, at line {line}, column {column}.",
        dev_message="Send a JSON object with the header Content-Type: application/json.",
    )


def _say(problem: str, types: Sequence[inspect.Type]) -> str:
    """Return what a field must be, as the rest of a sentence about it."""
    if found := _WRONG_TYPE.fullmatch(problem):
        if found[2] == "float" and "int" in found[1].split(" | "):
            return "must be a whole number, without a fraction"
        expected = [_TYPES.get(each, each) for each in found[1].split(" | ") if each != "null"]
        return f"must be {' or '.join(expected) or 'null'}, not {_TYPES.get(found[2], found[2])}"
    if found := _LENGTH.fullmatch(problem):
        if found[2] == ">=" and found[3] == "1":
            return "must not be empty"
        bound = "at most" if found[2] == "<=" else "at least"
        return f"must have {bound} {int(found[3]):,} {_UNITS[found[1]]}"
    if found := _SIZE.fullmatch(problem):
        return f"must be {'at most' if found[1] == '<=' else 'at least'} {int(found[2]):,}"
    if _FORM.fullmatch(problem):
        return f"has a form that it can't have. It consists of: {_described(types)}"
    if found := _OTHER_VALUE.fullmatch(problem):
        return f"must be one of {_values(types)}, not {found[1][:LONGEST_PROBLEM]}"
    return f"has the wrong form: {problem[:LONGEST_PROBLEM]}"


def _described(types: Sequence[inspect.Type]) -> str:
    for each in types:
        if isinstance(each, inspect.Metadata) and isinstance(each.type, inspect.StrType):
            description = (each.extra_json_schema or {}).get("description")
            if description:
                return str(description).removesuffix(".")
    patterns = [str(each.pattern) for each in types if isinstance(each, inspect.StrType)]
    return " or ".join(patterns)


def _values(types: Sequence[inspect.Type]) -> str:
    found = [
        str(value)
        for each in types
        if isinstance(each, inspect.LiteralType)
        for value in each.values
    ]
    return ", ".join(found[:MOST_VALUES])


@lru_cache(maxsize=1_000)
def _info(type_: Any) -> inspect.Type:
    return inspect.type_info(type_)


def _types_at(type_: Any, path: Sequence[str]) -> Iterator[inspect.Type]:
    """Yield the types that a field may have, and what is said of them."""
    types = list(_alternatives(_info(type_)))
    for part in path:
        types = [inner for each in types for found in _within(each, part) for inner in found]
    yield from types


def _within(type_: inspect.Type, part: str) -> Iterator[Iterator[inspect.Type]]:
    """Yield the types of the part of a value: a field, an entry, or a value by its key."""
    match type_:
        case inspect.StructType(fields=fields):
            for field in fields:
                if field.encode_name == part:
                    yield _alternatives(field.type)
        case inspect.ListType(item_type=item):
            yield _alternatives(item)
        case inspect.DictType(value_type=value):
            yield _alternatives(value)


def _alternatives(type_: inspect.Type) -> Iterator[inspect.Type]:
    """Yield a type and those that it consists of."""
    yield type_
    match type_:
        case inspect.Metadata(type=inner):
            yield from _alternatives(inner)
        case inspect.UnionType(types=types):
            for each in types:
                yield from _alternatives(each)

"""Decode bodies and queries into values of the declared types.

What is malformed is refused here, as 400 with the field named. Names that a type does not have are
reported; whether they are refused is decided by the operation.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache, reduce
from operator import or_
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin
from urllib.parse import parse_qsl

import msgspec

from hubbub.http.decoding.faults import invalid, malformed_json, unknown_names
from hubbub.http.operation import LARGEST_BODY
from hubbub.kernel.errors import BadInput
from hubbub.kernel.nesting import MOST_VALUES, check_form

MOST_FIELDS = 200
"""The most fields of a query."""
LARGEST_WHOLE = 64 * 1024
"""In larger JSON, only the names of its own fields are looked for."""
_ENCODED = re.compile("[%+]")
_UNKNOWN_FIELD = "Object contains unknown field"
_UNKNOWN_NAME = re.compile(f"{_UNKNOWN_FIELD} `(.*?)`")
ALIASES = (("limit", "perPage"), ("perPage", "limit"))
"""Names of queries that are taken for one another, where a query has only the first one."""

decode_names = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
"""Decodes only the names of the fields of an object."""


def decode_body(
    raw: bytes, type_: type, ignored: list[str] | None = None, *, most_values: int = MOST_VALUES
) -> Any:
    """Return the JSON object in `raw` as `type_`; an empty body is an empty object.

    Names that the type does not have are added to `ignored`. To look for them in each body would
    cost more than to decode it, so the first try refuses them.

    Raises:
        BadInput: it is not JSON in UTF-8, beyond the limits of its form, or does not fit.
    """
    if not raw.isascii():
        _check_text(raw)
    check_form(raw, most_values)
    return decode_checked(raw, type_, ignored)


def _check_text(raw: bytes) -> None:
    try:
        raw.decode()
    except UnicodeDecodeError as fault:
        raise not_text(fault.start) from None


def not_text(position: int) -> BadInput:
    """Return the refusal of a body with a byte that is not UTF-8."""
    return BadInput(f"The body is not UTF-8: the byte at position {position} is invalid.")


class Malformed(Exception):  # it becomes a refusal, once it is known where
    """A body is not JSON, or no JSON object; `fault` says why."""

    def __init__(self, fault: Exception) -> None:
        self.fault = fault


def decode_checked(raw: bytes, type_: type, ignored: list[str] | None = None) -> Any:
    """Return the JSON object in a body whose form was checked, as `decode_body` does.

    Raises:
        BadInput: it is not JSON, or does not fit the type.
    """
    raw = raw or b"{}"
    if b"\\u" not in raw and len(raw) <= LARGEST_BODY:
        try:  # `suppress` costs as much as the decoding of a message
            return _decoder_of(type_).decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass  # the passes find out why
    try:
        *_, value = decode_in_passes(raw, type_, ignored)
        return value
    except Malformed as malformed:
        fault = malformed.fault
    if b"\\ud" in raw.lower():
        raise unpaired_surrogate()
    if isinstance(fault, msgspec.DecodeError):
        raise malformed_json(raw, fault)
    raise BadInput("The body is not a JSON object.")


def unpaired_surrogate() -> BadInput:
    """Return the refusal of a body that is not JSON, and has an escape that may be the reason."""
    return BadInput("The body is not JSON, or has an unpaired surrogate (\\ud800 to \\udfff).")


def decode_in_passes(
    raw: bytes | bytearray, type_: type, ignored: list[str] | None = None
) -> Iterator[Any]:
    """Yield the JSON object in a body whose form was checked; before it, None after each pass.

    Raises:
        Malformed: it is not JSON.
        BadInput: it does not fit the type.
    """
    try:
        if len(raw) <= LARGEST_BODY and b"\\u" in raw and (b"\\ud" in raw or b"\\uD" in raw):
            # It refuses unpaired surrogates, in ignored fields too. Of what is larger, an import,
            # each row is decoded by itself.
            msgspec.json.decode(raw)
            yield None
        try:
            value = _decoder_of(type_).decode(raw)
        except msgspec.ValidationError as fault:
            yield None
            _report_unknown(fault, _decode_plainly(raw), type_, ignored)
            yield None
            value = _lenient_decoder(type_).decode(raw)
    except msgspec.ValidationError as fault:
        raise invalid(fault, type_) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise Malformed(fault) from None
    if len(raw) > LARGEST_BODY or b"\\u0000" in raw:  # to search an import costs more
        refuse_nul(value)
    yield value


def convert_body(value: Any, type_: Any, ignored: list[str] | None = None, path: str = "") -> Any:
    """Return a decoded object as `type_`; `path` is put before the names added to `ignored`.

    Raises:
        BadInput: it does not fit the type.
    """
    try:
        try:
            return msgspec.convert(value, _strict_struct(type_))
        except msgspec.ValidationError as fault:
            _report_unknown(fault, value, type_, ignored, path)
            return msgspec.convert(value, type_)
    except msgspec.ValidationError as fault:
        raise invalid(fault, type_) from None


def _report_unknown(
    fault: msgspec.ValidationError,
    value: Any,
    type_: type,
    ignored: list[str] | None,
    path: str = "",
) -> None:
    """Add the unknown names in a value to `ignored`; raise a fault that is not about them."""
    if _UNKNOWN_FIELD not in str(fault):
        raise fault
    if ignored is not None:
        ignored += unknown_names(value, type_, path) or _UNKNOWN_NAME.findall(str(fault))


def _decode_plainly(raw: bytes | bytearray) -> Any:
    """Return a JSON object; an empty one if a field that is not read has a number out of range.

    Of a large one only the names of its fields are decoded.
    """
    try:
        return decode_names(raw) if len(raw) > LARGEST_WHOLE else msgspec.json.decode(raw)
    except msgspec.DecodeError:
        return {}


@cache
def _decoder_of(type_: type) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(_strict(type_))


@lru_cache(maxsize=256)
def _lenient_decoder(type_: type) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(type_)


def _strict(type_: Any) -> Any:
    """Return a type like `type_` whose structs, nested ones too, refuse unknown names."""
    if isinstance(type_, type) and issubclass(type_, msgspec.Struct):
        return _strict_struct(type_)
    parts = get_args(type_)
    if get_origin(type_) is Annotated:
        return Annotated[(_strict(parts[0]), *parts[1:])]
    if get_origin(type_) in (Union, UnionType):
        return reduce(or_, map(_strict, parts))
    if get_origin(type_) in (list, dict):
        return get_origin(type_)[tuple(map(_strict, parts))]
    return type_


@lru_cache(maxsize=256)
def _strict_struct(type_: type[msgspec.Struct]) -> type[msgspec.Struct]:
    fields = [(field, _strict(field.type)) for field in msgspec.structs.fields(type_)]
    return msgspec.defstruct(
        type_.__name__,
        [(each.name, strict, _default(each)) for each, strict in fields if strict != each.type],
        bases=(type_,),
        module=type_.__module__,
        forbid_unknown_fields=True,
        kw_only=True,
    )


def _default(field: msgspec.structs.FieldInfo) -> Any:
    if field.default_factory is not msgspec.NODEFAULT:
        return msgspec.field(default_factory=field.default_factory, name=field.encode_name)
    return msgspec.field(default=field.default, name=field.encode_name)


def refuse_nul(value: Any, path: str = "") -> None:
    """Refuse U+0000 in text fields; in JSON objects (`data`, `metadata`) it is kept.

    Raises:
        BadInput: a text field has it.
    """
    if isinstance(value, str):
        if "\0" in value:
            raise BadInput.field(path, f"The {path} must not contain the character U+0000.")
    elif isinstance(value, list):
        for number, item in enumerate(value):
            refuse_nul(item, f"{path}.{number}")
    elif isinstance(value, dict):
        for key, item in value.items():
            if isinstance(item, msgspec.Struct):
                refuse_nul(item, f"{path}.{key}")
    elif isinstance(value, msgspec.Struct):
        for attribute, name in _field_names(type(value)):
            refuse_nul(getattr(value, attribute), f"{path}.{name}" if path else name)


@lru_cache(maxsize=256)
def _field_names(type_: type[msgspec.Struct]) -> tuple[tuple[str, str], ...]:
    """Return the fields of a shape: the attribute and the name on the wire."""
    return tuple((field.name, field.encode_name) for field in msgspec.structs.fields(type_))


@lru_cache(maxsize=256)
def _query_fields(type_: type[msgspec.Struct]) -> dict[str, type]:
    """Return the names that a query may have, and how each is read: list, bool, int or str."""
    found: dict[str, type] = {}
    for field in msgspec.structs.fields(type_):
        parts = {get_origin(part) or part for part in _parts_of(field.type)}
        found[field.encode_name] = next((t for t in (list, bool, int) if t in parts), str)
    return found


def _parts_of(type_: Any) -> Iterator[Any]:
    """Yield a type and those that it consists of."""
    yield type_
    for part in get_args(type_):
        yield from _parts_of(part)


@lru_cache(maxsize=256)
def _required_names(type_: type[msgspec.Struct]) -> tuple[str, ...]:
    """Return the names that a query must have."""
    return tuple(each.encode_name for each in msgspec.structs.fields(type_) if each.required)


def decode_query(text: str, type_: type[msgspec.Struct], ignored: list[str] | None = None) -> Any:
    """Return the query string as `type_`; lists are comma-separated, repeated, or named `name[]`.

    Names that the type does not have are added to `ignored`, except those of `ALIASES`.

    Raises:
        BadInput: values are missing or do not fit the type, or it is not UTF-8.
    """
    fields = _query_fields(type_)
    values: dict[str, Any] = {}
    others: dict[str, str] = {}
    for name, value in _split_query(text) if text else ():
        name = name.removesuffix("[]")
        if name not in fields:
            others[name] = value
            continue
        if "\0" in value:
            raise BadInput.field(name, f"The {name} must not contain the character U+0000.")
        if fields[name] is list:
            values.setdefault(name, []).extend(part for part in value.split(",") if part)
        elif value:
            values[name] = value
    sent_as = _take_aliases(fields, values, others) if others else {}
    if ignored is not None:
        ignored += others
    faults = dict(_faults_of(values, type_, sent_as))
    if faults:
        raise BadInput.fields(faults)
    try:
        return msgspec.convert(values, type_, strict=False)
    except msgspec.ValidationError as fault:
        raise invalid(fault, type_, sent_as) from None


def _take_aliases(
    fields: Mapping[str, type], values: dict[str, Any], others: dict[str, str]
) -> dict[str, str]:
    """Move the values of aliases from `others` to `values`; return the name sent for each."""
    sent_as: dict[str, str] = {}
    for name, alias in ALIASES:
        if name in fields and alias in others:
            value = others.pop(alias)
            if name not in values and value:
                values[name], sent_as[name] = value, alias
    return sent_as


def query_names(text: str) -> list[str]:
    """Return the names in a query that an operation does not read."""
    return list(dict.fromkeys(name.removesuffix("[]") for name, _ in _split_query(text)))


_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


def _faults_of(
    values: dict[str, Any], type_: type[msgspec.Struct], sent_as: Mapping[str, str]
) -> Iterator[tuple[str, list[str]]]:
    """Yield the names that are missing or malformed, and why; the words of others become values."""
    fields = _query_fields(type_)
    for name, value in values.items():
        shown = sent_as.get(name, name)
        if fields[name] is int and not (value.isascii() and value.isdecimal()):
            yield shown, [f"The {shown} must be a whole number, in decimal digits."]
        elif fields[name] is bool and value not in _BOOLEANS:
            yield shown, [f"The {shown} must be true, false, 1 or 0."]
        elif fields[name] is bool:
            values[name] = _BOOLEANS[value]
    for name in _required_names(type_):
        if name not in values:
            yield name, [f"The {name} field is required."]


def _split_query(text: str) -> list[tuple[str, str]]:
    if text.isascii() and not _ENCODED.search(text) and text.count("&") < MOST_FIELDS:
        parts = [field.partition("=") for field in text.split("&") if field]
        return [(name, value) for name, _, value in parts]
    try:
        return parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS)
    except (UnicodeDecodeError, ValueError):
        raise BadInput("The query string is not UTF-8, or has too many fields.") from None

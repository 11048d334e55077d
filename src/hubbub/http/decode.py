"""Decode bodies and queries into values of the declared types.

What is malformed is refused here, as 400 with the field named.
"""

import re
from functools import lru_cache
from itertools import accumulate
from typing import Any, get_args, get_origin
from urllib.parse import parse_qsl

import msgspec

from hubbub.http.faults import invalid, malformed_json
from hubbub.kernel.errors import BadInput

DEEPEST = 64
"""The most levels of objects and lists in a body."""
_ESCAPED = re.compile(rb"\\.", re.DOTALL)
_STEPS = {ord("{"): 1, ord("["): 1, ord("}"): -1, ord("]"): -1}
_BESIDES_FORM = bytes(byte for byte in range(256) if byte not in _STEPS and byte != ord('"'))
"""All bytes but brackets and quotes."""
MOST_FIELDS = 200
"""The most fields of a query."""
_ENCODED = re.compile("[%+]")

_decoders: dict[type, msgspec.json.Decoder[Any]] = {}


def decode_body(raw: bytes, type_: type) -> Any:
    """Return the JSON object in `raw` as `type_`; an empty body is an empty object.

    Raises:
        BadInput: it is not JSON, not UTF-8, nested too deeply, or does not fit the type.
    """
    raw = raw or b"{}"
    decoder = _decoders.get(type_)
    if decoder is None:
        decoder = _decoders[type_] = msgspec.json.Decoder(type_)
    try:
        _check_form(raw)
        value = decoder.decode(raw)
    except msgspec.ValidationError as fault:
        raise invalid(fault, type_) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise _malformed(raw, fault) from None
    if b"\\u0000" in raw:
        refuse_nul(value)
    return value


def _check_form(raw: bytes) -> None:
    if not raw.isascii():
        raw.decode()
    if raw.count(b"{") + raw.count(b"[") > DEEPEST and _nesting_depth(raw) > DEEPEST:
        raise BadInput(f"The body is nested deeper than {DEEPEST} levels.")
    if b"\\u" in raw and (b"\\ud" in raw or b"\\uD" in raw):
        msgspec.json.decode(raw)  # refuses unpaired surrogates, in ignored fields too


def _nesting_depth(raw: bytes) -> int:
    if b"\\" in raw:
        raw = _ESCAPED.sub(b"", raw)
    form = raw.translate(None, _BESIDES_FORM).replace(b'""', b"")
    brackets = b"".join(form.split(b'"')[::2])  # the other parts are in strings
    return max(accumulate(map(_STEPS.__getitem__, brackets)), default=0)


def _malformed(raw: bytes, fault: Exception) -> BadInput:
    try:
        raw.decode()
    except UnicodeDecodeError as failure:
        return BadInput(f"The body is not UTF-8: the byte at position {failure.start} is invalid.")
    if b"\\ud" in raw.lower():
        return BadInput("The body is not JSON, or has an unpaired surrogate (\\ud800 to \\udfff).")
    if isinstance(fault, msgspec.DecodeError):
        return malformed_json(raw, fault)
    return BadInput("The body is not a JSON object.")


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
    """Return the names that a query may have, and how each is read: as `list`, `bool` or `str`."""
    found: dict[str, type] = {}
    for field in msgspec.structs.fields(type_):
        parts = (field.type, *get_args(field.type))
        is_list = any(get_origin(part) is list for part in parts)
        found[field.encode_name] = list if is_list else bool if bool in parts else str
    return found


def decode_query(text: str, type_: type[msgspec.Struct]) -> Any:
    """Return the query string as `type_`; lists are comma-separated, repeated, or named `name[]`.

    Raises:
        BadInput: a value does not fit the type, or is not UTF-8.
    """
    values: dict[str, Any] = {}
    if text:
        fields = _query_fields(type_)
        for name, value in _split_query(text):
            name = name.removesuffix("[]")
            if name not in fields:
                continue
            if "\0" in value:
                raise BadInput.field(name, f"The {name} must not contain the character U+0000.")
            if fields[name] is list:
                values.setdefault(name, []).extend(part for part in value.split(",") if part)
            elif value:
                values[name] = _parse_bool(name, value) if fields[name] is bool else value
    try:
        return msgspec.convert(values, type_, strict=False)
    except msgspec.ValidationError as fault:
        raise invalid(fault, type_) from None


_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


def _parse_bool(name: str, text: str) -> bool:
    if text not in _BOOLEANS:
        raise BadInput.field(name, f"The {name} must be true, false, 1 or 0.")
    return _BOOLEANS[text]


def _split_query(text: str) -> list[tuple[str, str]]:
    if text.isascii() and not _ENCODED.search(text) and text.count("&") < MOST_FIELDS:
        parts = [field.partition("=") for field in text.split("&") if field]
        return [(name, value) for name, _, value in parts]
    try:
        return parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS)
    except (UnicodeDecodeError, ValueError):
        raise BadInput("The query string is not UTF-8, or has too many fields.") from None

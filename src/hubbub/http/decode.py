"""What comes in, made safe: bodies, queries and path parts become values of the declared types.

All that is wrong with the form of a request is told here, as 400 with the field named.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, get_args, get_origin
from urllib.parse import parse_qsl

import msgspec

from hubbub.kernel.errors import BadInput
from hubbub.kernel.text import normalise_id
from hubbub.records.members.model import SCOPES

DEEPEST = 64
# Possessive, and content with a string that has no end: it looks at each byte once.
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_BRACKET = re.compile(rb"[\[\]{}]")
_PLACE = re.compile(r"(?P<problem>.*) - at (?:`key` in )?`\$(?P<path>[^`]*)`", re.DOTALL)
LONGEST_PROBLEM = 200
_MISSING = re.compile(r"Object missing required field `(.+)`")
LARGEST_ID = 2**63 - 1
LONGEST_REACTION = 100
_NO_TEXT = re.compile("[\0\ufffd\ud800-\udfff]")

_decoders: dict[type, msgspec.json.Decoder[Any]] = {}


def decode_body(raw: bytes, type_: type) -> Any:
    """The JSON object in `raw` as `type_`; an empty body is an empty object.

    Raises:
        BadInput: it is not JSON, not UTF-8, too deep, or not of that shape.
    """
    raw = raw or b"{}"
    decoder = _decoders.get(type_)
    if decoder is None:
        decoder = _decoders[type_] = msgspec.json.Decoder(type_)
    try:
        _check_form(raw)
        value = decoder.decode(raw)
    except msgspec.ValidationError as fault:
        raise invalid(fault) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise _malformed(raw) from None
    if b"\\u0000" in raw:
        refuse_nul(value)
    return value


def _check_form(raw: bytes) -> None:
    if not raw.isascii():
        raw.decode()
    if raw.count(b"{") + raw.count(b"[") > DEEPEST and _depth(raw) > DEEPEST:
        raise BadInput(f"The body is nested deeper than {DEEPEST} levels.")
    if b"\\ud" in raw or b"\\uD" in raw:
        msgspec.json.decode(raw)  # finds unpaired surrogates, in ignored fields too


def _depth(raw: bytes) -> int:
    deepest = depth = 0
    for bracket in _BRACKET.findall(_STRING.sub(b"", raw)):
        depth += 1 if bracket in b"[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _malformed(raw: bytes) -> BadInput:
    try:
        raw.decode()
    except UnicodeDecodeError as fault:
        return BadInput(f"The body is not UTF-8: the byte at {fault.start} is out of place.")
    if b"\\ud" in raw.lower():
        return BadInput(
            "The body is not JSON, or holds an unpaired surrogate (\\ud800 to \\udfff)."
        )
    return BadInput(
        "The body is not a JSON object.",
        dev_message="Send a JSON object with the header Content-Type: application/json.",
    )


def invalid(fault: msgspec.ValidationError, prefix: str = "") -> BadInput:
    """The refusal that names the field which msgspec found wrong."""
    match = _PLACE.fullmatch(str(fault))
    path = _dotted(match["path"] if match else "", prefix)
    problem = (match["problem"] if match else str(fault))[:LONGEST_PROBLEM]
    missing = _MISSING.fullmatch(problem)
    if missing is not None:
        field = f"{path}.{missing[1]}" if path else missing[1]
        return BadInput.field(field, f"The {field} field is required.")
    if not path:
        return BadInput(f"The body is not what is expected here: {problem}.")
    return BadInput.field(path, f"{problem}.")


def _dotted(path: str, prefix: str) -> str:
    steps = [step for step in re.split(r"[.\[\]]+", path) if step]
    return ".".join([prefix, *steps] if prefix else steps)


def refuse_nul(value: Any, path: str = "") -> None:
    """Refuse U+0000 in plain fields; inside free objects (`data`, `metadata`) it is kept.

    Raises:
        BadInput: a plain text field holds it.
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
        for attribute, name in _names(type(value)):
            refuse_nul(getattr(value, attribute), f"{path}.{name}" if path else name)


@lru_cache(maxsize=256)
def _names(type_: type[msgspec.Struct]) -> tuple[tuple[str, str], ...]:
    """The fields of a shape, as we and as the wire call them."""
    return tuple((field.name, field.encode_name) for field in msgspec.structs.fields(type_))


@lru_cache(maxsize=256)
def _query_fields(type_: type[msgspec.Struct]) -> dict[str, type]:
    """The query names of a shape, and how each is read: `list`, `bool`, or as it stands (`str`)."""
    found: dict[str, type] = {}
    for field in msgspec.structs.fields(type_):
        parts = (field.type, *get_args(field.type))
        is_list = any(get_origin(part) is list for part in parts)
        found[field.encode_name] = list if is_list else bool if bool in parts else str
    return found


def decode_query(text: str, type_: type[msgspec.Struct]) -> Any:
    """The query string as `type_`; lists may be comma-separated, repeated, or named `name[]`.

    Raises:
        BadInput: a value does not fit, or is no UTF-8.
    """
    values: dict[str, Any] = {}
    if text:
        fields = _query_fields(type_)
        for name, value in _pairs(text):
            name = name.removesuffix("[]")
            if name not in fields:
                continue
            if "\0" in value:
                raise BadInput.field(name, f"The {name} must not contain the character U+0000.")
            if fields[name] is list:
                values.setdefault(name, []).extend(part for part in value.split(",") if part)
            elif value:
                values[name] = _boolean(name, value) if fields[name] is bool else value
    try:
        return msgspec.convert(values, type_, strict=False)
    except msgspec.ValidationError as fault:
        raise invalid(fault) from None


_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


def _boolean(name: str, text: str) -> bool:
    if text not in _BOOLEANS:
        raise BadInput.field(name, f"The {name} must be true, false, 1 or 0.")
    return _BOOLEANS[text]


def _pairs(text: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=200)
    except (UnicodeDecodeError, ValueError):
        raise BadInput("The query string is not UTF-8, or has too many fields.") from None


def _id(name: str) -> Callable[[str], str]:
    return lambda text: normalise_id(text, name)


def parse_message_id(text: str, name: str = "id") -> int:
    """A message id: decimal digits.

    Raises:
        BadInput: it has other characters, or is too large to be one.
    """
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(LARGEST_ID))
    if not is_number or not 0 < int(text) <= LARGEST_ID:
        raise BadInput.field(name, f"The {name} must be a message id: a positive whole number.")
    return int(text)


def _plain(name: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if "\0" in text or "\ufffd" in text or len(text) > 255:
            raise BadInput.field(name, f"The {name} is no valid id.")
        return text

    return parse


def _scope(text: str) -> str:
    if text not in SCOPES:
        raise BadInput.field("scope", f"The scope must be one of {', '.join(SCOPES)}.")
    return text


def _reaction(text: str) -> str:
    """A reaction; of bytes that are no UTF-8 the server has made U+FFFD."""
    if not 0 < len(text) <= LONGEST_REACTION or _NO_TEXT.search(text):
        raise BadInput.field(
            "reaction",
            f"The reaction must be 1 to {LONGEST_REACTION} characters of UTF-8, but not U+0000.",
        )
    return text


PATH_PARAMETERS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "apiKey": ("An API key.", _plain("apiKey")),
    "appId": ("The id of an app.", _plain("appId")),
    "authToken": ("An auth token of the user.", _plain("authToken")),
    "conversationId": ("The id of a conversation.", _plain("conversationId")),
    "guid": ("The id of a group.", _id("guid")),
    "id": ("The id of a message.", parse_message_id),
    "permission": ("The id of a permission.", _plain("permission")),
    "providerId": ("The id of a provider.", _plain("providerId")),
    "reaction": ("An emoji, or any text of 1 to 100 characters.", _reaction),
    "role": ("The id of a role.", _id("role")),
    "scope": ("`admin`, `moderator` or `participant`.", _scope),
    "uid": ("The id of a user.", _id("uid")),
}
"""Every name that may stand in a path: its meaning, and how its text becomes a value."""

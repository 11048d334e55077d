"""Payloads within the limit of a gateway: `message` goes first, then `body` is cut."""

import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

ONE = "-"
ZERO_WIDTH_JOINER = "\u200d"
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_TAGS = range(0xE0020, 0xE0080)
_FLAGS = range(0x1F1E6, 0x1F200)
"""The letters that flags are pairs of."""

Fields = Mapping[str, Any]
_encode = msgspec.json.Encoder().encode


def fit(encode: Callable[[Fields], bytes], fields: Fields, limit: int) -> bytes | None:
    """Return what `encode` makes of the fields, or of as much of them as is within the limit.

    None: without `message` and with an empty `body`, they are still too much.
    """
    encoded = encode(fields)
    if len(encoded) > limit and "message" in fields:
        fields = {name: value for name, value in fields.items() if name != "message"}
        encoded = encode(fields)
    if len(encoded) <= limit:
        return encoded
    body = fields.get("body")
    if not isinstance(body, str) or not body:
        return None
    bare = encode({**fields, "body": ONE})  # not empty, for an empty one may be left out
    copies = max(1, (len(encoded) - len(bare)) // max(1, _size(body) - len(ONE)))
    room = (limit - len(bare)) // copies + len(ONE)
    encoded = encode({**fields, "body": cut(body, room)})
    return encoded if len(encoded) <= limit else None


def cut(text: str, limit: int) -> str:
    """Return the longest beginning of whole characters that takes so many bytes in JSON."""
    end = bisect_right(range(len(text) + 1), limit, key=lambda at: _size(text[:at])) - 1
    end = max(0, end)
    while 0 < end < len(text) and not _is_boundary(text, end):
        end -= 1
    return text[:end]


def _size(text: str) -> int:
    """Return how many bytes a text takes in JSON, without its quotes."""
    return len(_encode(text)) - 2


def _is_boundary(text: str, at: int) -> bool:
    """Return whether a text may be cut there: what people take for one letter is not."""
    before, after = text[at - 1], text[at]
    if ZERO_WIDTH_JOINER in {before, after} or unicodedata.category(after).startswith("M"):
        return False
    if ord(after) in _SKIN_TONES or ord(after) in _TAGS:
        return False
    if ord(before) in _FLAGS and ord(after) in _FLAGS:
        return _count_flags(text, at) % 2 == 0
    return True


def _count_flags(text: str, at: int) -> int:
    """Return how many letters of flags stand in a row before a place."""
    begin = at
    while begin and ord(text[begin - 1]) in _FLAGS:
        begin -= 1
    return at - begin

"""How deeply JSON is nested, found without decoding it: decoders give up at some depth."""

import re
from itertools import accumulate

DEEPEST = 64
"""The most levels of objects and lists in JSON from outside."""
_ESCAPED = re.compile(rb"\\.", re.DOTALL)
_STEPS = {ord("{"): 1, ord("["): 1, ord("}"): -1, ord("]"): -1}
_BESIDES_FORM = bytes(byte for byte in range(256) if byte not in _STEPS and byte != ord('"'))
"""All bytes but brackets and quotes."""


def is_too_deep(raw: bytes) -> bool:
    """Return whether JSON is nested deeper than `DEEPEST` levels."""
    return raw.count(b"{") + raw.count(b"[") > DEEPEST and _nesting_depth(raw) > DEEPEST


def _nesting_depth(raw: bytes) -> int:
    if b"\\" in raw:
        raw = _ESCAPED.sub(b"", raw)
    form = raw.translate(None, _BESIDES_FORM).replace(b'""', b"")
    brackets = b"".join(form.split(b'"')[::2])  # the other parts are in strings
    return max(accumulate(map(_STEPS.__getitem__, brackets)), default=0)

"""The form of JSON, found without decoding it: how deep it is nested, and what decoding costs.

Decoders give up at some depth, need up to half a microsecond for a value, eight nanoseconds for an
escape, and twelve microseconds for a number with a large exponent. Nothing else runs on the event
loop meanwhile. So the limits here are checked before. The check runs in C, and large JSON is looked
at in pieces.
"""

from array import array
from itertools import accumulate

from hubbub.kernel.errors import BadInput

DEEPEST = 64
"""The most levels of objects and lists in JSON from outside."""
MOST_VALUES = 20_000
"""The most values in JSON from outside; the data of a message has room for half as many."""
MOST_EXTREME = 200
"""The most numbers with an exponent of three digits."""
MOST_ESCAPES = 525_000
"""The most backslashes in JSON from outside: not even one of 1 MiB has room for more escapes."""
LONG_DIGITS = 500
MOST_LONG = 50
"""The most times that numbers have so many digits in a row."""
SMALL_BYTES = 2048
"""In so little JSON, nothing but the depth can go beyond the limits."""
_STEPS = bytes.maketrans(b"[]", b"\x01\xff")
"""What a bracket adds to the depth, as a signed byte."""
_SHAPE = bytes.maketrans(b"{}123456789E", b"[]000000000e")
"""Brackets, digits and exponents of one kind each."""
_BESIDES_SHAPE = bytes(byte for byte in range(256) if byte not in b'{}[],"0123456789eE-')
_BESIDES_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]")
_BESIDES_VALUES = bytes(byte for byte in range(256) if byte not in b"[,")
_EXTREME = b"e000", b"e-000"
_LONG_NUMBER = b"0" * LONG_DIGITS


class JsonForm:
    """The form of one JSON text, as far as its pieces were taken in."""

    def __init__(self, most_values: int = MOST_VALUES) -> None:
        self._most_values = most_values
        self._is_escaped = self._is_in_string = False
        self._depth = self._values = self._extreme = self._long = self._escapes = 0

    def take(self, piece: bytes) -> None:
        """Look at the next piece.

        Raises:
            BadInput: the JSON is nested too deeply, or has too many values, escapes, or such
                numbers.
        """
        self._escapes += piece.count(b"\\")
        if self._escapes > MOST_ESCAPES:
            raise BadInput(f"The body has more than {MOST_ESCAPES:,} escapes; send it as UTF-8.")
        outside = self._take_strings(piece)
        self._values += len(outside.translate(None, _BESIDES_VALUES))
        if self._values > self._most_values:
            raise BadInput(f"The body has more than {self._most_values:,} values.")
        self._extreme += sum(map(outside.count, _EXTREME))
        if self._extreme > MOST_EXTREME:
            raise BadInput(
                f"The body has more than {MOST_EXTREME} numbers with an exponent of three digits."
            )
        self._long += outside.count(_LONG_NUMBER)
        if self._long > MOST_LONG:
            raise BadInput(f"The body has too many numbers of more than {LONG_DIGITS} digits.")
        self._nest(outside.translate(None, _BESIDES_BRACKETS))

    def _take_strings(self, piece: bytes) -> bytes:
        """Return brackets, commas and numbers outside of strings."""
        if self._is_escaped:
            piece = piece[1:]
        if b"\\" in piece:
            piece = piece.replace(b"\\\\", b"").replace(b'\\"', b"")
        self._is_escaped = piece.endswith(b"\\")
        shape = piece.translate(_SHAPE, _BESIDES_SHAPE)
        if self._is_in_string:
            shape = b'"' + shape
        parts = shape.replace(b'""', b"").split(b'"')
        self._is_in_string = len(parts) % 2 == 0
        return b"".join(parts[::2])

    def _nest(self, brackets: bytes) -> None:
        opened = brackets.count(b"[")
        if opened + self._depth > DEEPEST:
            steps = array("b", brackets.translate(_STEPS))
            if max(accumulate(steps, initial=self._depth)) > DEEPEST:
                raise BadInput(f"The body is nested deeper than {DEEPEST} levels.")
        self._depth += 2 * opened - len(brackets)


def check_form(raw: bytes, most_values: int = MOST_VALUES) -> None:
    """Check the form of JSON at once.

    Raises:
        BadInput: it is nested too deeply, or has too many values, or such numbers.
    """
    if len(raw) > SMALL_BYTES or raw.count(b"{") + raw.count(b"[") > DEEPEST:
        JsonForm(most_values).take(raw)

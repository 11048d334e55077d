"""The form of JSON: depth, values and numbers outside of strings, in pieces of any size."""

import json
import random
from collections.abc import Iterator

import pytest

from hubbub.kernel.errors import BadInput
from hubbub.kernel.nesting import (
    DEEPEST,
    LONG_DIGITS,
    MOST_EXTREME,
    MOST_LONG,
    MOST_VALUES,
    SMALL_BYTES,
    JsonForm,
    check_form,
)


def is_taken(raw: bytes, piece: int) -> bool:
    """Return whether JSON is taken when it is looked at in pieces of this size."""
    form = JsonForm()
    try:
        for start in range(0, len(raw), piece):
            form.take(raw[start : start + piece])
    except BadInput:
        return False
    return True


def depth_of(value: object) -> int:
    """Return the levels of a decoded value."""
    if isinstance(value, dict):
        return 1 + max(map(depth_of, value.values()), default=0)
    return 1 + max(map(depth_of, value), default=0) if isinstance(value, list) else 0


def grow(dice: random.Random, levels: int) -> object:
    """Return a value with texts that look like structure."""
    if levels == 0:
        return dice.choice([0, 1.5, True, None, '"', "\\", '\\"', "[[[{", "]}", "", "é\n"])
    inner = [grow(dice, levels - 1), *(grow(dice, 0) for _ in range(dice.randrange(4)))]
    dice.shuffle(inner)
    if dice.random() < 0.5:
        return inner
    return {f"{dice.choice(['', '[', chr(92), chr(34)])}{n}": each for n, each in enumerate(inner)}


@pytest.mark.parametrize("seed", range(20))
def test_the_depth_is_that_of_the_decoded_value(seed: int) -> None:
    """A value is taken exactly if it is not too deep, whatever its texts are, in any pieces."""
    dice = random.Random(seed)
    for levels in (1, 10, DEEPEST - 1, DEEPEST, DEEPEST + 1, DEEPEST + 5):
        value = grow(dice, levels)
        raw = json.dumps(value, ensure_ascii=dice.random() < 0.5).encode()
        for piece in (1, 2, 3, 7, 1000, len(raw)):
            assert is_taken(raw, piece) == (depth_of(value) <= DEEPEST)


def costly() -> Iterator[tuple[str, bytes, bool]]:
    """Yield JSON with and without too much in it."""
    for is_too_much in (False, True):
        yield "values", b"[" + b"0," * (MOST_VALUES - 1 + is_too_much) + b"0]", is_too_much
        yield "lists", b"[" + b"[]," * (MOST_VALUES // 2 - 1 + is_too_much) + b"0]", is_too_much
        for number in (b"1.7976931348623157e308", b"2.2E-308", b"1e+300"):
            many = b"[" + (number + b",") * (MOST_EXTREME + is_too_much) + b"0]"
            yield number.decode(), many + b" " * SMALL_BYTES, is_too_much
        long = b"7" * LONG_DIGITS + b","
        yield "digits", b"[" + long * (MOST_LONG + is_too_much) + b"0]", is_too_much
    yield "text", b'["' + b"[,0e300," * MOST_VALUES + b'"]', False
    yield "quotes", b"[" + b'"\\"[[,",' * (MOST_VALUES // 2) + b"0]", False


@pytest.mark.parametrize(("raw", "is_too_much"), [case[1:] for case in costly()])
def test_what_costs_time_to_decode_is_bounded(raw: bytes, is_too_much: bool) -> None:
    """Values and numbers that are slow to decode are counted, and those in texts are not."""
    assert is_taken(raw, len(raw)) == (not is_too_much)
    if is_too_much:
        with pytest.raises(BadInput):
            check_form(raw)
    else:
        check_form(raw)

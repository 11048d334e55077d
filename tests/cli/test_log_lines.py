"""Log lines stay short, whatever is logged."""

import sys

from hubbub.cli.log_lines import LONGEST_TEXT, format_traceback, shorten_texts


def recurse(depth: int) -> int:
    """Fail in the innermost of many calls."""
    if depth == 0:
        raise ValueError("the innermost")
    if depth % 2:  # so that no line repeats, which a traceback would count
        return recurse(depth - 1)
    return recurse(depth - 1)


def test_tracebacks_are_bounded() -> None:
    """Of a deep recursion the innermost calls are logged, and the error."""
    try:
        recurse(500)
    except ValueError:
        failure = sys.exc_info()
    assert failure[0] is not None
    text = format_traceback((failure[0], failure[1], failure[2]))

    assert text.startswith("Traceback")
    assert text.endswith("ValueError: the innermost")
    assert text.count("in recurse") == 40


def test_texts_are_bounded() -> None:
    """The middle of a long text is left out, also that of an error."""
    line = {"event": "defect", "exception": "begin" + "x" * 200_000 + "end", "ms": 5}
    short = shorten_texts(None, "error", line)

    assert short["exception"].startswith("begin")
    assert short["exception"].endswith("end")
    assert len(short["exception"]) < LONGEST_TEXT + 10
    assert (short["event"], short["ms"]) == ("defect", 5)

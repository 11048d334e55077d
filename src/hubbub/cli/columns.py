"""Lists as text: one line for each row, never cut, so that keys can be copied and lines grepped."""

from collections.abc import Sequence


def print_columns(*rows: Sequence[str]) -> None:
    """Print rows in columns as wide as their longest cell; control characters as `?`."""
    rows = tuple(tuple(map(printable, row)) for row in rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())


def printable(text: str) -> str:
    """Return a text with control characters as `?`: a terminal would obey them."""
    return "".join(each if each.isprintable() else "?" for each in text)

"""JSON Lines themselves: what an export writes, what one writes oneself, and refused rows again."""

from collections.abc import Iterator
from contextlib import suppress
from typing import IO

import msgspec

from hubbub.moving.lines import KIND, KINDS, AnyLine
from hubbub.moving.sources.interface import LONGEST_BROKEN, Broken, Reading, Row
from hubbub.moving.tree import DAMAGED, Tree

LONGEST_LINE = 1024 * 1024
"""Bytes; the line ends a longer one."""

_decode = msgspec.json.Decoder(AnyLine).decode
_decode_any = msgspec.json.Decoder(dict[str, object]).decode


class Lines:
    """`*.jsonl` and `*.ndjson`, all of a folder."""

    name = "lines"
    title = "JSON Lines"

    def detect(self, tree: Tree) -> bool:
        """Return whether the first line is of a kind, or refused: others have other lines."""
        first = next(filter(_is_lines, tree.names()), None)
        if first is None:
            return False
        with tree.open(first) as file, suppress(*DAMAGED, msgspec.MsgspecError, UnicodeDecodeError):
            fields = _decode_any(file.readline(LONGEST_LINE))
            return fields.get(KIND) in KINDS or _is_refused(fields)
        return False

    def read(self, tree: Tree, reading: Reading) -> Iterator[Row | Broken]:
        names = tree.names()
        found = [name for name in names if _is_lines(name)] or names[:1]
        for name in found:
            with tree.open(name) as file:
                yield from read_lines(name, file)


def read_lines(name: str, file: IO[bytes]) -> Iterator[Row | Broken]:
    """Yield the rows of a file of lines; empty lines are left out."""
    number = 0
    try:
        while text := file.readline(LONGEST_LINE + 1):
            number += 1
            if len(text) > LONGEST_LINE:
                size = _size_of_line(file, text)
                yield Broken(name, number, f"The line has {size:,} bytes, more than 1 MiB.", "")
            elif not text.isspace():
                yield _read_line(name, number, text)
    except DAMAGED as fault:
        yield Broken(name, number + 1, f"The archive is damaged here: {fault}.", "")


def _size_of_line(file: IO[bytes], text: bytes) -> int:
    """Read to the end of a line that begins with `text`; return its size."""
    size = len(text)
    while not text.endswith(b"\n") and (text := file.readline(LONGEST_LINE)):
        size += len(text)
    return size


def _read_line(name: str, number: int, text: bytes) -> Row | Broken:
    try:
        return Row(name, number, _decode(text))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _read_slowly(name, number, text)


def _read_slowly(name: str, number: int, text: bytes) -> Row | Broken:
    """Return a row whose fields are to be checked one by one, or why it is none."""
    try:
        return _again(name, number, _decode_any(text))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
        shown = text[:LONGEST_BROKEN].decode("utf-8", "replace").rstrip("\n")
        return Broken(name, number, f"The line is no JSON object: {fault}.", shown)


def _again(name: str, number: int, fields: dict[str, object]) -> Row | Broken:
    """Return a row; of one that an earlier import refused what was to be mended in it."""
    if not _is_refused(fields):
        return Row(name, number, fields)
    row = fields.get("row")
    return Row(name, number, row if isinstance(row, dict) else _decode_any(str(fields["text"])))


def _is_refused(fields: dict[str, object]) -> bool:
    """Return whether a line is one of the rows that an earlier import refused."""
    is_mended = isinstance(fields.get("row"), dict) or isinstance(fields.get("text"), str)
    return "error" in fields and is_mended


def _is_lines(name: str) -> bool:
    return name.endswith((".jsonl", ".ndjson"))

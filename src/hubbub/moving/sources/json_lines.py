"""Files of other systems with one JSON object in each line."""

from collections.abc import Iterator

import msgspec

from hubbub.moving.sources.interface import LONGEST_BROKEN, Broken, Reading
from hubbub.moving.sources.json_stream import NOT_UTF8
from hubbub.moving.sources.rows import SourcePlace
from hubbub.moving.sources.values import Object
from hubbub.moving.tree import DAMAGED, Tree

LONGEST_LINE = 64 * 1024 * 1024
"""Bytes: a line may be a post with thousands of replies."""

_decode = msgspec.json.Decoder().decode


def read_json_lines(
    tree: Tree, name: str, reading: Reading
) -> Iterator[tuple[SourcePlace, Object] | Broken]:
    """Yield the objects of a file with their places; empty lines are left out."""
    number = 0
    with tree.open(name) as file:
        try:
            while line := file.readline(LONGEST_LINE + 1):
                number += 1
                if len(line) > LONGEST_LINE:
                    yield Broken(name, number, "The line has more than 64 MiB.", "")
                    while not line.endswith(b"\n") and line:
                        line = file.readline(LONGEST_LINE)
                elif not line.isspace():
                    yield _read_line(SourcePlace(name, number), line, reading)
        except DAMAGED as fault:
            yield Broken(name, number + 1, f"The archive is damaged here: {fault}.", "")


def _read_line(
    place: SourcePlace, line: bytes, reading: Reading
) -> tuple[SourcePlace, Object] | Broken:
    text = line.decode("utf-8-sig", "replace")
    if "\ufffd" in text:
        replaced = text.count("\ufffd") - line.count("\ufffd".encode())
        reading.drop(NOT_UTF8, max(0, replaced))
    try:
        value = _decode(text)
    except (msgspec.DecodeError, RecursionError) as fault:
        error = f"The line is no JSON: {fault}."
        return Broken(place.source, place.number, error, text[:LONGEST_BROKEN].rstrip("\n"))
    if not isinstance(value, dict):
        error = "The line is no JSON object."
        return Broken(place.source, place.number, error, text[:LONGEST_BROKEN].rstrip("\n"))
    return place, value

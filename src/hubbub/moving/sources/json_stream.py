"""Large JSON documents, read part by part: memory holds one part at a time."""

import codecs
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from decimal import Decimal
from itertools import islice
from typing import IO, Any

import ijson

from hubbub.moving.sources.interface import Reading
from hubbub.moving.tree import DAMAGED, Tree

NOT_UTF8 = "characters that are not valid UTF-8"
BEGINS = object()
"""Stands for the value of a part that only begins here."""
_FIRST_EVENTS = 500
_DEEPEST = 500
_ENDS = ("end_map", "end_array")
_CHUNK = 64 * 1024
_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_REPLACED = "\ufffd"
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|.)", re.DOTALL)
_OPEN_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*(\\(?:x[0-9A-Fa-f]?)?)\Z")


class BrokenJson(Exception):
    """A document is no JSON from some place on; the message says why."""


class RepairedText:
    """A file of text as UTF-8, whatever it is: bytes that are none are replaced, and counted.

    Some writers escape control characters with `x` and two digits, which JSON does not know; they
    become escapes with `u`.
    """

    def __init__(self, file: IO[bytes], reading: Reading | None = None) -> None:
        self._file = file
        self._reading = reading
        self._decoder: codecs.IncrementalDecoder | None = None
        self._tail = b""
        self._held = ""

    def read(self, size: int = -1) -> bytes:
        """Return the next piece, of about `size` bytes; an empty one at the end."""
        while chunk := self._file.read(size):
            if text := self._repaired(self._decoded(chunk, is_last=False), is_last=False):
                return text.encode("utf-8", "replace")
        if size == 0 or self._decoder is None:
            return b""
        return self._repaired(self._decoded(b"", is_last=True), is_last=True).encode()

    def _decoded(self, chunk: bytes, *, is_last: bool) -> str:
        if self._decoder is None:
            encoding = next((_BOMS[bom] for bom in _BOMS if chunk.startswith(bom)), "utf-8")
            self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        text = self._decoder.decode(chunk, is_last)
        if _REPLACED in text:
            self._count(text, chunk)
        self._tail = (self._tail + chunk)[-2:]
        return text

    def _count(self, text: str, chunk: bytes) -> None:
        written = (self._tail + chunk).count(_REPLACED.encode())
        replaced = text.count(_REPLACED) - written
        if self._reading is not None and replaced > 0:
            self._reading.drop(NOT_UTF8, replaced)

    def _repaired(self, text: str, *, is_last: bool) -> str:
        text, self._held = self._held + text, ""
        if not is_last and "\\" in text[-3:] and (begun := _OPEN_ESCAPE.search(text)):
            text, self._held = text[: begun.start(1)], begun[1]
        if "\\x" not in text:
            return text
        return _ESCAPE.sub(lambda found: f"\\u00{found[1]}" if found[1] else found[0], text)


def read_parts(
    file: IO[bytes],
    wanted: Collection[str],
    begin: Collection[str] = (),
    reading: Reading | None = None,
) -> Iterator[tuple[str, Any]]:
    """Yield the values at paths such as `chats.list.item.name`, in the order of the file.

    `item` stands for each value of a list. At the paths of `begin`, where an object begins, the
    value is `BEGINS`.

    Raises:
        BrokenJson: the file is no JSON from here on.
    """
    builder: ijson.ObjectBuilder | None = None
    building = 0
    for depth, path, event, value in _read_events(RepairedText(file, reading), _CHUNK):
        if builder is not None:
            builder.event(event, value)
            if depth == building and event in _ENDS:
                yield path(), builder.value
                builder = None
        elif event in ("map_key", *_ENDS):
            continue
        elif event == "start_map" and path() in begin:
            yield path(), BEGINS
        elif path() not in wanted:
            continue
        elif event in ("start_map", "start_array"):
            builder, building = ijson.ObjectBuilder(), depth
            builder.event(event, value)
        else:
            yield path(), value


def _read_events(
    file: RepairedText, chunk: int
) -> Iterator[tuple[int, Callable[[], str], str, Any]]:
    """Yield the events of a document, each with its depth and its path."""
    steps: list[str] = []

    def path() -> str:
        return ".".join(steps)

    try:
        for event, value in ijson.basic_parse(file, buf_size=chunk):
            if event == "map_key":
                steps[-1] = value
            elif event in _ENDS:
                steps.pop()
            yield len(steps), path, event, float(value) if isinstance(value, Decimal) else value
            if event in ("start_map", "start_array"):
                steps.append("item")
                if len(steps) > _DEEPEST:
                    raise BrokenJson(f"it is nested more than {_DEEPEST} levels deep")
    except (ijson.JSONError, UnicodeError, ValueError, OverflowError, *DAMAGED) as fault:
        raise BrokenJson(str(fault).partition("\n")[0][:200]) from None


def first_keys(tree: Tree, name: str) -> dict[str, Any]:
    """Return the first fields of the object that a file is, with values that are texts or numbers.

    It reads the beginning only; a file that is no object has none.
    """
    found: dict[str, Any] = {}
    with tree.open(name) as file, suppress(BrokenJson):
        events = _read_events(RepairedText(file), 4096)
        for depth, path, event, value in islice(events, _FIRST_EVENTS):
            if depth == 0 and event != "start_map":
                break
            if depth == 1 and event == "map_key":
                found[value] = None
            elif depth == 1 and event in ("string", "number") and path() in found:
                found[path()] = value
    return found

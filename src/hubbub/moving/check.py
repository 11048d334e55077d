"""Check the rows of a source in themselves, before anything is stored."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec

from hubbub.http.decoding.decode import convert_body, refuse_nul
from hubbub.kernel.errors import BadInput
from hubbub.moving.apply.files import files_of
from hubbub.moving.apply.outcome import refused
from hubbub.moving.compare import checksum, normalise
from hubbub.moving.lines import FILE, KIND, KINDS, FileLine, Line, MessageLine
from hubbub.moving.plain import find_traits
from hubbub.moving.sources.interface import LONGEST_BROKEN, Broken, Row
from hubbub.moving.staging import BROKEN, Checked, Plain
from hubbub.moving.tree import FileMissing, Tree

_encode = msgspec.json.Encoder().encode
NUL = b"\\u0000"
LONGEST_NAME = 100
MOST_NAMES = 1000
"""So many different fields are counted; the names come from the source."""


class Checking:
    """Checks rows, and counts the fields that lines do not have."""

    def __init__(self, tree: Tree, dropped: Counter[str]) -> None:
        self._tree = tree
        self._dropped = dropped

    def check(self, row: Row | Broken) -> Checked:
        """Return a row as it is staged: its line in one form, or why it is refused."""
        if isinstance(row, Broken):
            return Checked(row.source, row.number, error=row.error, text=row.text.encode())
        kind = _kind_of(row.line)
        try:
            line = normalise(self._convert(row.line))
            body = _encode(line)
            if NUL in body:
                refuse_nul(line)
            if isinstance(line, MessageLine) and FILE.encode() in body:
                self._measure_files(line)
                body = _encode(line)
            if isinstance(line, FileLine):
                self._size_of(line.path, "path")
        except BadInput as refusal:
            error = refused(refusal).error
            return Checked(row.source, row.number, error=error, text=_text(row.line), kind=kind)
        except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError) as fault:
            error = f"The row can't be written as JSON: {fault}."
            return Checked(row.source, row.number, error=error, kind=kind)
        traits = find_traits(line, body)
        plain = Plain(traits, checksum(line)) if traits is not None else None
        return Checked(row.source, row.number, line=line, text=body, kind=kind, plain=plain)

    def _convert(self, line: Line | Mapping[str, Any]) -> Line:
        """Return the line that fields are.

        Raises:
            BadInput: they are none.
        """
        if isinstance(line, Line):
            return line
        kind = line.get(KIND)
        if kind not in KINDS:
            raise BadInput.field(KIND, f"The {KIND} must be one of {', '.join(KINDS)}.")
        known = {KIND, *KINDS[kind].__struct_encode_fields__}
        for name in line.keys() - known:
            field = f"field {kind}.{name}"[:LONGEST_NAME]
            is_one_of_few = field in self._dropped or len(self._dropped) < MOST_NAMES
            self._dropped[field if is_one_of_few else "other unknown fields"] += 1
        fields = {name: value for name, value in line.items() if name in known}
        converted: Line = convert_body(fields, KINDS[kind])
        return converted

    def _measure_files(self, line: MessageLine) -> None:
        """Note the sizes of the files beside the source, by which they are compared later.

        Raises:
            BadInput: there is no such file.
        """
        for name in files_of(line):
            self._size_of(name, "data.attachments")

    def _size_of(self, name: str, field: str) -> int:
        try:
            return self._tree.size(name)
        except FileMissing as missing:
            raise BadInput.field(field, str(missing)) from None


def _kind_of(line: Line | Mapping[str, Any]) -> str:
    kind = line.__struct_config__.tag if isinstance(line, Line) else line.get(KIND)
    return str(kind) if kind in KINDS else BROKEN


def _text(line: Line | Mapping[str, Any]) -> bytes:
    """Return a refused row, so that it can be mended and fed in again."""
    try:
        return _encode(line)
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError, TypeError):
        return repr(line)[:LONGEST_BROKEN].encode("utf-8", "replace")

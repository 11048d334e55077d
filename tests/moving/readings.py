"""Reads the fixtures of sources: `fixtures/<source>/<case>`, a folder or a file."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

import msgspec

from hubbub.moving.lines import AnyLine, Line
from hubbub.moving.sources.interface import Broken, Reading, Row
from hubbub.moving.sources.known import SOURCES
from hubbub.moving.tree import open_tree
from hubbub.records.messages.model import LARGEST_DATA_BYTES

FIXTURES = Path(__file__).parent / "fixtures"


@dataclass(frozen=True, slots=True)
class Found:
    """What a reading of a source gives; lines as their JSON."""

    lines: list[dict[str, Any]]
    places: list[tuple[str, int]]
    broken: list[Broken]
    dropped: Counter[str]

    def of(self, kind: str, *fields: str) -> list[Any]:
        """Return these fields of the lines of a kind: of one field its values, else tuples."""
        rows = [line for line in self.lines if line["type"] == kind]
        if not fields:
            return [{key: line[key] for key in line if key != "type"} for line in rows]
        if len(fields) == 1:
            return [line.get(fields[0]) for line in rows]
        return [tuple(line.get(field) for field in fields) for line in rows]

    def message(self, muid: str) -> dict[str, Any]:
        """Return the one message with this muid."""
        found: dict[str, Any]
        (found,) = (line for line in self.of("message") if line["muid"] == muid)
        return found

    def texts(self) -> list[str | None]:
        """Return the texts of the messages."""
        return [(line.get("data") or {}).get("text") for line in self.of("message")]


def read(name: str, path: Path, timezone: tzinfo = UTC) -> Found:
    """Read a path as a source; each line is checked, and a second reading gives the same."""
    reading = Reading(timezone)
    found = list(SOURCES[name].read(open_tree(path), reading))
    again = list(SOURCES[name].read(open_tree(path), Reading(timezone)))

    assert found == again
    rows = [row for row in found if isinstance(row, Row)]
    return Found(
        [checked(row.line) for row in rows],
        [(row.source, row.number) for row in rows],
        [row for row in found if isinstance(row, Broken)],
        reading.dropped,
    )


def checked(line: Line | Mapping[str, Any]) -> dict[str, Any]:
    """Return a line as its JSON.

    Raises:
        msgspec.ValidationError: it is not valid.
    """
    plain: dict[str, Any] = msgspec.to_builtins(line)
    msgspec.convert(plain, AnyLine)
    data = {key: value for key, value in (plain.get("data") or {}).items() if key != "attachments"}

    assert len(msgspec.json.encode(data)) <= LARGEST_DATA_BYTES
    return plain


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files into a folder, and return it."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def at(text: str) -> int:
    """Return the seconds of an ISO time; without a zone it is in UTC."""
    moment = datetime.fromisoformat(text)
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())

"""What the tests of sources share: a fixture read as rows."""

from collections.abc import Iterable, Mapping
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any

import msgspec

from hubbub.moving.lines import KIND, KINDS, Line
from hubbub.moving.sources.interface import Broken, Reading, Row
from hubbub.moving.sources.known import SOURCES
from hubbub.moving.tree import Tree, open_tree

FIXTURES = Path(__file__).parent / "fixtures"


class Read:
    """All that a source yields for some files."""

    def __init__(self, name: str, path: Path | None = None, timezone: tzinfo = UTC) -> None:
        reading = Reading(timezone)
        found = list(SOURCES[name].read(tree_of(path or FIXTURES / name), reading))
        self.rows = [each for each in found if isinstance(each, Row)]
        self.broken = [each for each in found if isinstance(each, Broken)]
        self.dropped = dict(reading.dropped)

    def of(self, kind: str, source: str = "") -> list[dict[str, Any]]:
        """Return the fields of the lines of a kind, without the kind; of one file, if named."""
        return [
            {name: value for name, value in fields.items() if name != KIND}
            for row in self.rows
            for fields in [fields_of(row)]
            if fields[KIND] == kind and source in ("", row.source)
        ]

    def faults(self) -> list[tuple[str, int, str]]:
        """Return where something can't be read, and why."""
        return [(each.source, each.number, each.error) for each in self.broken]

    def message(self, ending: str) -> dict[str, Any]:
        """Return the one message whose muid ends so."""
        [found] = [each for each in self.of("message") if each["muid"].endswith(ending)]
        return found

    def texts(self, source: str = "") -> list[str | None]:
        """Return the texts of all messages, or of those of a file; None for one without."""
        return [each.get("data", {}).get("text") for each in self.of("message", source)]


def tree_of(path: Path) -> Tree:
    """Return the files of a fixture."""
    return open_tree(path)


def fields_of(row: Row) -> Mapping[str, Any]:
    """Return the fields of a row's line, with its kind."""
    return row.line if isinstance(row.line, Mapping) else msgspec.to_builtins(row.line)


def checked(row: Row) -> Line:
    """Return the line of a row.

    Raises:
        msgspec.ValidationError: it is none.
    """
    fields = dict(fields_of(row))
    return msgspec.convert(fields, KINDS[fields.get(KIND, "")])


def without(lines: Iterable[Mapping[str, Any]], *names: str) -> list[dict[str, Any]]:
    """Return lines without some of their fields."""
    return [{name: each for name, each in line.items() if name not in names} for line in lines]

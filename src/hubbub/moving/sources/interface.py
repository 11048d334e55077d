"""What each module of this folder is: a reader of one system's exports, as lines."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from typing import Any, Protocol

import msgspec

from hubbub.moving.lines import Line
from hubbub.moving.tree import Tree


class Row(msgspec.Struct, frozen=True):
    """What one place of a source says; a place may have several rows.

    `line` is a checked line, or the fields of one, with its kind in `type`, that are still to be
    checked: what is wrong in it refuses this row alone.
    """

    source: str
    """The name of the file, within the source."""
    number: int
    """The line in the file, or the place in its list, from 1."""
    line: Line | Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Broken:
    """A place of a source that can't be read; the rows after it can."""

    source: str
    number: int
    error: str
    text: str
    """What stands there, shortened to `LONGEST_BROKEN` characters."""


LONGEST_BROKEN = 2000


@dataclass(slots=True)
class Reading:
    """How a source is read, and what of it is left out."""

    timezone: tzinfo = UTC
    """The zone of local times, in sources that do not say it."""
    dropped: Counter[str] = field(default_factory=Counter)
    """How often something was left out, by what it was: it is in the report."""

    def drop(self, what: str, times: int = 1) -> None:
        """Count something of the source that no line carries; `what` reads like "custom emoji"."""
        self.dropped[what] += times


class SourceUnreadable(Exception):
    """A source can't be read at all; the message says why, and what to do."""


class Source(Protocol):
    """The export of another system. Reading it twice gives the same rows in the same order."""

    name: str
    """By which `--from` names it."""
    title: str
    """Its name for people, such as "Slack"."""

    def detect(self, tree: Tree) -> bool:
        """Return whether the files are plainly of this system; it reads the least possible."""
        ...

    def read(self, tree: Tree, reading: Reading) -> Iterator[Row | Broken]:
        """Yield the rows, in any order, in constant memory but for users and groups.

        Raises:
            SourceUnreadable: the files are not of this system, or lack what it needs.
        """
        ...

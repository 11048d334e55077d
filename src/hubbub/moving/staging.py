"""The staging database of an import: all rows of the source, on disk, in the order to import them.

Rows come in any order, and may be more than fit into memory: they are written into a SQLite file
beside the store. Then they are numbered: kind by kind, messages by time, and each after the message
that it replies to or quotes. Reading the same source again gives the same numbers, so a number says
how far an import has come, wherever it goes on.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

import msgspec

from hubbub.moving.compare import key_of, references_of
from hubbub.moving.lines import KINDS, AnyLine, Line, MessageLine, PlainLine

BROKEN = "row"
"""The kind of rows that are not even lines."""
RANKS = {BROKEN: 0, **{kind: rank for rank, kind in enumerate(KINDS, start=1)}}
_NAMES = {rank: kind for kind, rank in RANKS.items()}
NOT_PLAIN = (None, None)
MOST_TURNS = 20
"""So long may a chain of messages be that quote each other against their times."""
STEP = 2000
FORM = 1
"""The form of the tables below, which grows with each change."""
_decode = msgspec.json.Decoder(AnyLine).decode
_decode_plain = msgspec.json.Decoder(PlainLine).decode
_encode = msgspec.json.Encoder().encode

_SCHEMA = """
CREATE TABLE IF NOT EXISTS sources (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS rows (
    id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, at INTEGER NOT NULL, source INTEGER NOT NULL,
    line INTEGER NOT NULL, body BLOB NOT NULL, error TEXT, key TEXT, traits INTEGER, sum INTEGER);
CREATE TABLE IF NOT EXISTS references_to (id INTEGER NOT NULL, key TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS places (place INTEGER PRIMARY KEY, id INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""


class Plain(NamedTuple):
    """What is known of a plain message from its staging on."""

    traits: int
    sum: int
    """The checksum of its line."""


class StagedRow(msgspec.Struct, frozen=True):
    """A row in its place: a checked line, or why it is refused."""

    place: int
    kind: str
    source: str
    number: int
    body: bytes
    """The line as JSON; of one that is refused what stood there."""
    error: str | None
    plain: Plain | None = None

    def line(self) -> Line:
        """Return the line of a row without error."""
        line: Line = _decode(self.body)
        return line

    def plain_line(self) -> PlainLine:
        """Return the line of a row that is `plain`."""
        assert self.plain is not None
        line = _decode_plain(self.body)
        line.traits = self.plain.traits
        return line


class Checked(msgspec.Struct, frozen=True):
    """A row to stage: a checked line, or why it is refused."""

    source: str
    number: int
    line: Line | None = None
    error: str | None = None
    text: bytes = b""
    """The line as JSON; of one that is refused what stands there."""
    kind: str = BROKEN
    plain: Plain | None = None


class Staging:
    """The staging database in a file, made if it does not exist."""

    def __init__(self, path: Path) -> None:
        self._database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        # It can be made again from the source, so a commit need not wait for the disk.
        self._database.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536;"
            "PRAGMA temp_store = FILE;" + _SCHEMA
        )
        self._sources: dict[str, int] = {}
        self._names: dict[int, str] = {}
        self._next = 1

    def __enter__(self) -> "Staging":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    @property
    def is_current(self) -> bool:
        """Return whether this version has completed it: another one may have other tables."""
        [[form]] = self._database.execute("PRAGMA user_version")
        return bool(form == FORM)

    @property
    def dropped(self) -> dict[str, int]:
        """Return what the source has that no line carries."""
        return msgspec.json.decode(self._fact("dropped") or "{}", type=dict[str, int])

    @property
    def total(self) -> int:
        """Return the number of rows."""
        [[count]] = self._database.execute("SELECT count(*) FROM places")
        return int(count)

    def add(self, rows: Iterable[Checked]) -> None:
        """Add rows, in the order of the source."""
        staged: list[tuple[object, ...]] = []
        references: list[tuple[int, str]] = []
        for row in rows:
            id_, line = self._next, row.line
            self._next += 1
            source = self._source(row.source)
            if line is None:
                rank = RANKS[row.kind]
                staged.append(
                    (id_, rank, 0, source, row.number, row.text, row.error, None, None, None)
                )
                continue
            at, key = 0, None
            if isinstance(line, MessageLine):
                at, key = line.sent_at, key_of(line)
                if row.plain is None:
                    references += [(id_, each) for each in references_of(line)]
            traits, sum_ = row.plain or NOT_PLAIN
            staged.append(
                (id_, RANKS[row.kind], at, source, row.number, row.text, None, key, traits, sum_)
            )
        with self._writing():
            self._database.executemany(
                "INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", staged
            )
            self._database.executemany("INSERT INTO references_to VALUES (?, ?)", references)

    def complete(self, dropped: dict[str, int]) -> None:
        """Number the rows: nothing is added any more."""
        with self._writing():
            self._number()
            fact = ("dropped", _encode(dropped).decode())
            self._database.execute("INSERT INTO facts VALUES (?, ?)", fact)
            self._database.execute(f"PRAGMA user_version = {FORM}")

    def read(self, after: int, *, limit: int) -> list[StagedRow]:
        """Return the rows after a place, in order."""
        found = self._database.execute(
            "SELECT p.place, r.kind, r.source, r.line, r.body, r.error, r.traits, r.sum"
            " FROM places p"
            " JOIN rows r ON r.id = p.id WHERE p.place > ? ORDER BY p.place LIMIT ?",
            (after, limit),
        )
        names = self._source_names()
        return [
            StagedRow(
                place,
                _NAMES[kind],
                names[source],
                number,
                body,
                error,
                None if traits is None else Plain(traits, sum_),
            )
            for place, kind, source, number, body, error, traits, sum_ in found
        ]

    def read_all(self) -> Iterator[Sequence[StagedRow]]:
        """Yield all rows in order, some at a time."""
        after = 0
        while rows := self.read(after, limit=STEP):
            yield rows
            after = rows[-1].place

    def _number(self) -> None:
        """Give each row its place.

        A message that refers to one of a later place has a later turn. What is left after
        `MOST_TURNS` refers to itself in the end: it keeps its place, and is refused there.
        """
        run = self._database.execute
        run("CREATE TEMP TABLE turns (id INTEGER PRIMARY KEY, turn INTEGER NOT NULL)")
        [[has_references]] = run("SELECT EXISTS (SELECT 1 FROM references_to)")
        if has_references:
            # Of many messages with the same key a reference means the first one.
            run("CREATE INDEX rows_by_key ON rows (key, at, id) WHERE key IS NOT NULL")
            for _ in range(MOST_TURNS):
                changed = run(
                    "INSERT OR REPLACE INTO turns SELECT own.id,"
                    " max(coalesce(found.turn, 0) + ((other.at, other.id) > (own.at, own.id)))"
                    " FROM references_to t JOIN rows own ON own.id = t.id"
                    " JOIN rows other ON other.id ="
                    " (SELECT n.id FROM rows n WHERE n.key = t.key ORDER BY n.at, n.id LIMIT 1)"
                    " LEFT JOIN turns found ON found.id = other.id"
                    " LEFT JOIN turns had ON had.id = own.id"
                    " GROUP BY own.id HAVING max(coalesce(found.turn, 0)"
                    " + ((other.at, other.id) > (own.at, own.id))) > coalesce(max(had.turn), 0)"
                ).rowcount
                if not changed:
                    break
        run(
            "INSERT INTO places (id) SELECT r.id FROM rows r LEFT JOIN turns t ON t.id = r.id"
            " ORDER BY r.kind, coalesce(t.turn, 0), r.at, r.id"
        )

    def _source(self, name: str) -> int:
        name = name.encode("utf-8", "replace").decode()  # names of files may be any bytes
        if name not in self._sources:
            with closing(self._database.cursor()) as cursor:
                cursor.execute("INSERT OR IGNORE INTO sources (name) VALUES (?)", (name,))
                cursor.execute("SELECT id FROM sources WHERE name = ?", (name,))
                [self._sources[name]] = cursor.fetchone()
        return self._sources[name]

    def _source_names(self) -> dict[int, str]:
        if not self._names:
            self._names = dict(self._database.execute("SELECT id, name FROM sources"))
        return self._names

    def _fact(self, name: str) -> str | None:
        found = self._database.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return str(found[0]) if found else None

    def _writing(self) -> "_Writing":
        return _Writing(self._database)


class _Writing:
    """A transaction: a thousand statements that are not in one take ten times as long."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def __enter__(self) -> None:
        self._database.execute("BEGIN")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._database.execute("COMMIT")

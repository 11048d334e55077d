"""Migrations of the schema: numbered files in `schema/`; each is applied once and recorded."""

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files

import structlog

from hubbub.storage.errors import SchemaTooNew

log = structlog.get_logger()

NOTE_SECONDS = 10.0
"""How often the log says that a step is still under way."""
_TABLE = re.compile(r"^CREATE TABLE (\w+) \((.*?)^\)", re.DOTALL | re.MULTILINE)
_KEY = re.compile(r"PRIMARY KEY \(([^)]+)\)|^    (\w+) TEXT NOT NULL PRIMARY KEY", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a column `app_id`, and the columns of its primary key."""

    name: str
    key: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Migration:
    """One migration; `text` is SQL that `dialect` translates for each engine."""

    version: int
    name: str
    text: str


@contextmanager
def logging_migrations(steps: Sequence[Migration]) -> Iterator["MigrationProgress"]:
    """Log the migrations of a store that is in use: from, to, each step, and the end.

    Nothing is logged of a new store, which has no rows to wait for.
    """
    if not steps or steps[0].version == 1:
        yield MigrationProgress(is_shown=False)
        return
    first, last, began = steps[0].version - 1, steps[-1].version, time.monotonic()
    log.info("migration_began", found=first, wanted=last, steps=len(steps))
    yield MigrationProgress(is_shown=True)
    log.info("migration_ended", found=first, now=last, seconds=round(time.monotonic() - began, 1))


class MigrationProgress:
    """The progress of migrations, in the log."""

    def __init__(self, *, is_shown: bool) -> None:
        self._is_shown = is_shown
        self._step: Migration | None = None
        self._began = self._noted = 0.0

    def begin(self, step: Migration) -> None:
        """Log that a step begins."""
        self._step, self._began = step, time.monotonic()
        self._noted = self._began
        if self._is_shown:
            log.info("migration_step", version=step.version, name=step.name)

    def go_on(self) -> bool:
        """Log that a long step is still under way, each ten seconds; to be called often.

        Return False, which lets SQLite go on, too.
        """
        now = time.monotonic()
        if self._is_shown and self._step and now - self._noted >= NOTE_SECONDS:
            self._noted = now
            log.info(
                "migration_goes_on",
                version=self._step.version,
                seconds=round(now - self._began),
            )
        return False


UNFINISHED_COPY = "unfinished_copy"
"""A table that is there only while another store is copied into the database: nothing serves it."""
RECORD = """
CREATE TABLE IF NOT EXISTS schema_migrations (
    version BIGINT PRIMARY KEY,
    name TEXT NOT NULL,
    applied_at BIGINT NOT NULL
)
"""
FIND_VERSION = "SELECT coalesce(max(version), 0) FROM schema_migrations"


def load_migrations() -> list[Migration]:
    """Return all migrations in order."""
    folder = files("hubbub.storage") / "schema"
    steps = []
    for entry in folder.iterdir():
        number, _, name = entry.name.removesuffix(".sql").partition("_")
        if entry.name.endswith(".sql"):
            steps.append(Migration(int(number), name, entry.read_text("utf-8")))
    return sorted(steps, key=lambda step: step.version)


def newest_version() -> int:
    """Return the version of the schema that this code needs."""
    return load_migrations()[-1].version


def plan_migrations(found: int) -> list[Migration]:
    """Return the migrations that a database of version `found` needs.

    Raises:
        SchemaTooNew: the version is newer than this code.
    """
    steps = load_migrations()
    if found > steps[-1].version:
        raise SchemaTooNew(found, steps[-1].version)
    return [step for step in steps if step.version > found]


def tenant_tables() -> list[Table]:
    """Return every table with a column `app_id`, as its last CREATE TABLE declares it."""
    tables: dict[str, Table] = {}
    for step in load_migrations():
        for name, columns in _TABLE.findall(step.text):
            if re.search(r"^    app_id ", columns, re.MULTILINE):
                several, single = _KEY.findall(columns)[0]
                tables[name] = Table(name, tuple((several or single).split(", ")))
    return list(tables.values())

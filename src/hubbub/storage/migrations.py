"""Migrations of the schema: numbered files in `schema/`; each is applied once and recorded."""

import re
from dataclasses import dataclass
from importlib.resources import files

from hubbub.storage.errors import SchemaTooNew

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

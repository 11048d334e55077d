"""Counts of the rows of a whole app."""

from dataclasses import dataclass

from hubbub.storage.interface import Snapshot
from hubbub.storage.queries import Query, load_queries

SQL = load_queries(__package__)


@dataclass(frozen=True, slots=True)
class StoredApp:
    """An app that has rows; an archived one is not accessible, and is erased later."""

    id: str
    is_archived: bool


@dataclass(frozen=True, slots=True)
class Totals:
    """The numbers of an app's rows."""

    users: int
    groups: int
    messages: int
    files: int


async def list_apps(snapshot: Snapshot) -> list[StoredApp]:
    """Return all apps of the installation."""
    return [StoredApp(row[0], bool(row[1])) for row in await snapshot.fetch(SQL.list_apps)]


async def count_rows(snapshot: Snapshot) -> Totals:
    """Count the rows of an app."""
    return Totals(
        users=await _count(snapshot, SQL.count_users),
        groups=await _count(snapshot, SQL.count_groups),
        messages=await _count(snapshot, SQL.count_messages),
        files=await _count(snapshot, SQL.count_files),
    )


async def _count(snapshot: Snapshot, query: Query) -> int:
    row = await snapshot.fetch_one(query)
    return int(row[0]) if row else 0

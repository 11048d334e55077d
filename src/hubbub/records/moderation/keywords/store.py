"""The table `moderation_lists`."""

from dataclasses import dataclass

import msgspec

from hubbub.records.moderation.keywords.model import KeywordList
from hubbub.storage.interface import Row, Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__, list_columns=KeywordList)


@dataclass(frozen=True, slots=True)
class ListSummary:
    """A list without its terms."""

    id: str
    number: int
    category: str
    length: int


async def find_list(snapshot: Snapshot, list_id: str) -> KeywordList | None:
    """Return a list that the app has stored."""
    row = await snapshot.fetch_one(SQL.find_list, id=list_id)
    return _list(row) if row else None


async def list_lists(snapshot: Snapshot) -> list[KeywordList]:
    """Return the lists that the app has stored, newest first."""
    return [_list(row) for row in await snapshot.fetch(SQL.list_lists)]


async def list_summaries(snapshot: Snapshot) -> list[ListSummary]:
    """Return the lists that the app has stored, without their terms, by id."""
    return [ListSummary(*row) for row in await snapshot.fetch(SQL.list_numbers)]


async def store_list(tx: Transaction, stored: KeywordList) -> None:
    """Store a list, in place of the one with its id."""
    await tx.run(SQL.store_list, **msgspec.structs.asdict(stored))


async def delete_list(tx: Transaction, list_id: str) -> None:
    """Delete a list."""
    await tx.run(SQL.delete_list, id=list_id)


def _list(row: Row) -> KeywordList:
    found = KeywordList(*row)
    return msgspec.structs.replace(found, is_csv=bool(found.is_csv))  # SQLite has 0 and 1

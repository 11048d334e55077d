"""Stores whose tables all have rows with all kinds of values."""

import random
from collections.abc import Iterator
from typing import Any

import apsw
from tests.clock import ManualClock

from hubbub.bootstrap import open_copied_database
from hubbub.config import Settings
from hubbub.moving.copying.progress import CopyProgress
from hubbub.moving.copying.rows import RowCopy
from hubbub.storage.sqlite.tables import SqliteTables
from hubbub.storage.tables import CopySource, CopyTarget, Kind, RowSum, StoredRows, StoredTable

TEXTS = ("", "a", "Ä", "大", "\U0001f3d4", "\x7f", "it's", "\\N", "\t\n", '{"a":null}', "\ufeff")
LONG = "z" * 100_000
NUMBERS = (0, 1, -1, 2**53, 2**63 - 1, -(2**63))
ROWS = 30
UNIQUE = {"place", "slot", "conversation"}
"""Columns outside of a primary key that have a unique index."""


async def make_tables(settings: Settings) -> None:
    """Make the tables of an empty store."""
    database = open_copied_database(settings, ManualClock())
    await database.migrate()
    await database.close()


async def fill_all(settings: Settings) -> None:
    """Make an embedded store with rows in all tables."""
    await make_tables(settings)
    tables = SqliteTables(settings.sqlite_path)
    await tables.begin({})
    for table in await tables.list_tables():
        nullable = _nullable_columns(settings, table)
        rows = list(_rows_of(table, nullable, random.Random(table.name)))
        await tables.insert(table, rows, {})
    await tables.finish(0)
    await tables.close()


def _nullable_columns(settings: Settings, table: StoredTable) -> set[str]:
    connection = apsw.Connection(str(settings.sqlite_path))
    found = connection.execute(
        'SELECT name FROM pragma_table_info(?) WHERE "notnull" = 0 AND pk = 0', (table.name,)
    )
    return {str(name) for (name,) in found}


def _rows_of(
    table: StoredTable, nullable: set[str], chosen: random.Random
) -> Iterator[tuple[Any, ...]]:
    for number in range(ROWS):
        row: list[Any] = []
        for column in table.columns:
            if column.name in nullable and number % 3 == 0:
                row.append(None)
            elif column.kind is Kind.BOOLEAN:
                row.append(chosen.randrange(2))
            elif column.kind is Kind.INTEGER:
                is_free = column.name not in UNIQUE and column.name not in table.key
                row.append(NUMBERS[number] if is_free and number < len(NUMBERS) else number)
            else:
                row.append(f"{TEXTS[number % len(TEXTS)]}{number}")
        if table.name == "events" and number == 0:
            row[table.names.index("body")] = LONG
        yield tuple(row)


async def checksums(store: StoredRows) -> dict[str, str]:
    """Return the checksums of all tables, by their names."""
    found = {}
    for table in await store.list_tables():
        checksum = RowSum()
        async for row in store.rows(table):
            checksum.add(row)
        found[table.name] = str(checksum)
    return found


async def copy_rows(source: CopySource, target: CopyTarget) -> int:
    """Copy the rows of all tables, or go on with that; return their number."""
    noted = await target.find_progress()
    if noted is None:
        await target.begin({})
    progress = CopyProgress(target, noted or {}, is_resumed=noted is not None)
    tables = await source.list_tables()
    async with source.unchanging():
        return await RowCopy(source, target, tables, progress, lambda *_: None).run()

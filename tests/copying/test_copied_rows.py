"""The rows of all tables, copied between the engines and compared."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import apsw
import pytest
from tests.conftest import NewSettings
from tests.copying.filled import ROWS, checksums, copy_rows, fill_all, make_tables

from hubbub.bootstrap import open_tables
from hubbub.config import Settings
from hubbub.moving.copying.rows import StoresDiffer
from hubbub.storage.errors import RowsNotStored
from hubbub.storage.interface import Row
from hubbub.storage.postgres.tables import PostgresTables
from hubbub.storage.sqlite.tables import SqliteTables
from hubbub.storage.tables import StoredTable

Tables = SqliteTables | PostgresTables


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Tables]:
    """Open the tables of a store for the block."""
    tables = await open_tables(settings)
    try:
        yield tables
    finally:
        await tables.close()


@pytest.fixture
async def filled(tmp_path: Path) -> AsyncIterator[SqliteTables]:
    """An embedded store with rows in all tables."""
    settings = Settings(data=tmp_path)
    await fill_all(settings)
    async with opened(settings) as tables:
        assert isinstance(tables, SqliteTables)
        yield tables


@pytest.fixture
async def empty(empty_settings: NewSettings) -> AsyncIterator[Tables]:
    """A store without rows, on each engine."""
    settings = empty_settings()
    await make_tables(settings)
    async with opened(settings) as tables:
        yield tables


async def test_all_values_arrive(filled: SqliteTables, empty: Tables, tmp_path: Path) -> None:
    """Every table, with text of all scripts, the largest numbers and NULL, is copied, and back."""
    rows = await copy_rows(filled, empty)

    tables = await filled.list_tables()
    assert rows == ROWS * len(tables) > 2_000
    assert await checksums(empty) == await checksums(filled)

    back = Settings(data=tmp_path / "back")
    back.data.mkdir()
    await make_tables(back)
    async with opened(back) as again:
        await copy_rows(empty, again)
        assert await checksums(again) == await checksums(filled)


async def test_both_engines_have_the_same_tables(filled: SqliteTables, empty: Tables) -> None:
    """The catalogues name the same tables, columns and keys, all but those made of others."""
    found = await empty.list_tables()

    assert found == await filled.list_tables()
    named = {table.name for table in found}
    assert {"messages", "counters", "devices", "search_positions"} < named
    assert not named & {"message_entries", "former_message_entries", "schema_migrations"}


class LosesValue(SqliteTables):
    """A target that stores one value wrongly."""

    async def insert(
        self, table: StoredTable, rows: Sequence[Row], progress: Mapping[str, str]
    ) -> None:
        if table.name == "users":
            rows = [("x", *rows[0][1:]), *rows[1:]]
        await super().insert(table, rows, progress)


class LosesRow(SqliteTables):
    """A target that stores a row too few."""

    async def insert(
        self, table: StoredTable, rows: Sequence[Row], progress: Mapping[str, str]
    ) -> None:
        await super().insert(table, rows[1:] if table.name == "users" else rows, progress)


@pytest.mark.parametrize("kind", [LosesValue, LosesRow])
async def test_a_difference_is_found(
    filled: SqliteTables, kind: type[SqliteTables], tmp_path: Path
) -> None:
    """A value or a row that was lost on the way is found, and its table named."""
    settings = Settings(data=tmp_path / "target")
    settings.data.mkdir()
    await make_tables(settings)
    target = kind(settings.sqlite_path)

    with pytest.raises(StoresDiffer, match=r"users has (30|29) rows of 30"):
        await copy_rows(filled, target)
    await target.close()


class Killed(Exception):
    """Stands for the end of the process."""


class StopsAfter(SqliteTables):
    """A source that ends the copy in the middle of a table."""

    left = 0

    async def rows(self, table: StoredTable, after: Sequence[object] = ()) -> AsyncIterator[Row]:
        async for row in super().rows(table, after):
            if self.left == 0:
                raise Killed
            self.left -= 1
            yield row


async def test_a_copy_goes_on(
    filled: SqliteTables, empty: Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cut off in the middle of any table, it goes on after the last rows that were stored."""
    monkeypatch.setattr("hubbub.moving.copying.rows.MOST_ROWS", 7)
    cut_off = StopsAfter(tmp_path / "hubbub.db")
    for left in (100, 333, 800, 1_200):
        cut_off.left = left
        with pytest.raises(Killed):
            await copy_rows(cut_off, empty)
    await cut_off.close()

    await copy_rows(filled, empty)
    assert await checksums(empty) == await checksums(filled)


async def test_rows_that_changed_between_two_commands(
    filled: SqliteTables, empty: Tables, tmp_path: Path
) -> None:
    """Copies also what was written to the original after a copy was cut off."""
    cut_off = StopsAfter(tmp_path / "hubbub.db")
    cut_off.left = 1_900
    with pytest.raises(Killed):
        await copy_rows(cut_off, empty)
    await cut_off.close()
    connection = apsw.Connection(str(tmp_path / "hubbub.db"))
    connection.execute("UPDATE apps SET name = 'New name'; DELETE FROM bans")
    # Before the entries that were copied: a table that is only appended to is begun again, too.
    connection.execute("INSERT INTO audit VALUES (0, '', '', '', '', '', NULL, NULL, '', NULL)")
    connection.close()

    await copy_rows(filled, empty)
    assert await checksums(empty) == await checksums(filled)


async def test_rows_that_changed_after_both_were_compared(
    filled: SqliteTables, empty: Tables, tmp_path: Path
) -> None:
    """A copy that was cut off after the comparison compares again, as the original has changed."""
    await copy_rows(filled, empty)
    connection = apsw.Connection(str(tmp_path / "hubbub.db"))
    connection.execute("UPDATE apps SET name = 'New name'")
    connection.close()

    await copy_rows(filled, empty)
    assert await checksums(empty) == await checksums(filled)


async def test_a_text_that_postgresql_does_not_take(
    filled: SqliteTables, empty: Tables, tmp_path: Path
) -> None:
    """A text with NUL, which no call can store, ends a copy to PostgreSQL: the table is named."""
    connection = apsw.Connection(str(tmp_path / "hubbub.db"))
    connection.execute("UPDATE apps SET name = 'a' || char(0)")
    connection.close()

    if isinstance(empty, SqliteTables):
        await copy_rows(filled, empty)
        assert await checksums(empty) == await checksums(filled)
        return
    with pytest.raises(RowsNotStored, match="table apps can't be stored"):
        await copy_rows(filled, empty)

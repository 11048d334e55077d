"""The upkeep of an engine, every second while a node runs; and for which queries it plans."""

import asyncio
from functools import partial
from pathlib import Path

import apsw
import asyncpg
from tests.clock import ManualClock
from tests.storage.notes import SQL
from tests.storage.stores import OpenSqlite, closing, make_app, make_schema

from hubbub.outbox import write_announced
from hubbub.records.search import store
from hubbub.records.search.entry import make_entry
from hubbub.records.search.model import IndexedText, Scope
from hubbub.storage.interface import Database, Snapshot, Transaction
from hubbub.storage.postgres.database import PostgresDatabase
from hubbub.storage.queries import Query
from hubbub.storage.sqlite.database import SqliteDatabase

RARE = {8: "ቐቑቒ", 9: "ⴰⴱⴲ"}
"""Words of single messages: the index has each as one term."""
PLANNING = Query("planning", "SELECT current_setting('plan_cache_mode')")
KNOWN_ROWS = "SELECT reltuples FROM pg_class WHERE relname = 'notes'"


async def test_upkeep_leaves_the_store_as_it_is(database: Database) -> None:
    """Upkeep may run on either engine at any time."""
    await database.maintain()


async def test_the_search_index_is_merged_by_upkeep_alone(
    open_sqlite: OpenSqlite, tmp_path: Path
) -> None:
    """A write never waits for a merge of the search index: upkeep merges it, in steps."""
    async with closing(open_sqlite()) as sqlite:
        await make_schema(sqlite)
        app_id, most = await make_app(sqlite), 60
        for first in range(0, most * 100, 100):
            await sqlite.write(app_id, partial(_index, first=first))
        before = _segments(tmp_path)
        await sqlite.maintain()
        found = await sqlite.read(app_id, _find)

    assert before == most
    assert _segments(tmp_path) == 1
    assert found == {id_ for id_ in range(most * 100) if id_ % 7 == 3}


async def test_deleted_terms_leave_the_index(tmp_path: Path) -> None:
    """The terms of deleted entries are gone after an erasure, or a day later; the others stay."""
    clock = ManualClock()
    sqlite = SqliteDatabase(tmp_path / "hubbub.db", write_announced, clock)
    async with closing(sqlite):
        await make_schema(sqlite)
        app_id = await make_app(sqlite)
        for first in (0, 100):
            await sqlite.write(app_id, partial(_index, first=first))
        await sqlite.maintain()
        await sqlite.write(app_id, partial(_delete, id_=8))
        await sqlite.maintain()
        assert _has_term(tmp_path, 8), "upkeep alone keeps it"
        sqlite.forget_deleted()
        await sqlite.maintain()
        assert not _has_term(tmp_path, 8)

        await sqlite.write(app_id, partial(_delete, id_=9))
        sqlite.forget_deleted()
        await sqlite.maintain()
        assert _has_term(tmp_path, 9), "all of the index is written once a day at most"
        clock.advance(86_400)
        await sqlite.maintain()
        assert not _has_term(tmp_path, 9)
        assert await sqlite.read(app_id, _find) == {id_ for id_ in range(200) if id_ % 7 == 3}


async def _delete(tx: Transaction, *, id_: int) -> None:
    await store.delete_entries(tx, [id_])


def _has_term(folder: Path, id_: int) -> bool:
    connection = apsw.Connection(str(folder / "hubbub.db"))
    find = "SELECT count(*) FROM message_entries_data WHERE instr(block, CAST(? AS BLOB))"
    count: int = connection.execute(find, (RARE[id_][1:],)).get  # it may share its beginning
    connection.close()
    return count > 0


async def _index(tx: Transaction, *, first: int) -> None:
    """Store the entries of 100 messages."""
    slot = await store.take_slot(tx)
    entries = {id_: make_entry(_source(id_), is_cut=False) for id_ in range(first, first + 100)}
    kept = {id_: entry for id_, entry in entries.items() if entry is not None}
    await store.put_entries(tx, slot, kept.keys(), kept)


def _source(id_: int) -> IndexedText:
    return IndexedText(
        id_, 1, "message", f'{{"text": "weekday{id_ % 7} of {id_} {RARE.get(id_, "")}"}}'
    )


async def _find(snapshot: Snapshot) -> set[int] | None:
    slot = await store.find_slot(snapshot)
    assert slot is not None
    [condition, *_] = store.conditions_of("weekday3", [Scope(slot.number)])
    return await store.find_entries(snapshot, slot, condition, most=10_000)


def _segments(folder: Path) -> int:
    connection = apsw.Connection(str(folder / "hubbub.db"))
    count: int = connection.execute("SELECT count(DISTINCT segid) FROM message_entries_idx").get
    connection.close()
    return count


async def test_tables_that_grew_are_analysed(postgres: PostgresDatabase, postgres_url: str) -> None:
    """PostgreSQL soon plans for the rows that a new table has, instead of an empty one."""
    app_id = await make_app(postgres)
    rows = [{"author": f"author-{number}", "text": "Hello"} for number in range(2_000)]

    async def within(tx: Transaction) -> None:
        await tx.run_many(SQL.insert_note, rows)

    await postgres.write(app_id, within)
    connection = await asyncpg.connect(postgres_url)
    try:
        for _ in range(100):  # the server's statistics are up to a second late
            await postgres.maintain()
            if await connection.fetchval(KNOWN_ROWS) >= len(rows):
                break
            await asyncio.sleep(0.1)
        assert await connection.fetchval(KNOWN_ROWS) >= len(rows)
    finally:
        await connection.close()


async def test_short_readings_are_not_planned_anew(postgres: PostgresDatabase) -> None:
    """PostgreSQL plans a query of short readings once; others may get a plan for their values."""

    async def planning(snapshot: Snapshot) -> str:
        return str((await snapshot.fetch(PLANNING))[0][0])

    found = [
        await postgres.read("app", planning, is_short=is_short) for is_short in (False, True, False)
    ]

    assert found == ["auto", "force_generic_plan", "auto"]

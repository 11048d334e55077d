"""Fill tables without indexes: created at the end, they take a fraction of the time."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from pathlib import Path

import apsw
import asyncpg

from hubbub.config import Settings

MEMORY_MIB = 512
"""The memory that an engine may use to sort rows for an index."""


def without_indexes(settings: Settings, tables: Sequence[str]) -> AbstractAsyncContextManager[None]:
    """Drop all indexes of tables but the primary keys within; create them again afterwards."""
    if settings.database_url:
        return _postgres_without_indexes(settings.database_url, tables)
    return _sqlite_without_indexes(settings.sqlite_path, tables)


@asynccontextmanager
async def _postgres_without_indexes(url: str, tables: Sequence[str]) -> AsyncIterator[None]:
    """Vacuum and analyse at the end, as PostgreSQL does on its own within minutes."""
    connection = await asyncpg.connect(url)
    indexes = await connection.fetch(
        "SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index"
        " WHERE indrelid = ANY($1::text[]::regclass[]) AND NOT indisprimary",
        tables,
    )
    for name, _ in indexes:
        await connection.execute(f"DROP INDEX {name}")
    yield
    await connection.execute(f"SET maintenance_work_mem = '{MEMORY_MIB}MB'")
    for _, definition in indexes:
        await connection.execute(definition)
    await connection.execute("VACUUM ANALYZE")
    await connection.close()


@asynccontextmanager
async def _sqlite_without_indexes(path: Path, tables: Sequence[str]) -> AsyncIterator[None]:
    with closing(apsw.Connection(str(path))) as connection:
        connection.set_busy_timeout(60_000)
        connection.execute(f"PRAGMA cache_size = -{MEMORY_MIB * 1024}").fetchall()
        indexes = connection.execute(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"
            f" AND tbl_name IN ({', '.join('?' * len(tables))}) ORDER BY rowid",
            tables,
        ).fetchall()
        for name, _ in indexes:
            connection.execute(f"DROP INDEX {name}")
        yield
        for _, definition in indexes:
            connection.execute(str(definition))

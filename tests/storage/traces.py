"""Marks in texts, and where they are found: in files, in tables, and in a dump."""

import asyncio
from collections.abc import Set as AbstractSet
from contextlib import suppress
from pathlib import Path

import asyncpg
from tests.postgres import dump_text

from hubbub.config import Settings

WORD = "edelweissblossom"
TRIGRAM = "ቐቑቒ"
"""Three letters that nothing else has: the search index has them as one term."""
MARKS = (WORD.encode(), TRIGRAM.encode())
SECONDS = 60
DUMP = "a dump"
Traces = AbstractSet[str]
"""Names of files and tables."""
NONE: Traces = frozenset()


async def find_traces(settings: Settings) -> Traces:
    """Return the files of the data folder, and on PostgreSQL the tables, that hold a mark."""
    found = await asyncio.to_thread(_files_with_marks, settings.data)
    if settings.database_url:
        found |= await _tables_with_marks(settings.database_url)
        if _has_mark((await asyncio.to_thread(dump_text, settings.database_url)).encode()):
            found |= {DUMP}
    return found


async def wait_until_gone(settings: Settings, *, but: Traces = NONE) -> Traces:
    """Wait until nothing but some traces is left; return what is left after a while."""
    left: Traces = set()
    with suppress(TimeoutError):
        async with asyncio.timeout(SECONDS):
            while (left := await find_traces(settings)) - but:  # noqa: ASYNC110  # not told
                await asyncio.sleep(0.2)
    return left


def _files_with_marks(folder: Path) -> set[str]:
    return {
        path.name for path in folder.rglob("*") if path.is_file() and _has_mark(path.read_bytes())
    }


def _has_mark(content: bytes) -> bool:
    return any(mark in content.lower() for mark in MARKS)


async def _tables_with_marks(url: str) -> set[str]:
    connection = await asyncpg.connect(url)
    try:
        names = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname='public'")
        return {
            name
            for (name,) in names
            for row in await connection.fetch(f'SELECT CAST(t AS TEXT) FROM "{name}" t')
            if _has_mark(row[0].encode())
        }
    finally:
        await connection.close()

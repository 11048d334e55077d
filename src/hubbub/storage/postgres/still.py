"""A PostgreSQL database as it was at one moment: a transaction that lasts, as in pg_dump."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

import asyncpg

from hubbub.kernel.rests import Rests
from hubbub.storage import migrations
from hubbub.storage.errors import StoreUnusable
from hubbub.storage.interface import Reading
from hubbub.storage.postgres.connections import AWAY, SESSION, explain_failure
from hubbub.storage.postgres.pool import Connection
from hubbub.storage.postgres.reading import BEGIN_READING, ShortReading

Result = TypeVar("Result")

NEVER = "0"
"""Between two readings files are copied, which may take any time."""


class PostgresStill:
    """One snapshot of the database, on a connection of its own."""

    def __init__(self, connection: Connection, url: str) -> None:
        self._connection = connection
        self._url = url

    async def read(self, app_id: str, reading: Reading[Result]) -> Result:
        try:
            return await reading(
                ShortReading(self._connection, app_id, time.monotonic, Rests(), has_begun=True)
            )
        except AWAY as failure:
            raise StoreUnusable(explain_failure(failure, self._url)) from failure

    async def schema_version(self) -> int:
        """Return the version of the schema; 0 if the database is empty."""
        if await self._connection.fetchval("SELECT to_regclass('schema_migrations')") is None:
            return 0
        return int(await self._connection.fetchval(migrations.FIND_VERSION))


@asynccontextmanager
async def postgres_still(url: str) -> AsyncIterator[PostgresStill]:
    """Yield the database as it is now; writers go on, and rows that they delete are kept so long.

    Raises:
        StoreUnusable: it can't be reached.
    """
    session = {**SESSION, "idle_in_transaction_session_timeout": NEVER}
    try:
        connection = await asyncpg.connect(url, server_settings=session)
    except (*AWAY, ValueError) as failure:
        raise StoreUnusable(explain_failure(failure, url)) from failure
    try:
        await connection.execute(BEGIN_READING)
        yield PostgresStill(connection, url)
    finally:
        await connection.close()

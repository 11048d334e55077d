"""A PostgreSQL database that is only read, to find out what is wrong with it."""

from typing import Any, TypeVar

from hubbub.storage.interface import Health, Reading, Snapshot
from hubbub.storage.postgres.database import PostgresDatabase
from hubbub.storage.queries import Query

Result = TypeVar("Result")

CLOCK = Query("clock", "SELECT CAST(extract(epoch FROM clock_timestamp()) AS double precision)")
STATE = Query(
    "state",
    """SELECT current_setting('server_version'), current_setting('fsync'),
    current_setting('full_page_writes'), current_setting('synchronous_commit'),
    (SELECT coalesce(checksum_failures, 0) FROM pg_stat_database
        WHERE datname = current_database()),
    CAST(current_setting('max_connections') AS INTEGER)
        - (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
    pg_database_size(current_database())""",
)
LOSES = {
    "fsync": "a crash can destroy the database",
    "full_page_writes": "a crash can destroy the database",
    "synchronous_commit": "a crash can lose messages that were answered",
}
MIB = 1024 * 1024


class PostgresInspection:
    """Reads the database in read-only transactions."""

    def __init__(self, database: PostgresDatabase, *, connections: int) -> None:
        self._database = database
        self._connections = connections

    async def schema_version(self) -> int:
        return await self._database.schema_version()

    async def read(self, app_id: str, reading: Reading[Result]) -> Result:
        return await self._database.read(app_id, reading)

    async def check_health(self, seconds: float) -> Health:
        """Check the settings on which durability depends, and what the server has counted."""
        version, *settings, failures, free, size = await self._fetch(STATE)
        faults = [
            f"its {name} is off: {LOSES[name]}"
            for name, value in zip(LOSES, settings, strict=True)
            if value == "off"
        ]
        if failures:
            faults.append(f"{failures} of its pages had a wrong checksum")
        return Health(
            f"PostgreSQL {version}, {size / MIB:,.1f} MiB", faults, self._doubts(int(free))
        )

    def _doubts(self, free: int) -> list[str]:
        if free >= self._connections:
            return []
        most = f"a node opens up to {self._connections} (HUBBUB_DATABASE_CONNECTIONS)"
        return [f"{free} more connections are possible (max_connections), and {most}"]

    async def read_clock(self) -> float | None:
        """Return the time of the server, in seconds."""
        (seconds,) = await self._fetch(CLOCK)
        return float(seconds)

    async def close(self) -> None:
        await self._database.close()

    async def _fetch(self, query: Query) -> Any:
        async def fetch(snapshot: Snapshot) -> Any:
            return await snapshot.fetch_one(query)

        return await self._database.read("", fetch)

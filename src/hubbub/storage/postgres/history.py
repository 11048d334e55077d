"""Notices that a database has another history: a standby was promoted, or a dump restored.

Such a database may lack events that clients have seen, and gives their numbers to others. So all
apps begin a new epoch before this node writes anything: cursors of before are refused.
"""

import secrets
from typing import Any

import asyncpg
import structlog

from hubbub.storage.interface import EPOCH_BITS

log = structlog.get_logger()

# A promotion begins a timeline, another server has another identifier, and a restored table has
# another oid. It is NULL while the database can't be written, and before it has tables.
FIND_MARK = """
SELECT CASE WHEN pg_is_in_recovery() THEN NULL ELSE
    (SELECT system_identifier FROM pg_control_system())
    || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
    || '/' || CAST(CAST(to_regclass('installation') AS oid) AS text) END
"""
FIND_STORED = "SELECT value FROM installation WHERE name = 'history'"
STORE = """
INSERT INTO installation (name, value) VALUES ('history', $1)
ON CONFLICT (name) DO UPDATE SET value = excluded.value
"""
BEGIN_EPOCHS = """
UPDATE counters SET epoch = ((
    greatest(CAST(extract(epoch FROM clock_timestamp()) AS BIGINT),
        (epoch >> CAST($1 AS INTEGER)) + 1)
    + $3) << CAST($1 AS INTEGER)) | ((epoch & $2) # $4)
"""
"""The time and a random number make epochs differ where one dump is restored twice."""
LOCK = 0x68697374  # "hist"
RANDOM_SECONDS = 64
NOT_KNOWN = (
    asyncpg.FeatureNotSupportedError,
    asyncpg.InsufficientPrivilegeError,
    asyncpg.UndefinedFunctionError,
)


class DatabaseHistory:
    """The history of the database, as this node knows it."""

    def __init__(self) -> None:
        self._known: str | None = None
        self._is_told = False

    async def check(self, connection: Any) -> None:
        """Begin new epochs if the database's history is not the one that it was written with."""
        try:
            mark = await connection.fetchval(FIND_MARK)
        except NOT_KNOWN as failure:
            if not self._is_told:
                log.warning("history_not_known", reason=str(failure))
            self._is_told = True
            return
        if mark is None or mark == self._known:
            return
        if await connection.fetchval(FIND_STORED) != mark:
            await _settle(connection, mark)
        self._known = mark


async def _settle(connection: Any, mark: str) -> None:
    """Store the mark, and begin new epochs; the first node does so for all."""
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1)", LOCK)
        if await connection.fetchval(FIND_STORED) == mark:
            return
        later, other = secrets.randbelow(RANDOM_SECONDS), secrets.randbits(EPOCH_BITS)
        low = (1 << EPOCH_BITS) - 1
        done = await connection.execute(BEGIN_EPOCHS, EPOCH_BITS, low, later, other)
        await connection.execute(STORE, mark)
    apps = int(done.rpartition(" ")[2])
    if apps:  # a new database has none: nobody holds a cursor of it
        log.info("history_begins", mark=mark, apps=apps)

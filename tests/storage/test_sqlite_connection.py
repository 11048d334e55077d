"""Connections to SQLite: settings that its speed depends on."""

from pathlib import Path

import apsw
from tests.storage.stores import OpenSqlite, closing

from hubbub.records.receipts.store import SQL
from hubbub.storage.sqlite.connection import open_connection


async def test_a_statement_is_prepared_once_for_all_values(
    open_sqlite: OpenSqlite, tmp_path: Path
) -> None:
    """A look-up by an index is not prepared anew when it is bound to other values."""
    async with closing(open_sqlite()) as database:
        await database.migrate()
        connection = open_connection(tmp_path / "hubbub.db", read_only=True)
        prepared: list[str | None] = []

        def note(operation: int, table: str | None, *_: str | None) -> int:
            prepared.append(table)
            return apsw.SQLITE_OK

        connection.authorizer = note  # SQLite asks it while it prepares a statement
        args = {"conversation": 1, "kind": "read", "message": 1, "last": 1, "messages": 1}
        counts = []
        for uid in ("anna", "ben", "carla"):
            bound = SQL.list_covering.bind_sqlite("app", {**args, "uid": uid})
            connection.execute(SQL.list_covering.sqlite, bound).fetchall()
            counts.append(len(prepared))
        connection.close()

    assert counts[0] > 0
    assert counts == [counts[0]] * 3

"""The table `exports`."""

from collections.abc import Sequence
from typing import Any

import msgspec

from hubbub.records.exports.model import StoredExport
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__, export_columns=StoredExport)


def _export(row: Sequence[Any]) -> StoredExport:
    return StoredExport(**dict(zip(StoredExport.__struct_fields__, row, strict=True)))


async def insert_export(tx: Transaction, export: StoredExport) -> None:
    """Store a new export."""
    await tx.run(SQL.insert_export, **msgspec.structs.asdict(export))


async def find_export(snapshot: Snapshot, export_id: str) -> StoredExport | None:
    """Return an export."""
    row = await snapshot.fetch_one(SQL.find_export, id=export_id)
    return _export(row) if row else None


async def list_exports(snapshot: Snapshot) -> list[StoredExport]:
    """Return the exports of an app, newest first."""
    return [_export(row) for row in await snapshot.fetch(SQL.list_exports)]


async def list_due(
    snapshot: Snapshot, before: int, *, limit: int
) -> list[tuple[str, StoredExport]]:
    """Return exports that wait, or that no node has touched since a time; with their apps."""
    rows = await snapshot.fetch(SQL.list_due, before=before, limit=limit)
    return [(row[0], _export(row[1:])) for row in rows]


async def list_old(
    snapshot: Snapshot, before: int, *, limit: int
) -> list[tuple[str, StoredExport]]:
    """Return exports that have ended before a time; with their apps."""
    rows = await snapshot.fetch(SQL.list_old, before=before, limit=limit)
    return [(row[0], _export(row[1:])) for row in rows]


async def claim_export(tx: Transaction, export: StoredExport, now: int) -> bool:
    """Take an export, as it was seen; return whether nobody else had."""
    return bool(await tx.run(SQL.claim_export, id=export.id, seen=export.updated_at, now=now))


async def touch_export(tx: Transaction, export_id: str, now: int) -> bool:
    """Store that somebody is at an export; return whether it is still wanted."""
    return bool(await tx.run(SQL.touch_export, id=export_id, now=now))


async def end_export(
    tx: Transaction,
    export_id: str,
    *,
    state: str,
    now: int,
    size: int = 0,
    report: str | None = None,
    error: str | None = None,
) -> bool:
    """Store that an export has ended; return whether it had not before."""
    ended = await tx.run(
        SQL.end_export, id=export_id, state=state, now=now, size=size, report=report, error=error
    )
    return bool(ended)


async def delete_export(tx: Transaction, export_id: str) -> None:
    """Delete an export."""
    await tx.run(SQL.delete_export, id=export_id)

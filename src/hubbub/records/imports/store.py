"""The tables `imports` and `import_refusals`."""

from collections.abc import Sequence

import msgspec

from hubbub.records.imports.model import (
    RUNNING,
    Counts,
    ImportMoved,
    ImportRun,
    RefusedRow,
    encode_counts,
)
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__, run_columns=ImportRun, refused_columns=RefusedRow)


async def insert_run(tx: Transaction, run: ImportRun) -> None:
    """Store a new run."""
    await tx.run(SQL.insert_run, **msgspec.structs.asdict(run))


async def find_run(snapshot: Snapshot, import_id: str) -> ImportRun | None:
    """Return a run."""
    row = await snapshot.fetch_one(SQL.find_run, id=import_id)
    return _run(row) if row else None


async def list_runs(snapshot: Snapshot, *, limit: int) -> list[ImportRun]:
    """Return the latest runs, newest first."""
    return [_run(row) for row in await snapshot.fetch(SQL.list_runs, limit=limit)]


def _run(row: Sequence[object]) -> ImportRun:
    names = ImportRun.__struct_fields__
    return ImportRun(**dict(zip(names, row, strict=True)))  # type: ignore[arg-type]


async def advance_run(
    tx: Transaction, import_id: str, *, after: int, upto: int, counts: Counts, now: int
) -> None:
    """Store that rows had their outcomes, with what became of all rows so far.

    Raises:
        ImportMoved: the run is not at `after`, or has ended.
    """
    changed = await tx.run(
        SQL.advance_run,
        id=import_id,
        after=after,
        upto=upto,
        counts=encode_counts(counts),
        state=RUNNING,
        now=now,
    )
    if not changed:
        raise ImportMoved(import_id)


async def set_total(tx: Transaction, import_id: str, *, total: int, dropped: str) -> None:
    """Store how many rows a run has, and what its source has beyond them."""
    await tx.run(SQL.set_total, id=import_id, total=total, dropped=dropped)


async def end_run(
    tx: Transaction, import_id: str, *, state: str, report: str | None, now: int
) -> None:
    """Store that a run has ended."""
    await tx.run(SQL.end_run, id=import_id, state=state, report=report, now=now)


async def insert_refusals(tx: Transaction, import_id: str, rows: Sequence[RefusedRow]) -> None:
    """Store rows that a run refused."""
    await tx.run_many(
        SQL.insert_refusal,
        [{"import_id": import_id, **msgspec.structs.asdict(row)} for row in rows],
    )


async def list_refusals(
    snapshot: Snapshot, import_id: str, *, after: int, limit: int
) -> list[RefusedRow]:
    """Return the refused rows of a run after a place, in order."""
    rows = await snapshot.fetch(SQL.list_refusals, import_id=import_id, after=after, limit=limit)
    return [RefusedRow(*row) for row in rows]

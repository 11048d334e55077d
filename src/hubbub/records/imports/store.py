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


async def adopt_run(tx: Transaction, import_id: str, *, origin: str, fingerprint: str) -> None:
    """Store what the source of a run is."""
    await tx.run(SQL.adopt_run, id=import_id, origin=origin, fingerprint=fingerprint)


async def end_run(
    tx: Transaction,
    import_id: str,
    *,
    state: str,
    now: int,
    report: str | None = None,
    error: str | None = None,
) -> bool:
    """Store that a run has ended; return whether it had not before."""
    changed = await tx.run(
        SQL.end_run, id=import_id, state=state, report=report, error=error, now=now
    )
    return bool(changed)


async def list_due(snapshot: Snapshot, before: int, *, limit: int) -> list[tuple[str, ImportRun]]:
    """Return runs of nodes that wait, or that no node has touched since a time; with their apps."""
    rows = await snapshot.fetch(SQL.list_due, before=before, limit=limit)
    return [(row[0], _run(row[1:])) for row in rows]


async def claim_run(tx: Transaction, run: ImportRun, now: int) -> bool:
    """Take a run, as it was seen; return whether nobody else had."""
    return bool(await tx.run(SQL.claim_run, id=run.id, seen=run.updated_at, now=now))


async def touch_run(tx: Transaction, import_id: str, now: int) -> bool:
    """Store that somebody is at a run; return whether it is still to be run."""
    return bool(await tx.run(SQL.touch_run, id=import_id, now=now))


async def set_job(tx: Transaction, import_id: str, job: str) -> None:
    """Store a job anew, as its source lies in the file store now."""
    await tx.run(SQL.set_job, id=import_id, job=job)


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


async def list_with_refusals(snapshot: Snapshot, *, before: int) -> list[str]:
    """Return the ids of runs with refused rows whose last step was before a time."""
    rows = await snapshot.fetch(SQL.list_with_refusals, before=before)
    return [import_id for (import_id,) in rows]


async def delete_refusals(tx: Transaction, *, import_id: str, limit: int) -> int:
    """Delete up to `limit` refused rows of a run; return their number."""
    return await tx.run(SQL.delete_refusals, import_id=import_id, limit=limit)


async def delete_refusals_naming(tx: Transaction, uid: str) -> int:
    """Delete the refused rows that name a user; return their number."""
    escaped = uid.replace("_", "!_")  # a uid has no other character with a meaning
    return await tx.run(SQL.delete_refusals_naming, pattern=f'%"{escaped}"%')

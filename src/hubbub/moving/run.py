"""Run an import: stage its source, carry out its rows, compare the store with the source.

Killed at any moment, the same import goes on: the store knows how many rows have had their
outcomes, and the staged rows have the same order each time.
"""

import asyncio
import fcntl
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, tzinfo
from functools import partial
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from hubbub.domain.imports.tell import MOST_TOLD
from hubbub.moving.apply.files import files_of
from hubbub.moving.apply.outcome import Conflicts
from hubbub.moving.check import Checking
from hubbub.moving.report import Report
from hubbub.moving.sources.interface import Broken, Reading, Row, Source
from hubbub.moving.staging import StagedRow, Staging
from hubbub.moving.target import ImportBeginning, ImportTarget
from hubbub.moving.tree import FileMissing, Tree, UnsafeArchive, open_tree
from hubbub.moving.verify import Verification, verify
from hubbub.records.imports.model import DONE, Counts, ImportMoved, ImportRun

STAGED_TOGETHER = 1000
Show = Callable[[str, int, int], None]
"""Is told the step, how many rows are done, and of how many; 0 stands for unknown."""
READ, IMPORT, VERIFY = "read", "import", "verify"
_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class ImportOrder:
    """What to import, and how."""

    path: Path
    source: Source
    folder: Path
    """Where the staging database is kept until the import has ended."""
    conflicts: Conflicts = Conflicts.COMPARE
    timezone: tzinfo = UTC
    run: str = ""
    """The id of the run, if it was stored before."""


async def run_import(
    order: ImportOrder, target: ImportTarget, show: Show
) -> tuple[ImportRun, Report]:
    """Import a source, or go on with it; return the run and its report.

    Raises:
        SourceUnreadable: the source is not what it should be.
        OSError, UnsafeArchive: it can't be read.
        Unavailable: the store can't be reached any more; the same import goes on later.
    """
    began = time.monotonic()
    tree = open_tree(order.path)
    run = await target.begin(
        ImportBeginning(
            source=str(order.path),
            origin=order.source.name,
            conflicts=order.conflicts,
            fingerprint=fingerprint_of(tree),
            id=order.run,
        )
    )
    path = order.folder / f"{run.id}.db"
    with (
        _alone(path.with_suffix(".lock"), run.id),
        await asyncio.to_thread(stage, order, tree, path, show) as staging,
    ):
        await target.set_total(run.id, staging.total, staging.dropped)
        await _carry_out(order, target, staging, tree, run, show)
        verification = await verify(staging, target, partial(show, VERIFY))
        counts = (await target.find_run(run.id)).counted()
        if any(kind.imported or kind.updated for kind in counts.values()):
            await _tell(verification, target)
        report = _report(order, staging, verification, run.id, counts, began)
    await target.end(run.id, DONE, _encode(report).decode())
    path.unlink()
    return run, report


@contextmanager
def _alone(path: Path, import_id: str) -> Iterator[None]:
    """Keep other processes from the staged rows of a run, which they would take half written.

    Raises:
        ImportMoved: another process is at it.
    """
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ImportMoved(import_id) from None
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


async def compare_only(order: ImportOrder, target: ImportTarget, show: Show) -> Report:
    """Compare a source with the store, and import nothing; return what would be reported."""
    began = time.monotonic()
    tree = open_tree(order.path)
    with (
        TemporaryDirectory(dir=order.folder) as scratch,
        await asyncio.to_thread(stage, order, tree, Path(scratch) / "rows.db", show) as staging,
    ):
        verification = await verify(staging, target, partial(show, VERIFY))
        return _report(order, staging, verification, "", {}, began)


def stage(order: ImportOrder, tree: Tree, path: Path, show: Show) -> Staging:
    """Return the staging database of a source; it is made unless it is there already.

    Raises:
        OSError: the disk is full, or fails.
    """
    try:
        return _staged(path) or _stage(order, tree, path, show)
    except sqlite3.OperationalError as fault:
        raise OSError(f"The rows can't be kept in {path.parent}: {fault}.") from None


def _staged(path: Path) -> Staging | None:
    """Return the rows that were staged before, by this version."""
    if not path.exists():
        return None
    staging = Staging(path)
    if staging.is_current:
        return staging
    staging.close()
    return None


def _stage(order: ImportOrder, tree: Tree, path: Path, show: Show) -> Staging:
    unfinished = path.with_suffix(".new")
    unfinished.unlink(missing_ok=True)
    reading = Reading(order.timezone)
    with Staging(unfinished) as staging:
        rows = order.source.read(tree, reading)
        for count, some in _some_at_a_time(rows):
            checking = Checking(tree, reading.dropped)
            staging.add([checking.check(row) for row in some])
            show(READ, count, 0)
        staging.complete(dict(reading.dropped))
    _sync(unfinished)
    unfinished.rename(path)
    return Staging(path)


def _some_at_a_time(rows: Iterator[Row | Broken]) -> Iterator[tuple[int, list[Row | Broken]]]:
    count = 0
    while some := list(islice(rows, STAGED_TOGETHER)):
        count += len(some)
        yield count, some


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


async def _carry_out(
    order: ImportOrder,
    target: ImportTarget,
    staging: Staging,
    tree: Tree,
    run: ImportRun,
    show: Show,
) -> None:
    position, total = run.position, staging.total
    show(IMPORT, position, total)
    while rows := staging.read(position, limit=target.step):
        with TemporaryDirectory(dir=order.folder) as scratch:
            paths = _paths_of(tree, rows, Path(scratch))
            await target.apply(run.id, rows, order.conflicts, paths)
        position = rows[-1].place
        show(IMPORT, position, total)


async def _tell(verification: Verification, target: ImportTarget) -> None:
    """Tell clients that conversations have changed, of each once."""
    keys = sorted(verification.conversations)
    for at in range(0, len(keys), MOST_TOLD):
        await target.tell(keys[at : at + MOST_TOLD])


def _paths_of(tree: Tree, rows: Sequence[StagedRow], scratch: Path) -> dict[str, str]:
    """Return where the files are that rows name, by their names; those of an archive are copied."""
    paths: dict[str, str] = {}
    for row in rows:
        if row.error is None and b'"file:' in row.body:
            for name in files_of(row.line()):
                with suppress(FileMissing, UnsafeArchive, OSError):
                    paths[name] = str(tree.path_of(name, scratch).absolute())
    return paths


def _report(
    order: ImportOrder,
    staging: Staging,
    verification: Verification,
    import_id: str,
    counts: Counts,
    began: float,
) -> Report:
    comparison = verification.result()
    days = list(comparison.days)
    return Report(
        source=str(order.path),
        origin=order.source.name,
        id=import_id,
        kinds=counts,
        dropped=staging.dropped,
        checksum=comparison.checksum,
        conversations=len(verification.conversations),
        from_=days[0] if days else None,
        until=days[-1] if days else None,
        seconds=round(time.monotonic() - began, 1),
        comparison=comparison,
    )


def fingerprint_of(tree: Tree) -> str:
    """Return what tells whether a source is still the same: the names and sizes of its files."""
    digest = blake2b(digest_size=16)
    for name in tree.names():
        digest.update(f"{name}\0{tree.size(name)}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()

"""Copy an installation: its rows, its search index, its files; and what makes it a new one."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from hubbub.files.store import FileStore
from hubbub.kernel.clock import Clock
from hubbub.moving.copying.files import FileCopy
from hubbub.moving.copying.progress import SOURCE, CopyProgress, Show
from hubbub.moving.copying.rows import RowCopy
from hubbub.moving.copying.search import begin_index, make_index
from hubbub.storage.interface import Database
from hubbub.storage.tables import CopySource, CopyTarget, StoredTable


class TargetRefused(Exception):
    """The target holds something else than a part of this copy; the message says what."""


@dataclass(frozen=True, slots=True)
class CopyOrder:
    """What is copied, and where to."""

    source: CopySource
    target: CopyTarget
    database: Database
    """The engine of the target."""
    mark: str
    """That of the source's master key: a copy goes on only with the same source."""
    clock: Clock
    show: Show
    at_end: Callable[[], Awaitable[None]]
    """Is called once the copy is complete, while still nobody can write to the source."""
    files: tuple[FileStore, FileStore] | None = None
    """From where to where uploaded files are copied, if they are."""


@dataclass(frozen=True, slots=True)
class Copied:
    """What was copied."""

    tables: int
    rows: int
    files: int
    missing_files: Sequence[str]


async def copy_store(order: CopyOrder) -> Copied:
    """Copy a store into an empty one, or go on with that; compare both.

    Raises:
        RowsNotStored: the target's engine does not take a row.
        StoreAway: one of the stores can't be reached.
        StoresDiffer: after the copy, they differ.
        TargetRefused: the target holds something else.
        Unavailable: the target, or a place of files, can't be reached.
    """
    progress = await _begin(order)
    tables = await _agree_on_tables(order)
    async with order.source.unchanging():
        job = RowCopy(order.source, order.target, tables, progress, order.show)
        rows = await job.run()
        await _index(order, progress)
        files = await _copy_files(order)
        await order.target.finish(order.clock.now())
        await order.at_end()
    copied, missing = (files.copied, files.missing) if files else (0, [])
    return Copied(len(tables), rows, copied, missing)


async def _begin(order: CopyOrder) -> CopyProgress:
    """Check that the target is empty, or has a part of this copy, and give it its tables."""
    target = order.target
    noted = await target.find_progress()
    if noted is None:
        await _check_empty(target)
        await order.database.migrate()
        noted = {SOURCE: order.mark}
        await target.begin(noted)
        return CopyProgress(target, noted, is_resumed=False)
    if noted.get(SOURCE) != order.mark:
        raise TargetRefused("The target has a part of another installation. Empty it first.")
    return CopyProgress(target, noted, is_resumed=True)


async def _check_empty(target: CopyTarget) -> None:
    names = await target.list_names()
    if names and "schema_migrations" not in names:
        raise TargetRefused(f"The target is not empty: it has a table {names[0]}.")
    for table in await target.list_tables():
        if await target.count(table):
            raise TargetRefused(
                f"The target is not empty: its table {table.name} has rows. Nothing is ever copied"
                " over a store."
            )


async def _agree_on_tables(order: CopyOrder) -> list[StoredTable]:
    """Return the tables, which both stores must have alike."""
    ours, theirs = await order.source.list_tables(), await order.target.list_tables()
    if ours != theirs:
        different = sorted({table.name for table in {*ours} ^ {*theirs}})
        raise TargetRefused(f"The stores have different tables: {', '.join(different)}.")
    return ours


async def _index(order: CopyOrder, progress: CopyProgress) -> None:
    if not progress.is_indexing:
        await begin_index(order.database)
        await progress.note_indexing()
    await make_index(order.database, order.show)


async def _copy_files(order: CopyOrder) -> FileCopy | None:
    if order.files is None:
        return None
    job = FileCopy(order.database, *order.files, order.show)
    await job.run()
    return job

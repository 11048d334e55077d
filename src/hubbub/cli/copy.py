"""`hubbub copy`: copy the whole installation into another store."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from hubbub.admin.client import CommandRefused, NodeNotReached, ask_node
from hubbub.admin.lock import FolderLock, FolderLocked
from hubbub.backup.copying import write_file
from hubbub.backup.manifest import KEY
from hubbub.bootstrap import open_copied_database, open_inspection, open_tables
from hubbub.cli.exits import AWAY, DIFFERS, SOURCE, USAGE, CommandEnded, ending_with
from hubbub.cli.options import Data, DatabaseUrl
from hubbub.cli.progress import progress_bar
from hubbub.config import BadSetting, Settings, load_settings
from hubbub.files.hold import keeping_files
from hubbub.files.store import FileStore, folder_of_files, open_store, without_secrets
from hubbub.kernel.clock import SystemClock
from hubbub.kernel.errors import Unavailable
from hubbub.moving.copying.progress import Show
from hubbub.moving.copying.rows import StoresDiffer
from hubbub.moving.copying.run import Copied, CopyOrder, TargetRefused, copy_store
from hubbub.records.apps.store import find_key_mark
from hubbub.storage.errors import NoStore, RowsNotStored, SchemaTooNew, StoreAway, StoreUnusable
from hubbub.storage.interface import INSTALLATION
from hubbub.storage.migrations import newest_version

CODES = {
    BadSetting: USAGE,
    FolderLocked: USAGE,
    TargetRefused: USAGE,
    RowsNotStored: DIFFERS,
    StoresDiffer: DIFFERS,
    NoStore: SOURCE,
    SchemaTooNew: SOURCE,
    StoreUnusable: SOURCE,
    StoreAway: AWAY,
    Unavailable: AWAY,
}
POSTGRES = ("postgresql://", "postgres://")
MAY_BE_THERE = frozenset(
    {"hubbub.db", "hubbub.db-wal", "hubbub.db-shm", "lock", "files", KEY, "lost+found"}
)
"""What a data folder may hold that a store is copied into: a part of the same copy, or nothing."""
REFUSED_SECONDS = 30.0
"""So long a running node refuses writes unless it is told again, as when the copy is killed."""
TOLD_SECONDS = 5.0
SHOWN = 10


@dataclass(frozen=True, slots=True)
class Ends:
    """The two ends of a copy."""

    source: Settings
    target: Settings
    files: str | None
    """Where uploaded files are copied to; None if they stay."""

    @property
    def copies_files(self) -> bool:
        """Return whether files are copied: not if both stores use the same place."""
        if self.files is None:
            return False
        places = (self.source.files, self.source.data), (self.files, self.target.data)
        folders = [folder_of_files(*place) for place in places]
        return folders[0] != folders[1] if None not in folders else self.source.files != self.files


def copy(
    to: Annotated[str, typer.Option("--to", help="A postgresql:// address, or a new data folder.")],
    files: Annotated[
        str | None,
        typer.Option("--files", help="Where to copy the uploaded files.", show_default="they stay"),
    ] = None,
    data: Data = None,
    database: DatabaseUrl = None,
) -> None:
    """Copy the whole installation into an empty store: to PostgreSQL, back, or to another server.

    All tables are copied, keys, tokens, webhooks and waiting deliveries included, and both stores
    are compared at the end: the number of rows and a checksum over all values of each table. Killed
    at any moment, the same command goes on. The new store needs the same master key.

    While it runs, nodes on the old store answer what is read, and refuse what writes with 503.
    A node on an embedded store goes on to refuse once the copy is complete, so that nothing is
    written that the new store lacks: stop it, and start the new nodes. To go on with the old store
    instead, restart it. Nodes on PostgreSQL take writes again: stop them before the copy that
    counts. Clients fetch anew what they show: all apps begin a new epoch.

    Exit codes: 0 complete and equal, 1 the stores differ, 2 wrong usage or the target is not empty,
    3 the old store can't be read, 4 a store is away (give the same command again), 130 interrupted.

    \b
    Examples:
      hubbub copy --data /srv/hubbub --to postgresql://user:password@host/hubbub
      hubbub copy --database postgresql://user:password@host/hubbub --to /srv/back
    """  # noqa: D301
    with ending_with(CODES):
        source = load_settings(data=data, database_url=database)
        ends = Ends(source, _target_of(source, to), files)
        with progress_bar() as show, _folders_locked(ends) as is_served:
            copied = asyncio.run(_copy(ends, show, is_served=is_served))
    _report(ends, copied, is_served=is_served)


def _target_of(source: Settings, to: str) -> Settings:
    if to.startswith(POSTGRES):
        return replace(source, database_url=to)
    if "://" in to:
        raise BadSetting("--to must be a postgresql:// address, or a folder.")
    folder = Path(to)
    if folder.resolve() == source.data.resolve():
        raise TargetRefused(f"{folder} is the data folder that is to be copied.")
    others = (
        sorted({each.name for each in folder.iterdir()} - MAY_BE_THERE) if folder.is_dir() else []
    )
    if others:
        raise TargetRefused(f"{folder} is not empty: it has {', '.join(others[:3])}.")
    return replace(source, data=folder, database_url="")


@contextmanager
def _folders_locked(ends: Ends) -> Iterator[bool]:
    """Lock the data folders of embedded stores; yield whether a node serves the source's."""
    is_served = False
    with ExitStack() as stack:
        if not ends.source.database_url:
            if not ends.source.sqlite_path.exists():
                raise NoStore(ends.source.data)
            try:
                stack.enter_context(FolderLock(ends.source.data))
            except FolderLocked:
                is_served = True
        if not ends.target.database_url:
            stack.enter_context(FolderLock(ends.target.data))
        if ends.copies_files and ends.source.data.is_dir():
            stack.enter_context(keeping_files(ends.source.data))
        yield is_served


async def _copy(ends: Ends, show: Show, *, is_served: bool) -> Copied:
    clock = SystemClock()
    mark = await _check_source(ends.source)
    _copy_key(ends)
    async with AsyncExitStack() as stack:
        source = await open_tables(ends.source)
        stack.push_async_callback(source.close)
        try:
            target = await open_tables(ends.target)
        except StoreUnusable as failure:
            raise TargetRefused(str(failure)) from failure
        stack.push_async_callback(target.close)
        database = open_copied_database(ends.target, clock)
        stack.push_async_callback(database.close)
        files = await stack.enter_async_context(_open_files(ends))
        if is_served:
            await _refuse_writes(ends.source.data, REFUSED_SECONDS)
            stack.enter_context(_refusing_writes(ends.source.data))

        async def at_end() -> None:
            if is_served:
                await _refuse_writes(ends.source.data, None)

        order = CopyOrder(source, target, database, mark, clock, show, at_end, files)
        return await copy_store(order)


async def _check_source(settings: Settings) -> str:
    """Check the version of the source's schema; return the mark of its master key."""
    inspection = open_inspection(settings, SystemClock())
    try:
        version = await inspection.schema_version()
        if not version:
            raise NoStore("that database")
        if version > newest_version():
            raise SchemaTooNew(version, newest_version())
        if version < newest_version():
            raise StoreUnusable(
                f"The store has schema {version}, this Hubbub {newest_version()}. Migrate it first:"
                " hubbub migrate"
            )
        return await inspection.read(INSTALLATION, find_key_mark) or ""
    finally:
        await inspection.close()


def _copy_key(ends: Ends) -> None:
    """Copy the file with the master key into a new data folder; a key of the environment is not."""
    source, target = ends.source.data / KEY, ends.target.data / KEY
    if ends.target.database_url or ends.source.secret_key or not source.exists():
        return
    if not target.exists():
        write_file(ends.target.data, KEY, [source.read_bytes()])
    elif target.read_text().strip() != source.read_text().strip():
        raise TargetRefused(f"{target} is another master key than that of the old store.")


@asynccontextmanager
async def _open_files(ends: Ends) -> AsyncIterator[tuple[FileStore, FileStore] | None]:
    if not ends.copies_files:
        yield None
        return
    source = open_store(ends.source.files, ends.source.data)
    target = open_store(ends.files or "", ends.target.data)
    try:
        yield source, target
    finally:
        source.close()
        target.close()


async def _refuse_writes(data: Path, seconds: float | None) -> None:
    await ask_node(data, "copy refuse writes", {"seconds": seconds})


@contextmanager
def _refusing_writes(data: Path) -> Iterator[None]:
    """Tell the node on a data folder again and again that it refuses writes.

    If it ends meanwhile, the lock on the database is enough.
    """
    is_over = threading.Event()

    def tell() -> None:
        while not is_over.wait(TOLD_SECONDS):
            with suppress(NodeNotReached, CommandRefused):
                asyncio.run(_refuse_writes(data, REFUSED_SECONDS))

    teller = threading.Thread(target=tell, name="hubbub-copy-teller", daemon=True)
    teller.start()
    try:
        yield
    finally:
        is_over.set()
        teller.join()


def _report(ends: Ends, copied: Copied, *, is_served: bool) -> None:
    """Print what was copied, and what else is to be done."""
    where = ends.target.database_url
    place = without_secrets(where) if where else str(ends.target.data)
    print(f"Copied {copied.rows:,} rows of {copied.tables} tables to {place}; both are equal.")
    if is_served:
        print(
            f"The node on {ends.source.data} takes no writes any more: stop it, and start the new"
            " nodes. To go on with the old store, restart it."
        )
    if ends.source.secret_key:
        print("Start the new nodes with the same HUBBUB_SECRET_KEY.")
    elif where:
        print(f"Start the new nodes with the master key: {ends.source.data.resolve() / KEY}.")
    if ends.copies_files:
        print(f"Copied {copied.files:,} files; give the new nodes the same --files.")
    elif ends.files is None and not ends.source.files:
        folder = ends.source.data.resolve() / "files"
        print(f"The uploaded files are still in {folder}: give the new nodes --files {folder}.")
    if copied.missing_files:
        names = ", ".join(copied.missing_files[:SHOWN])
        raise CommandEnded(
            f"{len(copied.missing_files):,} files that messages hold are missing: {names}.", DIFFERS
        )

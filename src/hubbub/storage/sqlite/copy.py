"""Copies of the database file: made while a node writes to it, checked, and read."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar, cast

import apsw

from hubbub.storage import migrations
from hubbub.storage.errors import StoreUnusable
from hubbub.storage.interface import EPOCH_BITS, Reading
from hubbub.storage.sqlite.connection import SqliteReading, read_snapshot

Result = TypeVar("Result")
NoteBytes = Callable[[int, int], None]
"""Is told how many bytes are done, and of how many."""

PAGES_AT_ONCE = 256
FAULTS_SHOWN = 3
STEPS = 10_000
"""Look at the clock after so many steps of SQLite."""
BEGIN_EPOCHS = """
UPDATE counters SET epoch = (max(:now, (epoch >> :bits) + 1) + :later) << :bits
    | ((epoch & :low) | :other) - ((epoch & :low) & :other)
"""
"""The low bits, by which apps differ, are XORed with a random number: a backup that is restored
twice gets other epochs each time."""
RANDOM_SECONDS = 64


def copy_database(source: Path, target: Path, note: NoteBytes) -> None:
    """Copy the database as it is at the start; other processes read and write it meanwhile.

    The log of the original is not shortened until the copy is done. The copy is one file.

    Raises:
        StoreUnusable: the original is not readable, or it is damaged.
    """
    with _explained(source), closing(_open_to_read(source)) as original:
        original.execute("BEGIN")
        # The first reading takes the snapshot. The copy would begin anew after each write without.
        page_bytes: int = original.execute("PRAGMA page_size").get
        original.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        target.touch(0o600)
        with closing(apsw.Connection(str(target))) as copy:
            with copy.backup("main", original, "main") as copying:
                while not copying.done:
                    copying.step(PAGES_AT_ONCE)
                    done = copying.page_count - copying.remaining
                    note(done * page_bytes, copying.page_count * page_bytes)
            copy.execute("PRAGMA journal_mode = DELETE").fetchall()


def begin_epochs(path: Path, now: int) -> None:
    """Begin a new epoch in every app of a copy, which will go on by itself.

    Its next events have the numbers of those that the original has had since: another epoch makes
    other ids.

    Raises:
        StoreUnusable: it is not a database of Hubbub, or it is damaged.
    """
    with _explained(path), closing(apsw.Connection(str(path))) as copy:
        values = {
            "now": now,
            "later": secrets.randbelow(RANDOM_SECONDS),
            "bits": EPOCH_BITS,
            "low": (1 << EPOCH_BITS) - 1,
            "other": secrets.randbits(EPOCH_BITS),
        }
        copy.execute(BEGIN_EPOCHS, values).fetchall()


class Copy:
    """A database file that is only read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection = _open_to_read(path)

    def schema_version(self) -> int:
        """Return the version of the schema.

        Raises:
            StoreUnusable: it is not a readable database of Hubbub.
        """
        with _explained(self._path):
            return schema_version_of(self._connection)

    def read(self, app_id: str, reading: Reading[Result]) -> Result:
        """Run `reading` on the rows of an app."""
        with _explained(self._path):
            found: Any = read_snapshot(self._connection, app_id, cast("SqliteReading", reading))
        return cast("Result", found)

    def find_faults(self, is_over: Callable[[], bool] = lambda: False) -> list[str] | None:
        """Check all tables and indexes; return some of the faults, or None if the time is over."""
        self._connection.set_progress_handler(is_over, STEPS)
        try:
            rows = self._connection.execute(f"PRAGMA integrity_check({FAULTS_SHOWN})").fetchall()
        except apsw.InterruptError:
            return None
        except apsw.Error as failure:
            return [str(failure)]
        finally:
            self._connection.set_progress_handler(None)
        lines = chain.from_iterable(str(text).splitlines() for (text,) in rows if text != "ok")
        return [line for line in lines if not line.startswith("***")]

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def schema_version_of(connection: apsw.Connection) -> int:
    """Return the version of a database's schema; 0 if it has no tables of Hubbub."""
    is_ours = "SELECT count(*) FROM sqlite_schema WHERE name = 'schema_migrations'"
    if not connection.execute(is_ours).get:
        return 0
    version: int = connection.execute(migrations.FIND_VERSION).get
    return version


def _open_to_read(path: Path) -> apsw.Connection:
    try:
        connection = apsw.Connection(str(path), apsw.SQLITE_OPEN_READONLY)
    except apsw.CantOpenError as failure:
        raise StoreUnusable(f"The database {path} can't be opened.") from failure
    connection.set_busy_timeout(5_000)
    return connection


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError) as failure:
        raise StoreUnusable(
            f"The database {path} is damaged: {failure}. Restore a backup."
        ) from failure
    except apsw.Error as failure:
        raise StoreUnusable(f"The database {path} can't be read or copied: {failure}.") from failure

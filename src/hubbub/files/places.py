"""Places that keep backups: a folder, S3, GCS or Azure. What is written appears whole, or not.

Everything blocks: only commands use it.
"""

import fcntl
import os
import secrets
import shutil
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import Protocol

from opendal import Operator

from hubbub.files.store import (
    FAILURES,
    PART_BYTES,
    READ_AT_ONCE,
    first_line,
    folder_of_files,
    open_remote,
    without_secrets,
)
from hubbub.kernel.clock import ELAPSED
from hubbub.kernel.errors import Unavailable

UNFINISHED = "unfinished"
"""The folder, in a local place, of what is being written."""
LOCKS = "locks"
ALONE, TOGETHER = "alone", "together"
LOCK_SECONDS = 600
"""A lock that was not renewed for so long is that of a process that was killed."""
RENEWED_SECONDS = 60


class NotInPlace(Exception):
    """There is no such file in the place."""


class PlaceInUse(Exception):
    """Others use the place in a way that excludes this one."""


@dataclass(frozen=True, slots=True)
class PlaceEntry:
    """A file in a folder of a place, or a folder, whose size is 0."""

    name: str
    size: int
    is_folder: bool


Confirm = Callable[[], None]
"""Raises `PlaceInUse` if the lock may have been lost."""


class BackupPlace(Protocol):
    """A place with files that are written once, by paths whose parts are joined by `/`."""

    @property
    def name(self) -> str:
        """Return the address as it may be shown."""

    def write(self, path: str, pieces: Iterable[bytes]) -> None:
        """Store a file; if `pieces` fails or the process is killed, nothing is stored."""

    def read(self, path: str, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        """Yield a file, or a range of it, in pieces.

        Raises:
            NotInPlace: there is no such file.
        """

    def entries(self, folder: str) -> Iterator[PlaceEntry]:
        """Yield what is in a folder, in any order; nothing if there is no such folder."""

    def delete(self, path: str) -> None:
        """Delete a file; one that does not exist is ignored."""

    def lock(self, *, alone: bool) -> AbstractContextManager[Confirm]:
        """Lock the place in a block, which is given a function that confirms the lock.

        Raises:
            PlaceInUse: others have locked it, and they or this one want to be alone.
        """


def open_place(address: str) -> BackupPlace:
    """Open the place at an address: a path, file://, s3://, gcs:// or azblob://.

    Raises:
        BadSetting: the address is not valid.
    """
    folder = folder_of_files(address, Path())
    if folder is not None:
        return FolderPlace(folder)
    return RemotePlace(open_remote(address, "The place of backups"), without_secrets(address))


class FolderPlace:
    """A folder, for its owner only; each file is on disk when it is written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def name(self) -> str:
        return str(self._folder)

    def write(self, path: str, pieces: Iterable[bytes]) -> None:
        self._make(self._folder / UNFINISHED)
        part = self._folder / UNFINISHED / secrets.token_hex(16)
        try:
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as to:
                for piece in pieces:
                    to.write(piece)
                to.flush()
                os.fsync(to.fileno())
            target = self._folder / path
            self._make(target.parent)
            part.rename(target)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        _sync(target.parent)

    def _make(self, folder: Path) -> None:
        if not folder.is_dir():
            self._make(folder.parent)
            folder.mkdir(mode=0o700, exist_ok=True)
            _sync(folder.parent)

    def read(self, path: str, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        try:
            # Not through links: in a place that others made, one might lead anywhere.
            opened = os.open(self._folder / path, os.O_RDONLY | os.O_NOFOLLOW)
        except OSError:
            raise NotInPlace(path) from None
        with os.fdopen(opened, "rb") as file:
            file.seek(start)
            yield from _pieces(file.read, length)

    def entries(self, folder: str) -> Iterator[PlaceEntry]:
        with suppress(FileNotFoundError, NotADirectoryError):
            for each in os.scandir(self._folder / folder):
                found = each.stat(follow_symlinks=False)
                if stat.S_ISREG(found.st_mode):
                    yield PlaceEntry(each.name, found.st_size, is_folder=False)
                elif stat.S_ISDIR(found.st_mode):
                    yield PlaceEntry(each.name, 0, is_folder=True)

    def delete(self, path: str) -> None:
        with suppress(FileNotFoundError):
            (self._folder / path).unlink()
        with suppress(OSError):  # its folder has other files
            (self._folder / path).parent.rmdir()

    @contextmanager
    def lock(self, *, alone: bool) -> Iterator[Confirm]:
        self._make(self._folder)
        opened = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            self._take(opened, alone=alone)
            if alone:  # so whoever has left something there was killed
                shutil.rmtree(self._folder / UNFINISHED, ignore_errors=True)
            yield lambda: None
        finally:
            os.close(opened)

    def _take(self, opened: int, *, alone: bool) -> None:
        try:
            fcntl.flock(opened, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PlaceInUse(_in_use(self.name)) from None


class RemotePlace:
    """A place that opendal reaches. A lock in it is a file, renewed while its process lives."""

    def __init__(self, operator: Operator, name: str) -> None:
        self._operator = operator
        self.name = name

    def write(self, path: str, pieces: Iterable[bytes]) -> None:
        with self._explained():
            writer = self._operator.open(path, "wb", chunk=PART_BYTES)
            try:
                for piece in pieces:
                    writer.write(piece)
                writer.close()
            except BaseException:
                # Close, then delete: S3 would keep the parts of a file that is never closed.
                with suppress(*FAILURES):
                    writer.close()
                with suppress(*FAILURES):
                    self._operator.delete(path)
                raise

    def read(self, path: str, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        opening = partial(self._operator.open, path, "rb", offset=start)
        with self._explained(), opening() if length is None else opening(size=length) as file:
            yield from _pieces(file.read, length)

    def entries(self, folder: str) -> Iterator[PlaceEntry]:
        path = f"{folder}/" if folder else ""
        with self._explained():
            for each in self._operator.list(path):
                if each.path not in (path, "/"):
                    name = each.path.rstrip("/").rpartition("/")[2]
                    yield PlaceEntry(name, each.metadata.content_length, each.metadata.is_dir)

    def delete(self, path: str) -> None:
        with self._explained():
            self._operator.delete(path)

    @contextmanager
    def lock(self, *, alone: bool) -> Iterator[Confirm]:
        # Each writes its own first and looks at the others then: of two, one at least sees the
        # other.
        lock = f"{LOCKS}/{ALONE if alone else TOGETHER}-{secrets.token_hex(16)}"
        renewal = _Renewal(lambda: self.write(lock, [b"1"]), lambda: _in_use(self.name))
        try:
            self._check_others(lock, alone=alone)
            with renewal.going_on():
                yield renewal.confirm
        finally:
            self.delete(lock)

    def _check_others(self, own: str, *, alone: bool) -> None:
        with self._explained():
            now = self._time_of(own)  # by the clock of the place
            assert now is not None
            for each in self.entries(LOCKS):
                other = f"{LOCKS}/{each.name}"
                if other == own or not (alone or each.name.startswith(ALONE)):
                    continue
                written = self._time_of(other)
                if written is not None and (now - written).total_seconds() < LOCK_SECONDS:
                    raise PlaceInUse(_in_use(self.name))
                self.delete(other)

    def _time_of(self, lock: str) -> datetime | None:
        try:
            return self._operator.stat(lock).last_modified
        except FAILURES as failure:
            if _is_missing(failure):
                return None
            raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except FAILURES as failure:
            if _is_missing(failure):
                raise NotInPlace(first_line(failure)) from None
            raise Unavailable(
                f"{self.name} can't be reached, or refuses this: {first_line(failure)}"
            ) from None


class _Renewal:
    """Writes a lock anew from time to time, and knows whether it may have been taken for stale."""

    def __init__(self, write: Callable[[], None], why: Callable[[], str]) -> None:
        self._write, self._why = write, why
        self._is_over = Event()
        self._renewed_at = _elapsed()
        write()

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """Renew the lock during the block."""
        thread = Thread(target=self._run, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._is_over.set()
            thread.join()

    def confirm(self) -> None:
        """Check that nobody has taken the lock for that of a killed process.

        Raises:
            PlaceInUse: it was not renewed for too long, such as when the machine slept.
        """
        if _elapsed() - self._renewed_at > LOCK_SECONDS - RENEWED_SECONDS:
            raise PlaceInUse(self._why())

    def _run(self) -> None:
        while not self._is_over.wait(RENEWED_SECONDS):
            with suppress(Unavailable, NotInPlace, PlaceInUse):
                self.confirm()
                began = _elapsed()
                self._write()
                self._renewed_at = began


def _elapsed() -> float:
    return time.clock_gettime(ELAPSED)


def _pieces(read: Callable[[int], bytes], length: int | None) -> Iterator[bytes]:
    left = length
    while piece := read(READ_AT_ONCE if left is None else min(READ_AT_ONCE, left)):
        yield piece
        left = None if left is None else left - len(piece)


def _in_use(name: str) -> str:
    return (
        f"Another backup runs in {name}, or backups are being pruned there. Try again when it has"
        f" ended; in a bucket, {LOCK_SECONDS // 60} minutes after one that was killed."
    )


def _is_missing(failure: Exception) -> bool:
    return isinstance(failure, FileNotFoundError) or first_line(failure).startswith("NotFound")


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

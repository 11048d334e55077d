"""The store of uploaded files: a folder, S3, GCS or Azure. Only it and `places.py` use opendal.

It uses the blocking interface of opendal, on threads: the asynchronous one calls Python from
threads of its own, and sometimes crashes the process at its end.
"""

import shutil
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, TypeVar
from urllib.parse import unquote, urlsplit

import structlog
from opendal import Operator, exceptions
from opendal.file import File
from opendal.layers import RetryLayer, TimeoutLayer

from hubbub.config import BadSetting
from hubbub.kernel.errors import NotFound, Unavailable
from hubbub.kernel.threads import Threads

log = structlog.get_logger()

FOLDER_SCHEMES = ("file", "fs")
REMOTE_SCHEMES = ("s3", "gcs", "azblob")
WORKERS = 16
MOST_WAITING = 10_000
"""A file is written in many pieces: refusing one of them would waste the others."""
WRITTEN_AT_ONCE = 256 * 1024
READ_AT_ONCE = 256 * 1024
PART_BYTES = 5 * 1024 * 1024
TRIES = 3
ANSWER_SECONDS, TRANSFER_SECONDS = 30.0, 60.0
FAILURES: tuple[type[Exception], ...] = (
    OSError,  # what opendal's files raise for any failure
    *(kind for kind in vars(exceptions).values() if isinstance(kind, type)),
)
"""What an operator of opendal raises."""
Result = TypeVar("Result")


class FileNotStored(NotFound):
    """There is no such file, or the link to it is not valid."""

    code = "ERR_FILE_NOT_FOUND"

    def __init__(self) -> None:
        super().__init__("The file does not exist, or the link to it is not valid.")


class FileStore:
    """Streams files in and out; never holds a whole file in memory."""

    def __init__(self, operator: Operator, folder: Path | None, scratch: Path) -> None:
        self._operator = operator
        self._folder = folder
        self._scratch = scratch
        self.threads = Threads(threads=WORKERS, name="hubbub-files", most_waiting=MOST_WAITING)
        # The smallest parts that S3 accepts, since one part is held in memory.
        self._options: dict[str, Any] = {} if folder else {"chunk": PART_BYTES}

    async def write(self, path: str, pieces: AsyncIterator[bytes]) -> int:
        """Store a file; return its size. If `pieces` fails in the middle, nothing is stored.

        Raises:
            Unavailable: the store can't be reached, or it is full.
        """
        writer = await self._run(path, partial(self._operator.open, path, "wb", **self._options))
        size = 0
        try:
            async for piece in _join_pieces(pieces):
                await self._run(path, partial(writer.write, piece))
                size += len(piece)
            await self._run(path, writer.close)
        except BaseException:
            await self.threads.run(_app_of(path), partial(self._undo, writer, path))
            raise
        return size

    def _undo(self, writer: File, path: str) -> None:
        """Close, then delete: S3 would keep the parts of a file that is never closed."""
        with suppress(*FAILURES):
            writer.close()
        with suppress(*FAILURES):
            self._operator.delete(path)

    async def read(self, path: str, start: int, length: int) -> AsyncGenerator[bytes, None]:
        """Return a range of a file, which must be within it, in pieces.

        Raises:
            FileNotStored: there is no such file.
            Unavailable: the store can't be reached.
        """
        if length == 0:
            return _no_pieces()
        reader, first = await self._run(path, partial(self._open, path, start, length))
        return self._pieces(path, reader, first, length)

    def _open(self, path: str, start: int, length: int) -> tuple[File, bytes]:
        reader = self._operator.open(path, "rb", offset=start, size=length)
        return reader, reader.read(min(READ_AT_ONCE, length))

    async def _pieces(
        self, path: str, reader: File, first: bytes, length: int
    ) -> AsyncGenerator[bytes, None]:
        try:
            piece, left = first, length
            while piece:
                yield piece
                left -= len(piece)
                wanted = min(READ_AT_ONCE, left)
                piece = await self._run(path, partial(reader.read, wanted)) if left else b""
        finally:
            with suppress(*FAILURES):
                await self.threads.run(_app_of(path), reader.close)

    async def find_size(self, path: str) -> int | None:
        """Return the size of a file; None if there is no such file.

        Raises:
            Unavailable: the store can't be reached.
        """
        with suppress(FileNotStored):
            found = await self._run(path, partial(self._operator.stat, path))
            return int(found.content_length)
        return None

    async def delete(self, paths: Iterable[str]) -> None:
        """Delete files; those that do not exist are ignored.

        Raises:
            Unavailable: the store can't be reached.
        """
        for path in paths:
            with suppress(FileNotStored):
                await self._run(path, partial(self._operator.delete, path))

    async def delete_folder(self, path: str) -> None:
        """Delete all files in a folder.

        Raises:
            Unavailable: the store can't be reached.
        """
        with suppress(FileNotStored):
            await self._run(path, partial(self._operator.remove_all, path + "/"))

    def open_copy(self, path: str) -> BinaryIO:
        """Open a local file with the content of a stored one; to be called on a thread.

        Raises:
            FileNotStored: there is no such file.
            Unavailable: the store can't be reached.
        """
        with _refusing_failures():
            if self._folder is not None:
                return (self._folder / path).open("rb")
            return self._copy(path)

    def _copy(self, path: str) -> BinaryIO:
        with ExitStack() as stack:
            # Without a name: it disappears when it is closed or the process ends.
            copy = stack.enter_context(tempfile.TemporaryFile(dir=self._scratch))
            with self._operator.open(path, "rb") as source:
                shutil.copyfileobj(source, copy, WRITTEN_AT_ONCE)
            copy.seek(0)
            stack.pop_all()
        return copy

    def close(self) -> None:
        """Stop the threads after the work under way; blocks until then."""
        self.threads.close()

    async def _run(self, path: str, work: Callable[[], Result]) -> Result:
        with _refusing_failures():
            return await self.threads.run(_app_of(path), work)


def open_store(address: str, data: Path) -> FileStore:
    """Open the store at an address; without one, the folder `files` in the data folder.

    Raises:
        BadSetting: the address is not valid.
    """
    folder = folder_of_files(address, data)
    if folder is None:
        return FileStore(open_remote(address, "HUBBUB_FILES_URL"), None, data)
    if address:
        _make_folder(folder)
    try:
        return FileStore(Operator("fs", root=str(folder)), folder, data)
    except FAILURES as failure:
        raise BadSetting(f"HUBBUB_FILES_URL can't be used: {first_line(failure)}") from None


def open_remote(address: str, name: str) -> Operator:
    """Open a remote store at an address, which comes from the setting or option `name`.

    Raises:
        BadSetting: the address is not valid.
    """
    if address.partition("://")[0] not in REMOTE_SCHEMES:
        raise BadSetting(
            f"{name} must be a folder, or an address that begins with one of "
            + ", ".join(f"{scheme}://" for scheme in ("file", *REMOTE_SCHEMES))
        )
    try:
        operator = Operator.from_uri(address)
    except FAILURES as failure:
        raise BadSetting(f"{name} can't be used: {first_line(failure)}") from None
    waiting = TimeoutLayer(timeout=ANSWER_SECONDS, io_timeout=TRANSFER_SECONDS)
    trying = RetryLayer(max_times=TRIES, jitter=True, min_delay=0.1, max_delay=5.0)
    return operator.layer(waiting).layer(trying)


def _app_of(path: str) -> str:
    """Return the app of a file, which is the first part of its path."""
    return path.partition("/")[0]


def folder_of_files(address: str, data: Path) -> Path | None:
    """Return the folder that an address of files names; None if they are not in a local folder."""
    scheme, is_url, _ = address.partition("://")
    if is_url and scheme not in FOLDER_SCHEMES:
        return None
    return (_folder_of(address) if address else data / "files").resolve()


def without_secrets(address: str) -> str:
    """Return an address of files without what may be a secret in it."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as failure:
        raise BadSetting(f"Files can't be stored in {folder}: {failure.strerror}.") from None


def _folder_of(address: str) -> Path:
    if "://" not in address:
        return Path(address)
    parts = urlsplit(address)
    return Path(unquote(parts.netloc + parts.path))


@contextmanager
def _refusing_failures() -> Iterator[None]:
    """Turn failures of the store into refusals; their own text goes only to the log."""
    try:
        yield
    except FAILURES as failure:
        reason = first_line(failure)
        if isinstance(failure, FileNotFoundError) or reason.startswith("NotFound"):
            raise FileNotStored from None
        log.warning("files_not_reached", reason=reason)
        raise Unavailable(
            "The file store can't be reached, or it is full. Try again.", retry_after_seconds=5
        ) from None


def first_line(failure: Exception) -> str:
    """Return the first line of an error of opendal; further ones may show what was sent."""
    return str(failure).partition("\n")[0][:300]


async def _join_pieces(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the same bytes in larger pieces, one for each write."""
    gathered = bytearray()
    async for piece in pieces:
        gathered += piece
        if len(gathered) >= WRITTEN_AT_ONCE:
            yield bytes(gathered)
            gathered.clear()
    if gathered:
        yield bytes(gathered)


async def _no_pieces() -> AsyncGenerator[bytes, None]:
    return
    yield b""

"""Where uploaded files lie: in a folder, or in S3, GCS or Azure. The only module of opendal.

Its blocking interface is used, on threads: the other one calls Python from threads of its own, and
now and then takes the process down with it at the end.
"""

import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
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
WRITTEN_AT_ONCE = 256 * 1024
READ_AT_ONCE = 256 * 1024
PART_BYTES = 5 * 1024 * 1024
TRIES = 3
ANSWER_SECONDS, TRANSFER_SECONDS = 30.0, 60.0
_FAILURES: tuple[type[Exception], ...] = (
    OSError,  # what files raise, whatever went wrong
    *(kind for kind in vars(exceptions).values() if isinstance(kind, type)),
)
Result = TypeVar("Result")


class FileNotStored(NotFound):
    """There is no such file, or none that this link leads to."""

    code = "ERR_FILE_NOT_FOUND"

    def __init__(self) -> None:
        super().__init__("There is no such file, or the link to it is not a whole one.")


class FileStore:
    """Streams files in and out, under paths of ours; never holds one in memory."""

    def __init__(self, operator: Operator, folder: Path | None, scratch: Path) -> None:
        self._operator = operator
        self._folder = folder
        self._scratch = scratch
        self._threads = Threads(threads=WORKERS)
        # Parts of the least size that S3 takes, as one of them is held in memory.
        self._options: dict[str, Any] = {} if folder else {"chunk": PART_BYTES}

    async def write(self, path: str, pieces: AsyncIterator[bytes]) -> int:
        """Store a file; returns its size. Of one that breaks off in the middle nothing is left.

        Raises:
            Unavailable: the store can't be reached, or is full.
        """
        writer = await self._run(partial(self._operator.open, path, "wb", **self._options))
        size = 0
        try:
            async for piece in _in_large_pieces(pieces):
                await self._run(partial(writer.write, piece))
                size += len(piece)
            await self._run(writer.close)
        except BaseException:
            await self._threads.run(partial(self._undo, writer, path))
            raise
        return size

    def _undo(self, writer: File, path: str) -> None:
        """Closed first: S3 would keep the parts of a file that is never finished."""
        with suppress(*_FAILURES):
            writer.close()
        with suppress(*_FAILURES):
            self._operator.delete(path)

    async def read(self, path: str, start: int, length: int) -> AsyncIterator[bytes]:
        """A stretch of a file, which must be within it, in pieces.

        Raises:
            FileNotStored: there is none.
            Unavailable: the store can't be reached.
        """
        if length == 0:
            return _nothing()
        reader, first = await self._run(partial(self._open, path, start, length))
        return self._pieces(reader, first, length)

    def _open(self, path: str, start: int, length: int) -> tuple[File, bytes]:
        reader = self._operator.open(path, "rb", offset=start, size=length)
        return reader, reader.read(min(READ_AT_ONCE, length))

    async def _pieces(self, reader: File, first: bytes, length: int) -> AsyncIterator[bytes]:
        try:
            piece, left = first, length
            while piece:
                yield piece
                left -= len(piece)
                wanted = min(READ_AT_ONCE, left)
                piece = await self._run(partial(reader.read, wanted)) if left else b""
        finally:
            with suppress(*_FAILURES):
                await self._threads.run(reader.close)

    async def delete(self, paths: Iterable[str]) -> None:
        """Remove files; what is not there is no matter.

        Raises:
            Unavailable: the store can't be reached.
        """
        for path in paths:
            with suppress(FileNotStored):
                await self._run(partial(self._operator.delete, path))

    async def delete_folder(self, path: str) -> None:
        """Remove all files whose paths begin with that folder.

        Raises:
            Unavailable: the store can't be reached.
        """
        with suppress(FileNotStored):
            await self._run(partial(self._operator.remove_all, path + "/"))

    def open_copy(self, path: str) -> BinaryIO:
        """A file of the system with that content, for programs; to be called on a thread.

        Raises:
            FileNotStored: there is none.
            Unavailable: the store can't be reached.
        """
        with _failures_told():
            if self._folder is not None:
                return (self._folder / path).open("rb")
            return self._copied(path)

    def _copied(self, path: str) -> BinaryIO:
        with ExitStack() as stack:
            # Without a name: nothing is left of it, whatever happens.
            copy = stack.enter_context(tempfile.TemporaryFile(dir=self._scratch))
            with self._operator.open(path, "rb") as source:
                shutil.copyfileobj(source, copy, WRITTEN_AT_ONCE)
            copy.seek(0)
            stack.pop_all()
        return copy

    def close(self) -> None:
        """End after the work that is under way."""
        self._threads.close()

    async def _run(self, work: Callable[[], Result]) -> Result:
        with _failures_told():
            return await self._threads.run(work)


def open_store(address: str, data: Path) -> FileStore:
    """The store of an address; without one, the folder `files` in the data folder.

    Raises:
        BadSetting: the address can't be one.
    """
    scheme, is_url, _ = address.partition("://")
    try:
        if not address or not is_url or scheme in FOLDER_SCHEMES:
            folder = _folder_of(address) if address else data / "files"
            folder = folder.resolve()
            return FileStore(Operator("fs", root=str(folder)), folder, data)
        if scheme not in REMOTE_SCHEMES:
            raise BadSetting(
                "HUBBUB_FILES_URL must be a folder, or begin with one of "
                + ", ".join(f"{name}://" for name in ("file", *REMOTE_SCHEMES))
            )
        operator = Operator.from_uri(address)
    except _FAILURES as failure:
        raise BadSetting(f"HUBBUB_FILES_URL can't be used: {_sentence(failure)}") from None
    waiting = TimeoutLayer(timeout=ANSWER_SECONDS, io_timeout=TRANSFER_SECONDS)
    trying = RetryLayer(max_times=TRIES, jitter=True, min_delay=0.1, max_delay=5.0)
    return FileStore(operator.layer(waiting).layer(trying), None, data)


def _folder_of(address: str) -> Path:
    if "://" not in address:
        return Path(address)
    parts = urlsplit(address)
    return Path(unquote(parts.netloc + parts.path))


@contextmanager
def _failures_told() -> Iterator[None]:
    """What goes wrong in the store becomes a refusal; its own words are for the log."""
    try:
        yield
    except _FAILURES as failure:
        reason = _sentence(failure)
        if isinstance(failure, FileNotFoundError) or reason.startswith("NotFound"):
            raise FileNotStored from None
        log.warning("files_not_reached", reason=reason)
        raise Unavailable(
            "The store of files can't be reached, or is full.", retry_after_seconds=5
        ) from None


def _sentence(failure: Exception) -> str:
    """The first line of what opendal says: further ones may show what was sent."""
    return str(failure).partition("\n")[0][:300]


async def _in_large_pieces(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The same bytes in pieces that are worth a write each."""
    gathered = bytearray()
    async for piece in pieces:
        gathered += piece
        if len(gathered) >= WRITTEN_AT_ONCE:
            yield bytes(gathered)
            gathered.clear()
    if gathered:
        yield bytes(gathered)


async def _nothing() -> AsyncIterator[bytes]:
    return
    yield b""

"""The files of a source: of a folder, an archive or one file; nothing outside of it is ever read.

An archive comes from elsewhere: entries that lead outside, links, devices and encrypted entries are
left out, and one that unpacks to far more than it has is refused.
"""

import bz2
import gzip
import lzma
import os
import shutil
import stat
import tarfile
import tempfile
import weakref
import zipfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO, cast

MOST_ENTRIES = 2_000_000
MOST_RATIO = 200
"""An archive, and an entry, may unpack to so many times its size, once it has `SMALL_BYTES`."""
SMALL_BYTES = 64 * 1024 * 1024
LARGEST_HEAD = 16 * 1024 * 1024
"""The head of an entry of a tar archive is read into memory."""
DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError)
"""What reading an entry of a damaged archive raises."""


class UnsafeArchive(Exception):
    """An archive, or a file in it, must not be unpacked; the message says why."""


class FileMissing(Exception):
    """A source has no such file."""

    def __init__(self, name: str) -> None:
        super().__init__(f"The source has no file {name}.")


class Tree(ABC):
    """Files by their names, such as `general/2026-01-02.json`: relative, with `/`."""

    name: str
    """The name of the folder or file, for people."""

    @abstractmethod
    def names(self) -> Sequence[str]:
        """Return the names of all files, sorted."""

    @abstractmethod
    def open(self, name: str) -> IO[bytes]:
        """Open a file to read it once from its start.

        Raises:
            FileMissing: there is none with this name.
            UnsafeArchive: it unpacks to too much; also raised by later reads.
        """

    @abstractmethod
    def size(self, name: str) -> int:
        """Return the bytes of a file; of one in an archive, what the archive says.

        Raises:
            FileMissing: there is none with this name.
        """

    def has(self, name: str) -> bool:
        """Return whether there is such a file."""
        with suppress(FileMissing):
            return self.size(name) >= 0
        return False

    def path_of(self, name: str, scratch: Path) -> Path:
        """Return a path on this machine with the content of a file, copied to `scratch` if need be.

        Raises:
            FileMissing, UnsafeArchive: as for `open`.
        """
        with (
            self.open(name) as source,
            tempfile.NamedTemporaryFile(dir=scratch, delete=False) as target,
        ):
            try:
                shutil.copyfileobj(source, target)
            except DAMAGED as fault:
                raise UnsafeArchive(f"{name} in {self.name} is damaged: {fault}") from None
        return Path(target.name)


def is_within(name: str) -> bool:
    """Return whether a name stays inside: relative, without `..`, NUL or backslashes."""
    path = PurePosixPath(name)
    parts = path.parts
    return bool(parts) and not path.is_absolute() and not {"..", "\\", "\0"} & {*parts, *name}


def open_tree(path: Path) -> Tree:
    """Return the files of a folder, of a `.zip` or tar archive, or of one file.

    Raises:
        OSError: it can't be read.
        UnsafeArchive: it is an archive with too many entries, or one that is damaged.
    """
    if path.is_dir():
        return _Folder(path)
    if zipfile.is_zipfile(path):
        return _Zip(path)
    if not _is_gzipped_text(path) and _is_tar(path):
        return _Tar(path)
    return _OneFile(path)


def _is_gzipped_text(path: Path) -> bool:
    return path.suffix == ".gz" and not path.name.endswith(".tar.gz")


class _OneFile(Tree):
    def __init__(self, path: Path) -> None:
        self.name = path.name
        self._path = path
        path.stat()

    def names(self) -> Sequence[str]:
        return [self.name]

    def open(self, name: str) -> IO[bytes]:
        return self.path_of(name, Path()).open("rb")

    def size(self, name: str) -> int:
        return self.path_of(name, Path()).stat().st_size

    def path_of(self, name: str, scratch: Path) -> Path:
        if name == self.name:
            return self._path
        beside = self._path.parent / name  # files lie beside the lines
        if not is_within(name) or not _is_file_in(self._path.parent, beside):
            raise FileMissing(name)
        return beside


class _Folder(Tree):
    def __init__(self, path: Path) -> None:
        self.name = path.name or str(path)
        self._path = path

    def names(self) -> Sequence[str]:
        found = (
            str(path.relative_to(self._path))
            for path in self._path.rglob("*")
            if _is_file_in(self._path, path)
        )
        return sorted(found)

    def open(self, name: str) -> IO[bytes]:
        return self.path_of(name, Path()).open("rb")

    def size(self, name: str) -> int:
        return self.path_of(name, Path()).stat().st_size

    def path_of(self, name: str, scratch: Path) -> Path:
        path = self._path / name
        if not is_within(name) or not _is_file_in(self._path, path):
            raise FileMissing(name)
        return path


def _is_file_in(folder: Path, path: Path) -> bool:
    """Return whether a path is a regular file of the folder, whatever links lead to."""
    return path.is_file() and path.resolve().is_relative_to(folder.resolve())


class _Zip(Tree):
    def __init__(self, path: Path) -> None:
        self.name = path.name
        try:
            self._archive = zipfile.ZipFile(path)
        except zipfile.BadZipFile as fault:
            raise UnsafeArchive(f"The archive {path.name} is damaged: {fault}.") from None
        entries = self._archive.infolist()
        _check_entries(path.name, len(entries))
        # Entries may share their bytes, so that their ratios say nothing about the whole.
        unpacked = sum(entry.file_size for entry in entries)
        if unpacked > _most_unpacked(path.stat().st_size):
            raise _unpacks_to_too_much(path.name)
        self._entries = {entry.filename: entry for entry in entries if _is_plain(entry)}

    def names(self) -> Sequence[str]:
        return sorted(self._entries)

    def size(self, name: str) -> int:
        return self._entry(name).file_size

    def open(self, name: str) -> IO[bytes]:
        entry = self._entry(name)
        if entry.file_size > SMALL_BYTES and entry.file_size > MOST_RATIO * entry.compress_size:
            raise UnsafeArchive(
                f"{name} unpacks to {entry.file_size:,} bytes from {entry.compress_size:,}:"
                " this is how an archive looks that is made to fill disks."
            )
        # The module reads no more than the size that is checked above, and compares checksums.
        try:
            return self._archive.open(entry)
        except (*DAMAGED, RuntimeError) as fault:  # the latter of a password in its head alone
            raise UnsafeArchive(f"{name} in {self.name} is damaged: {str(fault)[:200]}") from None

    def _entry(self, name: str) -> zipfile.ZipInfo:
        try:
            return self._entries[name]
        except KeyError:
            raise FileMissing(name) from None


def _is_plain(entry: zipfile.ZipInfo) -> bool:
    """Return whether an entry is a file that may be read: inside, no link, not encrypted."""
    mode = entry.external_attr >> 16
    is_other = bool(mode) and stat.S_IFMT(mode) not in (0, stat.S_IFREG)
    is_encrypted = bool(entry.flag_bits & 1)
    return not (entry.is_dir() or is_other or is_encrypted) and is_within(entry.filename)


class _Tar(Tree):
    """A tar archive, unpacked once into a folder that ends with this object."""

    def __init__(self, path: Path) -> None:
        self.name = path.name
        kept = tempfile.mkdtemp(prefix="hubbub-import-")
        weakref.finalize(self, shutil.rmtree, kept, ignore_errors=True)
        self._files = _Folder(Path(kept))
        try:
            with _unpacking(path) as file, tarfile.open(fileobj=file, mode="r:") as archive:
                for count, entry in enumerate(archive, start=1):
                    _check_entries(path.name, count)
                    if entry.isreg() and is_within(entry.name):
                        archive.extract(entry, kept, set_attrs=False, filter="data")
                while file.read(tarfile.RECORDSIZE):  # the checksum is at the end
                    pass
        except (FileExistsError, IsADirectoryError, NotADirectoryError):
            raise UnsafeArchive(
                f"The archive {path.name} has {entry.name} both as a file and as a folder."
            ) from None
        except (tarfile.TarError, *DAMAGED) as fault:
            raise UnsafeArchive(f"The archive {path.name} is damaged: {fault}.") from None

    def names(self) -> Sequence[str]:
        return self._files.names()

    def open(self, name: str) -> IO[bytes]:
        return self._files.open(name)

    def size(self, name: str) -> int:
        return self._files.size(name)

    def path_of(self, name: str, scratch: Path) -> Path:
        return self._files.path_of(name, scratch)


_PACKERS: dict[bytes, Callable[[IO[bytes]], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\0": lzma.open,
}
"""What opens a file that is packed as a whole, by how it begins."""


class _Unpacking:
    """A tar archive as it is read: no more of it than `_most_unpacked`, whatever its heads say."""

    def __init__(self, file: IO[bytes], name: str, most: int) -> None:
        self._file = file
        self._name = name
        self._most = most

    def read(self, size: int) -> bytes:
        """Read some bytes; those of files come in small pieces."""
        if size > LARGEST_HEAD:
            raise UnsafeArchive(
                f"The archive {self._name} has an entry with {size:,} bytes of head."
            )
        self._check(self._file.tell() + size)
        return self._file.read(size)

    def seek(self, position: int) -> int:
        """Go to a position; of a packed archive all before it is unpacked."""
        self._check(position)
        return self._file.seek(position)

    def tell(self) -> int:
        """Return the position."""
        return self._file.tell()

    def _check(self, position: int) -> None:
        if position > self._most:
            raise _unpacks_to_too_much(self._name)


@contextmanager
def _unpacking(path: Path) -> Iterator[BinaryIO]:
    """Open a tar archive, packed or not."""
    with path.open("rb") as file:
        begins = file.read(max(map(len, _PACKERS)))
        file.seek(0)
        opened = next((_PACKERS[each] for each in _PACKERS if begins.startswith(each)), None)
        content: IO[bytes] = file if opened is None else opened(file)
        with content:
            most = _most_unpacked(os.fstat(file.fileno()).st_size)
            yield cast("BinaryIO", _Unpacking(content, path.name, most))


def _is_tar(path: Path) -> bool:
    """Return whether a file begins as a tar archive does."""
    with suppress(OSError, tarfile.TarError, *DAMAGED), _unpacking(path) as file:
        tarfile.TarInfo.frombuf(file.read(tarfile.BLOCKSIZE), tarfile.ENCODING, "surrogateescape")
        return True
    return False


def _most_unpacked(packed: int) -> int:
    return max(SMALL_BYTES, MOST_RATIO * packed)


def _unpacks_to_too_much(name: str) -> UnsafeArchive:
    return UnsafeArchive(
        f"The archive {name} unpacks to over {MOST_RATIO} times its size:"
        " this is how an archive looks that is made to fill disks."
    )


def _check_entries(name: str, count: int) -> None:
    if count > MOST_ENTRIES:
        raise UnsafeArchive(f"The archive {name} has more than {MOST_ENTRIES:,} entries.")

"""Where an export goes: a folder, or a `.zip`, both made of what an unfinished folder holds."""

import os
import shutil
import zipfile
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

import msgspec

from hubbub.moving.lines import Line

LINES = "lines.jsonl"
PAGE = "index.html"
FURTHER = "further.json"
FILES = "files"
ARCHIVE = "archive.zip"
PIECE = 1024 * 1024
EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The time of all entries of an archive, so that the same content gives the same bytes."""
OWNERS_ONLY = 0o600
_encode = msgspec.json.Encoder(order="sorted").encode


class Output(ABC):
    """The lines and files of an export while they are written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.counts: Counter[str] = Counter()
        """The lines of each kind."""
        self._lines = _new(folder / LINES)

    def write(self, line: Line) -> None:
        """Write a line, its keys sorted."""
        self.write_encoded(str(line.__struct_config__.tag), encode(line))

    def write_encoded(self, kind: str, body: bytes) -> None:
        """Write a line that is encoded already."""
        self._lines.write(body + b"\n")
        self.counts[kind] += 1

    @abstractmethod
    def add_file(self, path: str, content: BinaryIO) -> int:
        """Copy a file beside the lines; return its size."""

    def add_document(self, name: str, parts: Iterable[str]) -> None:
        """Add a document of several parts."""
        with _new(self.folder / name) as file:
            for part in parts:
                file.write(part.encode())
            file.flush()
            os.fsync(file.fileno())

    @abstractmethod
    def complete(self, target: Path) -> None:
        """Have all on disk, and give it its name."""

    def close(self) -> None:
        """Close the lines."""
        self._lines.close()

    def _end_lines(self) -> None:
        self._lines.flush()
        os.fsync(self._lines.fileno())
        self._lines.close()


def encode(line: Line) -> bytes:
    """Return a line as it is written: its keys sorted, without what is not given."""
    return _encode(line)


def _new(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNERS_ONLY), "wb")


class FolderOutput(Output):
    """A folder with the lines, and the files in folders of their own."""

    def add_file(self, path: str, content: BinaryIO) -> int:
        target = self.folder / path
        for folder in (target.parent.parent, target.parent):  # `parents` would not apply the mode
            folder.mkdir(mode=0o700, exist_ok=True)
        with _new(target) as file:
            shutil.copyfileobj(content, file, PIECE)
            file.flush()
            os.fsync(file.fileno())
            return file.tell()

    def complete(self, target: Path) -> None:
        self._end_lines()
        for folder, _, _ in os.walk(self.folder):
            _sync(Path(folder))
        self.folder.rename(target)
        _sync(target.parent)


class ZipOutput(Output):
    """An archive with the same names; the files are not compressed, since most are already."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._file = _new(folder / ARCHIVE)
        self._archive = zipfile.ZipFile(self._file, "w", zipfile.ZIP_DEFLATED)
        self._documents = [LINES]

    def add_file(self, path: str, content: BinaryIO) -> int:
        return self._add(path, content, zipfile.ZIP_STORED)

    def add_document(self, name: str, parts: Iterable[str]) -> None:
        super().add_document(name, parts)
        self._documents.append(name)

    def complete(self, target: Path) -> None:
        self._end_lines()
        for name in self._documents:
            with (self.folder / name).open("rb") as document:
                self._add(name, document, zipfile.ZIP_DEFLATED)
        self._archive.close()
        self._file.close()
        _sync(self.folder / ARCHIVE)
        (self.folder / ARCHIVE).rename(target)
        _sync(target.parent)
        shutil.rmtree(self.folder)

    def close(self) -> None:
        super().close()
        self._file.close()

    def _add(self, name: str, content: BinaryIO, compression: int) -> int:
        entry = zipfile.ZipInfo(name, EARLIEST)
        entry.compress_type = compression
        entry.external_attr = OWNERS_ONLY << 16
        size = 0
        with self._archive.open(entry, "w", force_zip64=True) as file:
            while piece := content.read(PIECE):
                size += file.write(piece)
        return size


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

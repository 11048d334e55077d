"""PageEntry each page of a database is: its digest, its pack, and the place in it."""

import struct
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from hubbub.backup.repository.layout import DIGEST_BYTES, MAPS, Backup, Opened, damaged

_ENTRY = struct.Struct(f">{DIGEST_BYTES}sIHB")
_RECORD = struct.Struct(f">I{DIGEST_BYTES}sIHB")
AT_ONCE = 4096
LEVEL = 1
MOST_PARTS = 32
"""A restore reads all parts of a map."""


class PageEntry(NamedTuple):
    """The digest of a page, the number of its pack, its frame there, and its place in that."""

    digest: bytes
    pack: int
    frame: int
    place: int


NOWHERE = PageEntry(bytes(DIGEST_BYTES), 0, 0, 0)
RECORD_BYTES = _RECORD.size


def write_entry(file: BinaryIO, entry: PageEntry) -> None:
    """Write the entry of the next page."""
    file.write(_ENTRY.pack(*entry))


def read_entries(path: Path) -> Iterator[PageEntry]:
    """Yield the entries of the pages, in their order."""
    with path.open("rb") as file:
        while found := file.read(_ENTRY.size * AT_ONCE):
            yield from map(PageEntry._make, _ENTRY.iter_unpack(found))


def set_entry(file: BinaryIO, page: int, entry: PageEntry) -> None:
    """Write the entry of a page; pages are counted from 0."""
    file.seek(page * _ENTRY.size)
    file.write(_ENTRY.pack(*entry))


def entry_at(file: BinaryIO, page: int) -> PageEntry:
    """Return the entry of a page."""
    file.seek(page * _ENTRY.size)
    return PageEntry._make(_ENTRY.unpack(file.read(_ENTRY.size)))


def encode_record(page: int, entry: PageEntry) -> bytes:
    """Return the record of a page in a part of a map."""
    return _RECORD.pack(page, *entry)


def put_together(opened: Opened, backup: Backup, path: Path) -> None:
    """Write the entries of all pages of a backup into a new file.

    Raises:
        BackupRefused: a part of its map is missing or damaged.
    """
    with path.open("wb") as file:
        file.truncate(backup.pages * _ENTRY.size)
        for part in backup.map:
            records = decompressed(opened, f"{MAPS}/{part.name}", part.digest)
            for page, entry in _records(records):
                if page < backup.pages:
                    set_entry(file, page, entry)


def compressed(records: Iterable[bytes]) -> Iterator[bytes]:
    """Yield records compressed."""
    packer = zlib.compressobj(LEVEL)
    for each in records:
        yield packer.compress(each)
    yield packer.flush()


def decompressed(opened: Opened, path: str, digest: str) -> Iterator[bytes]:
    """Yield the content of a compressed file, whose own digest is checked at its end.

    Raises:
        BackupRefused: it is missing or damaged.
    """
    opener = zlib.decompressobj()
    try:
        for piece in opened.read_checked(path, digest):
            rest = piece
            while rest:  # a bounded piece at a time, whatever was put there
                yield opener.decompress(rest, RECORD_BYTES * AT_ONCE)
                rest = opener.unconsumed_tail
        yield opener.flush()
    except zlib.error:
        raise damaged(opened.place, path) from None


def _records(pieces: Iterable[bytes]) -> Iterator[tuple[int, PageEntry]]:
    left = b""
    for piece in pieces:
        left += piece
        whole = len(left) - len(left) % RECORD_BYTES
        for page, *entry in _RECORD.iter_unpack(left[:whole]):
            yield page, PageEntry._make(entry)
        left = left[whole:]

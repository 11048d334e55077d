"""Add those pages of a database that the backups in a place lack."""

import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, repeat
from pathlib import Path
from typing import BinaryIO

import structlog

from hubbub.backup.copying import Progress
from hubbub.backup.manifest import BackupRefused
from hubbub.backup.repository import maps
from hubbub.backup.repository.layout import PACKS, Backup, Opened, Pack, PartOfMap
from hubbub.backup.repository.maps import MOST_PARTS, NOWHERE, PageEntry
from hubbub.backup.repository.packs import PackBuilder, list_stored
from hubbub.files.places import PlaceEntry

log = structlog.get_logger()

BASE, ENTRIES, RECORDS = "base", "entries", "records"
"""Files in the scratch folder: the map before, the new one, and what is written of it."""
LEAST_USED = 4
"""Pages are written again if less than one in so many of their pack is still used."""
NOTED_PAGES = 1024


@dataclass(frozen=True, slots=True)
class AddedPages:
    """What describes the pages of a backup."""

    page_bytes: int
    pages: int
    map_before: list[PartOfMap]
    """The parts of the map to which the records are added."""
    records: int
    packs: list[Pack]
    written: int


def add_pages(
    opened: Opened, id_: str, database: Path, scratch: Path, progress: Progress
) -> AddedPages:
    """Store the pages of a database file that no pack has; leave the records of its map."""
    page_bytes = _page_bytes(database)
    pages = database.stat().st_size // page_bytes
    base = _find_base(opened, page_bytes, scratch / BASE)
    packs = _Packs(opened, id_, page_bytes, base.packs if base else [])
    packs.take_leftovers(base.id if base else "", scratch / BASE)
    known = chain(maps.read_entries(scratch / BASE), repeat(NOWHERE))
    changed = 0
    with (scratch / ENTRIES).open("wb") as entries, (scratch / RECORDS).open("wb") as records:
        for page, (content, before) in enumerate(
            zip(_pages(database, page_bytes), known, strict=False)
        ):
            entry = packs.store(page, content, before)
            maps.write_entry(entries, entry)
            if base is None or entry != before or packs.is_leftover(entry):
                records.write(maps.encode_record(page, entry))
                changed += 1
            if page % NOTED_PAGES == 0 or page == pages - 1:
                progress("pages", page + 1, pages)
        packs.close()
    parts = base.map if base else []
    if not parts or _is_long(parts, changed, pages):
        packs.renumber(scratch)
        parts, changed = [], pages
    return AddedPages(page_bytes, pages, parts, changed, packs.table, packs.written)


def _is_long(before: list[PartOfMap], changed: int, pages: int) -> bool:
    """Return whether a map is better written as a whole."""
    further = sum(part.records for part in before[1:]) + changed
    return len(before) >= MOST_PARTS or further > pages // 2


def _page_bytes(database: Path) -> int:
    """Return the size of a page, as the header of the file says."""
    with database.open("rb") as file:
        (size,) = struct.unpack(">H", file.read(18)[16:])
    return 65536 if size == 1 else int(size)


def _pages(database: Path, page_bytes: int) -> Iterator[bytes]:
    with database.open("rb") as file:
        while page := file.read(page_bytes):
            yield page


def _find_base(opened: Opened, page_bytes: int, path: Path) -> Backup | None:
    """Return the newest backup, and leave its map; without one that can be used, an empty map."""
    path.touch()
    base = opened.find_newest()
    if base is None or base.page_bytes != page_bytes:
        return None
    try:
        maps.put_together(opened, base, path)
    except BackupRefused as damage:
        # A backup of all pages is worth more than none; the damaged one is refused at its restore.
        log.warning("earlier_backup_damaged", backup=base.id, reason=str(damage))
        path.write_bytes(b"")
        return None
    return base


class _Packs:
    """The packs of a place, as a backup uses them, and those that it adds."""

    def __init__(self, opened: Opened, id_: str, page_bytes: int, before: list[Pack]) -> None:
        self.table = [Pack(each.name, each.pages, 0) for each in before]
        self.written = 0
        self._opened, self._id, self._page_bytes = opened, id_, page_bytes
        self._there = {each.name: each for each in opened.place.entries(PACKS)}
        self._taken = len(before)
        """Packs with lower numbers are known to the map before."""
        self._first_new = len(before)
        self._used: Counter[int] = Counter()
        self._not_used = {
            number
            for number, each in enumerate(before)
            if each.name not in self._there or each.used * LEAST_USED < each.pages
        }
        self._builder: PackBuilder | None = None

    def take_leftovers(self, base: str, path: Path) -> None:
        """Know the pages of packs that a backup wrote which was killed since the last one."""
        known = {each.name for each in self.table}
        with path.open("r+b") as entries:
            for name in sorted(self._there.keys() - known):
                if name > base:
                    self._take(self._there[name], entries)
        self._first_new = len(self.table)

    def _take(self, entry: PlaceEntry, entries: BinaryIO) -> None:
        count = 0
        for each in list_stored(self._opened, entry, self._page_bytes):
            where = PageEntry(each.digest, len(self.table), each.frame, each.index)
            maps.set_entry(entries, each.page, where)
            count += 1
        self.table.append(Pack(entry.name, count, 0))

    def is_leftover(self, entry: PageEntry) -> bool:
        """Return whether a page is in a pack of a backup that was killed."""
        return self._taken <= entry.pack < self._first_new

    def store(self, page: int, content: bytes, before: PageEntry) -> PageEntry:
        """Return where a page is, after it was added to a pack if need be."""
        digest = self._opened.digest_of(content)
        where = before
        if digest != before.digest or before.pack in self._not_used:
            where = self._add(page, digest, content)
        self._used[where.pack] += 1
        return where

    def _add(self, page: int, digest: bytes, content: bytes) -> PageEntry:
        if self._builder is None:
            self._builder = PackBuilder(self._page_bytes)
            number = len(self.table) - self._first_new + 1
            self.table.append(Pack(f"{self._id}-{number:06}", 0, 0))
        number = len(self.table) - 1
        frame, index = self._builder.add(page, digest, content)
        if self._builder.is_full:
            self.close()
        return PageEntry(digest, number, frame, index)

    def close(self) -> None:
        """Write the pack that is being filled, and count the pages of all that are used."""
        if self._builder is not None:
            content = self._builder.encode()
            self._opened.place.write(f"{PACKS}/{self.table[-1].name}", [content])
            self.table[-1].pages = self._builder.pages
            self.written += len(content)
            self._builder = None
        for number, pack in enumerate(self.table):
            pack.used = self._used[number]

    def renumber(self, scratch: Path) -> None:
        """Leave out the packs that are not used, and write the records of all pages."""
        numbers = [number for number, pack in enumerate(self.table) if pack.used]
        self.table = [self.table[number] for number in numbers]
        new = {number: place for place, number in enumerate(numbers)}
        with (scratch / RECORDS).open("wb") as records:
            for page, entry in enumerate(maps.read_entries(scratch / ENTRIES)):
                renumbered = entry._replace(pack=new[entry.pack])
                records.write(maps.encode_record(page, renumbered))

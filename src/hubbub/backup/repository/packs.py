"""Files with pages of a database: compressed in frames of a few pages, with an index at the end."""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from hubbub.backup.repository.layout import PACKS, Opened, damaged, missing
from hubbub.files.places import NotInPlace, PlaceEntry

PACK_BYTES = 16 * 1024 * 1024
"""A pack is held in memory, while it is written and while it is read."""
FRAME_BYTES = 64 * 1024
"""Pages that are compressed together: measured, they take 6 % less than alone, in half the time."""
LEVEL = 1
"""Measured: 8 % larger than at level 6, in half the time."""
MOST_FRAMES = 0xFFFF
_FRAME = struct.Struct(">II")
"""Its length as it is stored, and the number of its pages."""
_PAGE = struct.Struct(">I16s")
_END = struct.Struct(">III8s")
"""The numbers of frames and of pages, the size of a page, and a mark."""
_MARK = b"hubbub-1"


@dataclass(frozen=True, slots=True)
class Stored:
    """PageEntry a page is in a pack, and its digest."""

    page: int
    digest: bytes
    frame: int
    index: int


@dataclass(slots=True)
class PackBuilder:
    """A pack that is being filled."""

    page_bytes: int
    _frames: list[tuple[int, int]] = field(default_factory=list)
    _pages: list[tuple[int, bytes]] = field(default_factory=list)
    _content: bytearray = field(default_factory=bytearray)
    _open: bytearray = field(default_factory=bytearray)

    @property
    def pages(self) -> int:
        """Return how many pages it has."""
        return len(self._pages)

    @property
    def is_full(self) -> bool:
        """Return whether it is large enough."""
        return len(self._content) >= PACK_BYTES or len(self._frames) >= MOST_FRAMES

    def add(self, page: int, digest: bytes, content: bytes) -> tuple[int, int]:
        """Add a page; return the number of its frame, and its place there."""
        at = len(self._frames), len(self._open) // self.page_bytes
        self._pages.append((page, digest))
        self._open += content
        if len(self._open) >= FRAME_BYTES:
            self._close_frame()
        return at

    def encode(self) -> bytes:
        """Return the whole file."""
        if self._open:
            self._close_frame()
        self._content += b"".join(_FRAME.pack(*each) for each in self._frames)
        self._content += b"".join(_PAGE.pack(*each) for each in self._pages)
        self._content += _END.pack(len(self._frames), len(self._pages), self.page_bytes, _MARK)
        return bytes(self._content)

    def _close_frame(self) -> None:
        stored = zlib.compress(self._open, LEVEL)
        self._frames.append((len(stored), len(self._open) // self.page_bytes))
        self._content += stored
        self._open.clear()


def list_stored(opened: Opened, entry: PlaceEntry, page_bytes: int) -> Iterator[Stored]:
    """Yield what a pack has; nothing if it is no pack with pages of this size."""
    path = f"{PACKS}/{entry.name}"
    if entry.size < _END.size:
        return
    end = b"".join(opened.place.read(path, entry.size - _END.size, _END.size))
    frames, pages, size, mark = _END.unpack(end)
    length = frames * _FRAME.size + pages * _PAGE.size
    start = entry.size - _END.size - length
    if mark != _MARK or size != page_bytes or start < 0:
        return
    index = b"".join(opened.place.read(path, start, length))
    numbers = iter(_PAGE.iter_unpack(index[frames * _FRAME.size :]))
    for frame, (_, count) in enumerate(_FRAME.iter_unpack(index[: frames * _FRAME.size])):
        for place, (page, digest) in zip(range(count), numbers, strict=False):
            yield Stored(page, digest, frame, place)


class PackReader:
    """A pack in memory, of which pages are taken."""

    def __init__(self, opened: Opened, name: str, page_bytes: int) -> None:
        """Read a pack.

        Raises:
            BackupRefused: it is missing, or it is no pack.
        """
        self._opened, self._path, self._page_bytes = opened, f"{PACKS}/{name}", page_bytes
        try:
            self._content = b"".join(opened.place.read(self._path))
        except NotInPlace:
            raise missing(opened.place, self._path) from None
        self._frames = self._find_frames()
        self._frame, self._pages = -1, b""

    def page(self, frame: int, index: int, digest: bytes) -> bytes:
        """Return a page.

        Raises:
            BackupRefused: it is damaged.
        """
        if frame != self._frame:
            self._frame, self._pages = frame, self._open(frame)
        page = self._pages[index * self._page_bytes : (index + 1) * self._page_bytes]
        if self._opened.digest_of(page) != digest:
            raise damaged(self._opened.place, self._path)
        return page

    def _open(self, frame: int) -> bytes:
        if frame >= len(self._frames):
            raise damaged(self._opened.place, self._path)
        start, length = self._frames[frame]
        try:
            opener = zlib.decompressobj()
            return opener.decompress(
                self._content[start : start + length], FRAME_BYTES + self._page_bytes
            )
        except zlib.error:
            raise damaged(self._opened.place, self._path) from None

    def _find_frames(self) -> list[tuple[int, int]]:
        if len(self._content) < _END.size:
            raise damaged(self._opened.place, self._path)
        frames, pages, size, mark = _END.unpack(self._content[-_END.size :])
        start = len(self._content) - _END.size - pages * _PAGE.size - frames * _FRAME.size
        if mark != _MARK or size != self._page_bytes or start < 0:
            raise damaged(self._opened.place, self._path)
        found, at = [], 0
        for length, _ in _FRAME.iter_unpack(self._content[start : start + frames * _FRAME.size]):
            found.append((at, length))
            at += length
        return found

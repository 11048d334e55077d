"""Store the uploaded files of a message, one after the other, before the message exists."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from hubbub.domain.attachments.remove import remove_files
from hubbub.files.images import LARGEST_PIXELS, Measurement, ThumbnailImage, measure
from hubbub.files.links import THUMBNAIL
from hubbub.files.names import safe_name
from hubbub.files.scripts import begins_with_script, has_svg_script
from hubbub.files.sniff import HEAD_BYTES, SVG, UNKNOWN, FileType, sniff
from hubbub.kernel.errors import Unavailable
from hubbub.records.attachments import store
from hubbub.records.attachments.model import (
    KEPT_SECONDS,
    LARGEST_FILES,
    MOST_FILES,
    FilesTooLarge,
    PictureTooLarge,
    StoredThumbnail,
    TooManyFiles,
    UploadedFile,
    path_of,
)
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

Pieces = AsyncIterator[bytes]


@dataclass(slots=True)
class Upload:
    """The files of a message to send. Its creator must discard it unless a message holds them."""

    runtime: Runtime
    app_id: str
    files: list[UploadedFile] = field(default_factory=list)
    is_held: bool = False
    _started: list[str] = field(default_factory=list)
    _size: int = 0

    async def add(self, given_name: str, pieces: Pieces) -> None:
        """Store a file while it is received.

        Raises:
            TooManyFiles, FilesTooLarge: there are too many files, or too many bytes in all.
            PictureTooLarge: the header of a picture says that it has too many pixels.
            Unavailable: the file can't be stored.
        """
        if len(self._started) == MOST_FILES:
            raise TooManyFiles
        name = safe_name(given_name)
        counted = self._count_bytes(pieces)
        head = await _read_head(counted)
        file, type_ = await self._start_file(), sniff(head, name)
        path = path_of(self.app_id, file)
        size = await self.runtime.files.write(path, _chain(head, counted))
        look = await self._look_at(path, type_) if type_.has_dimensions else Measurement()
        has_script = await self._has_script(path, type_, head, look)
        if type_.is_image and look.pixels > LARGEST_PIXELS:
            raise PictureTooLarge(name, look.width or 0, look.height or 0, LARGEST_PIXELS)
        thumbnail = await self._add_thumbnail(path, look.thumbnail) if look.thumbnail else None
        self.files.append(
            UploadedFile(
                id=file,
                name=name,
                mime_type=type_.mime_type,
                extension=type_.extension,
                size=size,
                width=look.width,
                height=look.height,
                thumbnail=thumbnail,
                has_script=has_script,
            )
        )

    async def discard(self) -> None:
        """Remove the stored files, unless a message holds them; if that fails, within the hour."""
        if self.is_held or not self._started:
            return
        with suppress(Unavailable):
            due = await self.runtime.database.write(
                self.app_id, lambda tx: store.update_leftovers_due(tx, self._started)
            )
            await remove_files(self.runtime, self.app_id, due)

    async def _start_file(self) -> str:
        """Return the id of a new file, stored as left over until a message holds it."""
        file = self.runtime.ids.hexadecimal(32)
        self._started.append(file)
        due_at = self.runtime.clock.now() + KEPT_SECONDS

        async def within(tx: Transaction) -> None:
            await store.insert_leftover(tx, file, due_at=due_at)

        insert = asyncio.ensure_future(self.runtime.database.write(self.app_id, within))
        try:
            await asyncio.shield(insert)
        except asyncio.CancelledError:  # the upload took too long: `discard` must find the row
            await asyncio.wait([insert])
            raise
        return file

    async def _count_bytes(self, pieces: Pieces) -> Pieces:
        async for piece in pieces:
            self._size += len(piece)
            if self._size > LARGEST_FILES:
                raise FilesTooLarge
            yield piece

    async def _look_at(self, path: str, type_: FileType) -> Measurement:
        return await self.runtime.pictures.run(
            self.app_id, partial(_open_and_look, self.runtime, path, type_)
        )

    async def _has_script(self, path: str, type_: FileType, head: bytes, look: Measurement) -> bool:
        if type_.mime_type == SVG:
            return await self.runtime.pictures.run(
                self.app_id, partial(_check_svg, self.runtime, path)
            )
        is_readable = look.thumbnail is not None
        may_be_script = type_.is_image or type_.mime_type == UNKNOWN
        return may_be_script and not is_readable and begins_with_script(head)

    async def _add_thumbnail(self, path: str, thumbnail: ThumbnailImage) -> StoredThumbnail:
        size = await self.runtime.files.write(path + THUMBNAIL, _chain(thumbnail.content))
        return StoredThumbnail(size, thumbnail.width, thumbnail.height)


def _open_and_look(runtime: Runtime, path: str, type_: FileType) -> Measurement:
    with runtime.files.open_copy(path) as file:
        return measure(file, type_)


def _check_svg(runtime: Runtime, path: str) -> bool:
    with runtime.files.open_copy(path) as file:
        return has_svg_script(file)


async def _read_head(pieces: Pieces) -> bytes:
    """Read the first bytes, enough to find the type, or all of a short file."""
    head = b""
    async for piece in pieces:
        head += piece
        if len(head) >= HEAD_BYTES:
            break
    return head


async def _chain(head: bytes, pieces: Pieces | None = None) -> Pieces:
    """Yield the head of a file, then the other pieces."""
    yield head
    if pieces is not None:
        async for piece in pieces:
            yield piece

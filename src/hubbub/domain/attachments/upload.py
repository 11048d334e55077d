"""Take in the files of a message, one after the other, before there is the message."""

from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from hubbub.domain.attachments.remove import remove_files
from hubbub.files.images import LARGEST_PIXELS, Look, Thumbnail, look_at
from hubbub.files.links import THUMBNAIL
from hubbub.files.names import safe_name
from hubbub.files.sniff import LOOKED_AT, FileType, sniff
from hubbub.kernel.errors import Unavailable
from hubbub.records.attachments import store
from hubbub.records.attachments.model import (
    KEPT_SECONDS,
    LARGEST_FILES,
    MOST_FILES,
    FilesTooLarge,
    PictureTooLarge,
    SmallPicture,
    TooManyFiles,
    UploadedFile,
    path_of,
)
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction

Pieces = AsyncIterator[bytes]


@dataclass(slots=True)
class Upload:
    """The files of a message to be. Whoever makes one discards it, unless a message holds them."""

    runtime: Runtime
    app_id: str
    files: list[UploadedFile] = field(default_factory=list)
    is_held: bool = False
    _begun: list[str] = field(default_factory=list)
    _size: int = 0

    async def add(self, given_name: str, pieces: Pieces) -> None:
        """Store a file as it comes in.

        Raises:
            TooManyFiles, FilesTooLarge: it is one too many, or one byte.
            PictureTooLarge: it says that it has more pixels than could be shown.
            Unavailable: it can't be stored.
        """
        if len(self._begun) == MOST_FILES:
            raise TooManyFiles
        name = safe_name(given_name)
        counted = self._counted(pieces)
        head = await _read_head(counted)
        file, type_ = await self._begin(), sniff(head, name)
        path = path_of(self.app_id, file)
        size = await self.runtime.files.write(path, _after(head, counted))
        look = await self._look_at(path, type_) if type_.has_dimensions else Look()
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
            )
        )

    async def discard(self) -> None:
        """Remove what was stored, unless a message holds it; at the latest within the hour."""
        if self.is_held or not self._begun:
            return
        with suppress(Unavailable):
            due = await self.runtime.database.write(
                self.app_id, lambda tx: store.update_leftovers_due(tx, self._begun)
            )
            await remove_files(self.runtime, self.app_id, due)

    async def _begin(self) -> str:
        """The id of a file to be, noted as left over for as long as no message holds it."""
        file = self.runtime.ids.hexadecimal(32)
        self._begun.append(file)
        due_at = self.runtime.clock.now() + KEPT_SECONDS

        async def within(tx: Transaction) -> None:
            await store.insert_leftover(tx, file, due_at=due_at)

        await self.runtime.database.write(self.app_id, within)
        return file

    async def _counted(self, pieces: Pieces) -> Pieces:
        async for piece in pieces:
            self._size += len(piece)
            if self._size > LARGEST_FILES:
                raise FilesTooLarge
            yield piece

    async def _look_at(self, path: str, type_: FileType) -> Look:
        return await self.runtime.pictures.run(partial(_look_at, self.runtime, path, type_))

    async def _add_thumbnail(self, path: str, thumbnail: Thumbnail) -> SmallPicture:
        size = await self.runtime.files.write(path + THUMBNAIL, _after(thumbnail.content))
        return SmallPicture(size, thumbnail.width, thumbnail.height)


def _look_at(runtime: Runtime, path: str, type_: FileType) -> Look:
    with runtime.files.open_copy(path) as file:
        return look_at(file, type_)


async def _read_head(pieces: Pieces) -> bytes:
    """As much from the beginning as tells the type, or all of it."""
    head = b""
    async for piece in pieces:
        head += piece
        if len(head) >= LOOKED_AT:
            break
    return head


async def _after(head: bytes, pieces: Pieces | None = None) -> Pieces:
    """The beginning, and what follows."""
    yield head
    if pieces is not None:
        async for piece in pieces:
            yield piece

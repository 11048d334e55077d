"""Copy the uploaded files of an installation: all those that a message of the copy holds."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from functools import partial

from hubbub.files.store import FileNotStored, FileStore
from hubbub.moving.copying.progress import Show
from hubbub.records.attachments.store import list_files
from hubbub.records.totals.model import StoredApp
from hubbub.records.totals.store import count_rows, list_apps
from hubbub.storage.interface import INSTALLATION, Database

FILES_AT_ONCE = 1_000


@dataclass(slots=True)
class FileCopy:
    """Copies files from one place to another, those that it lacks; counts them."""

    database: Database
    source: FileStore
    target: FileStore
    show: Show
    copied: int = 0
    missing: list[str] = field(default_factory=list)
    """The paths of files that messages hold, and of which the source has nothing, or a part."""

    async def run(self) -> None:
        """Copy the files of all apps.

        Raises:
            Unavailable: one of the places can't be reached.
        """
        apps = await self.database.read(INSTALLATION, list_apps)
        total = sum([(await self.database.read(app.id, count_rows)).files for app in apps])
        done = 0
        for app in apps:
            async for path, size in self._held_paths(app):
                if not await self._copy(path, size) and not app.is_archived:
                    self.missing.append(path)
                done += 1
                self.show("files", done, max(done, total))

    async def _held_paths(self, app: StoredApp) -> AsyncIterator[tuple[str, int]]:
        after = ""
        while found := await self.database.read(
            app.id, partial(list_files, after=after, limit=FILES_AT_ONCE)
        ):
            for file in found:
                for path, size in file.paths_in(app.id).items():
                    yield path, size
            after = found[-1].id

    async def _copy(self, path: str, size: int) -> bool:
        """Copy a file unless it is there; return whether it is there now, with all its bytes."""
        if await self.target.find_size(path) == size:
            return True
        if await self.source.find_size(path) != size:
            return False
        try:
            pieces = await self.source.read(path, 0, size)
        except FileNotStored:
            return False
        written = await self.target.write(path, pieces)
        self.copied += 1
        return written == size and await self.target.find_size(path) == size

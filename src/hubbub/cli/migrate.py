"""`hubbub migrate`: migrate the database without starting a node."""

import asyncio

from hubbub.admin.lock import FolderLock
from hubbub.bootstrap import open_runtime
from hubbub.cli.options import Data, DatabaseUrl, settings_of
from hubbub.config import Settings
from hubbub.storage.errors import NoStore
from hubbub.storage.migrations import newest_version


def migrate(data: Data = None, database: DatabaseUrl = None) -> None:
    """Migrate the database to the schema of this version; `serve` does so, too."""
    settings = settings_of(data, database)
    if settings.database_url:
        asyncio.run(_migrate(settings))
    else:
        if not settings.sqlite_path.exists():
            raise NoStore(settings.data)
        with FolderLock(settings.data):
            asyncio.run(_migrate(settings))
    print(f"The database has schema version {newest_version()}.")


async def _migrate(settings: Settings) -> None:
    async with open_runtime(settings):
        pass

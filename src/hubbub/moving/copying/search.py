"""Make the search index of a copy: the engines have entries of different kinds."""

from hubbub.domain.search.rebuild import begin_rebuild, count_missing, rebuild
from hubbub.moving.copying.progress import Show
from hubbub.records.search.store import delete_all_entries
from hubbub.records.totals.store import list_apps
from hubbub.storage.interface import INSTALLATION, Database


async def list_app_ids(database: Database) -> list[str]:
    """Return the ids of all apps, archived ones included."""
    return [app.id for app in await database.read(INSTALLATION, list_apps)]


async def begin_index(database: Database) -> None:
    """Have all messages of all apps indexed, with no entries of an earlier attempt."""
    await database.write(INSTALLATION, delete_all_entries)
    for app_id in await list_app_ids(database):
        await database.write(app_id, begin_rebuild)


async def make_index(database: Database, show: Show) -> None:
    """Make the missing entries of all apps."""
    app_ids = await list_app_ids(database)
    total = sum([await database.read(app_id, count_missing) for app_id in app_ids])
    done = 0

    def note(messages: int) -> None:
        nonlocal done
        done += messages
        show("search", done, total)

    for app_id in app_ids:
        await rebuild(database, app_id, note)

"""The tables `apps`, `management_keys` and `installation`."""

from hubbub.kernel.pages import PageRequest
from hubbub.kernel.text import fold
from hubbub.records.apps.model import App
from hubbub.storage.interface import Database, Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__, app_columns=App)


async def find_app(database: Database, app_id: str) -> App | None:
    """The app of that id, archived or not."""
    row = await database.point(app_id, SQL.find_app, id=app_id)
    return App(*row) if row else None


async def insert_app(tx: Transaction, app: App) -> bool:
    """Store a new app; False when its id is taken."""
    touched = await tx.run(
        SQL.insert_app,
        id=app.id,
        name=app.name,
        region=app.region,
        version=app.version,
        owner=app.owner,
        created_at=app.created_at,
    )
    return touched == 1


async def list_apps(snapshot: Snapshot, search: str, page: PageRequest) -> tuple[list[App], int]:
    """A page of the apps that are not archived, oldest first, and how many there are."""
    if search:
        return await _search_apps(snapshot, search, page)
    rows = await snapshot.fetch(SQL.list_apps, limit=page.per_page, offset=page.offset)
    counted = await snapshot.fetch(SQL.count_apps)
    return [App(*row) for row in rows], counted[0][0]


async def _search_apps(snapshot: Snapshot, search: str, page: PageRequest) -> tuple[list[App], int]:
    """Name or id holds `search`; an installation's apps are few enough to look at each."""
    rows = await snapshot.fetch(SQL.list_apps, limit=100_000, offset=0)
    wanted = fold(search)
    found = [app for row in rows if wanted in fold((app := App(*row)).name) or wanted in app.id]
    return found[page.offset : page.offset + page.per_page], len(found)


async def archive_app(tx: Transaction, app_id: str, at: int) -> bool:
    """Mark an app as deleted; False when there is none that is not."""
    return await tx.run(SQL.archive_app, id=app_id, archived_at=at) == 1


async def find_management_secret(database: Database, key_hash: str) -> str | None:
    """The keyed hash of the secret that belongs to a management key."""
    row = await database.point("", SQL.find_management_key, hash=key_hash)
    return row[0] if row else None


async def has_management_key(snapshot: Snapshot) -> bool:
    """Whether the first start has happened."""
    rows = await snapshot.fetch(SQL.count_management_keys)
    return bool(rows[0][0])


async def insert_first_management_key(
    tx: Transaction, key_hash: str, secret_hash: str, at: int
) -> bool:
    """Store the first pair of management credentials; False when there is one already."""
    touched = await tx.run(
        SQL.insert_management_key, hash=key_hash, secret_hash=secret_hash, place=1, created_at=at
    )
    return touched == 1


async def list_archived_apps(snapshot: Snapshot, before: int) -> list[str]:
    """The ids of the apps that were archived by then."""
    return [row[0] for row in await snapshot.fetch(SQL.list_archived_apps, before=before)]


async def delete_app(tx: Transaction) -> None:
    """Remove the transaction's app, which was archived; its id is free."""
    await tx.run(SQL.delete_app)


async def settle_key_mark(tx: Transaction, mark: str) -> str:
    """The mark of the master key that the store was made with; `mark` when it has none yet."""
    await tx.run(SQL.insert_key_mark, mark=mark)
    row = await tx.fetch_one(SQL.find_key_mark)
    assert row is not None, "it was just inserted"
    return str(row[0])

"""The tables `apps`, `management_keys` and `installation`."""

from msgspec import to_builtins

from hubbub.kernel.pages import PageRequest
from hubbub.kernel.text import fold
from hubbub.records.apps.model import App
from hubbub.storage.interface import Database, Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__, app_columns=App)
BEYOND = "\x7f"
"""A character that follows those in names of facts."""


async def find_app(database: Database, app_id: str) -> App | None:
    """Return the app with that id, archived or not."""
    row = await database.point(app_id, SQL.find_app, id=app_id)
    return App(*row) if row else None


async def insert_app(tx: Transaction, app: App) -> bool:
    """Insert a new app; return False if its id is taken."""
    return await tx.run(SQL.insert_app, **to_builtins(app)) == 1


async def list_apps(snapshot: Snapshot, search: str, page: PageRequest) -> tuple[list[App], int]:
    """Return a page of the apps that are not archived, oldest first, and their total."""
    if search:
        return await _search_apps(snapshot, search, page)
    rows = await snapshot.fetch(SQL.list_apps, limit=page.per_page, offset=page.offset)
    counted = await snapshot.fetch(SQL.count_apps)
    return [App(*row) for row in rows], counted[0][0]


async def list_ids(snapshot: Snapshot) -> list[str]:
    """Return the ids of all apps that are not archived."""
    return [row[0] for row in await snapshot.fetch(SQL.list_ids)]


async def _search_apps(snapshot: Snapshot, search: str, page: PageRequest) -> tuple[list[App], int]:
    """Find apps with `search` in the name or id; there are few enough to read them all."""
    rows = await snapshot.fetch(SQL.list_apps, limit=100_000, offset=0)
    text = fold(search)
    found = [app for row in rows if text in fold((app := App(*row)).name) or text in app.id]
    return found[page.offset : page.offset + page.per_page], len(found)


async def archive_app(tx: Transaction, app_id: str, at: int) -> bool:
    """Mark an app as deleted; return False if it does not exist or is archived already."""
    return await tx.run(SQL.archive_app, id=app_id, archived_at=at) == 1


async def find_management_secret(database: Database, key_hash: str) -> str | None:
    """Return the keyed hash of the secret of a management key."""
    row = await database.point("", SQL.find_management_key, hash=key_hash)
    return row[0] if row else None


async def has_management_key(snapshot: Snapshot) -> bool:
    """Return whether there are management credentials: they are made at the first start."""
    rows = await snapshot.fetch(SQL.count_management_keys)
    return bool(rows[0][0])


async def insert_first_management_key(
    tx: Transaction, key_hash: str, secret_hash: str, at: int
) -> bool:
    """Insert the first pair of management credentials; return False if there is one already."""
    inserted = await tx.run(
        SQL.insert_management_key, hash=key_hash, secret_hash=secret_hash, place=1, created_at=at
    )
    return inserted == 1


async def insert_management_key(tx: Transaction, key_hash: str, secret_hash: str, at: int) -> int:
    """Insert a further pair of management credentials; return its number."""
    inserted = 0
    while not inserted:
        inserted = await tx.run(
            SQL.insert_next_management_key, hash=key_hash, secret_hash=secret_hash, created_at=at
        )
    return max(place for place, _ in await list_management_keys(tx))


async def list_management_keys(snapshot: Snapshot) -> list[tuple[int, int]]:
    """Return the numbers of the management credentials, and when each pair was made."""
    return [(place, at) for place, at in await snapshot.fetch(SQL.list_management_keys)]


async def lock_management_keys(tx: Transaction) -> list[int]:
    """Return the numbers of the management credentials, of which nobody else deletes one now."""
    return [place for place, _ in await tx.fetch(SQL.lock_management_keys)]


async def delete_management_key(tx: Transaction, place: int) -> None:
    """Delete a pair of management credentials."""
    await tx.run(SQL.delete_management_key, place=place)


async def list_archived_apps(snapshot: Snapshot, before: int) -> list[str]:
    """Return the ids of the apps that were archived up to then."""
    return [row[0] for row in await snapshot.fetch(SQL.list_archived_apps, before=before)]


async def delete_app(tx: Transaction) -> None:
    """Delete the archived app of the transaction; its id becomes free."""
    await tx.run(SQL.delete_app)


async def settle_key_mark(tx: Transaction, mark: str) -> str:
    """Store `mark` if the store has no mark of its master key yet; return the stored one."""
    await tx.run(SQL.insert_key_mark, mark=mark)
    found = await find_key_mark(tx)
    assert found is not None, "it was just inserted"
    return found


async def find_fact(snapshot: Snapshot, name: str) -> str | None:
    """Return a fact about the installation."""
    row = await snapshot.fetch_one(SQL.find_fact, name=name)
    return str(row[0]) if row else None


async def list_facts(snapshot: Snapshot, prefix: str) -> dict[str, str]:
    """Return the facts whose names have a prefix, without it."""
    rows = await snapshot.fetch(SQL.list_facts, first=prefix, beyond=prefix + BEYOND)
    return {str(name).removeprefix(prefix): str(value) for name, value in rows}


async def put_fact(tx: Transaction, name: str, value: str) -> None:
    """Store a fact about the installation."""
    await tx.run(SQL.put_fact, name=name, value=value)


async def delete_facts(tx: Transaction, prefix: str) -> None:
    """Delete the facts whose names have a prefix."""
    await tx.run(SQL.delete_facts, first=prefix, beyond=prefix + BEYOND)


async def store_probe(tx: Transaction, value: str) -> None:
    """Write a row of no meaning with a new value: this fails if nothing can be stored."""
    await tx.run(SQL.store_probe, value=value)


async def find_key_mark(snapshot: Snapshot) -> str | None:
    """Return the mark of the store's master key; None before the first start is complete."""
    row = await snapshot.fetch_one(SQL.find_key_mark)
    return str(row[0]) if row else None

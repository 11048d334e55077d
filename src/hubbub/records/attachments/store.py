"""The tables `files`, which messages hold which files, and `file_leftovers`, files to remove.

A file has a row in `file_leftovers` from before its first byte is stored until a message holds it,
and again when no message holds it any more. So the files of any interrupted upload are found and
removed.
"""

from collections.abc import Collection, Sequence

from hubbub.records.attachments.model import FileOfMessage, FileSizes, HeldFile, UploadedFile
from hubbub.storage.interface import Database, Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)


async def insert_leftover(tx: Transaction, file: str, *, due_at: int) -> None:
    """Insert a file that will be stored; it is removed at `due_at` unless a message holds it."""
    await tx.run(SQL.insert_leftover, id=file, due_at=due_at)


async def insert_files(
    tx: Transaction,
    messages: Sequence[int],
    files: Sequence[UploadedFile],
    now: int,
    *,
    are_held: bool = False,
) -> bool:
    """Insert the files of messages; return False if one is due for removal already.

    `are_held` says that a message of the same call holds them by now.
    """
    ids = [file.id for file in files]
    kept = await tx.run(SQL.delete_leftovers_kept, ids=ids, now=now)
    if kept < len(ids) and not are_held:
        return False
    await tx.run_many(
        SQL.insert_file,
        [
            {
                "id": file.id,
                "message": message,
                "name": file.name,
                "mime_type": file.mime_type,
                "size": file.size,
                "thumbnail_size": file.thumbnail.size if file.thumbnail else None,
            }
            for message in messages
            for file in files
        ],
    )
    return True


async def find_file(database: Database, app_id: str, file: str, message: int) -> HeldFile | None:
    """Return a file that a message holds."""
    row = await database.point(app_id, SQL.find_file, id=file, message=message)
    if row is None:
        row = await database.point(app_id, SQL.find_file_of_held, id=file, message=message)
    return HeldFile(*row) if row else None


async def list_files(snapshot: Snapshot, after: str, *, limit: int) -> list[FileSizes]:
    """Return files of an app that messages hold, by id, those after an id."""
    rows = await snapshot.fetch(SQL.list_files, after=after, limit=limit)
    return [FileSizes(*row) for row in rows]


async def list_of_messages(snapshot: Snapshot, message_ids: Sequence[int]) -> list[FileOfMessage]:
    """Return the files that messages hold, in the order of messages."""
    rows = await snapshot.fetch(SQL.list_of_messages, messages=list(message_ids))
    return [FileOfMessage(*row) for row in rows]


async def delete_of_messages(tx: Transaction, message_ids: Sequence[int]) -> int:
    """Delete the files of erased messages; return the number of those that will be removed.

    These are the ones that no other message holds.
    """
    count = await tx.run(SQL.insert_leftovers_of_messages, messages=list(message_ids))
    await tx.run(SQL.delete_of_messages, messages=list(message_ids))
    return count


async def list_leftovers(
    snapshot: Snapshot, *, now: int, left: Collection[str], limit: int
) -> list[tuple[str, str]]:
    """Return the app and id of some of the files to remove, in all apps but those that are left."""
    rows = await snapshot.fetch(SQL.list_leftovers, now=now, left=list(left), limit=limit)
    return [(row[0], row[1]) for row in rows]


async def update_leftovers_due(tx: Transaction, files: Sequence[str]) -> list[str]:
    """Make the files due that no message holds, and return them; from then on none can."""
    await tx.run(SQL.update_leftovers_due, ids=list(files))
    return [row[0] for row in await tx.fetch(SQL.list_leftovers_due_of, ids=list(files))]


async def delete_leftovers(tx: Transaction, files: Sequence[str]) -> None:
    """Delete the rows of removed files."""
    await tx.run(SQL.delete_leftovers, ids=list(files))

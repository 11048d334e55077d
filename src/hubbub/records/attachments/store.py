"""The tables `files` and `file_leftovers`: which message holds what, and what is to be removed.

A file is left over from before its first byte is stored until a message holds it, and again when
none does any more: so whatever breaks off, what it stored is found and removed.
"""

from collections.abc import Sequence

from hubbub.records.attachments.model import UploadedFile
from hubbub.storage.interface import Database, Row, Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)


async def insert_leftover(tx: Transaction, file: str, *, due_at: int) -> None:
    """Note that a file is about to be stored, and until when a message must hold it."""
    await tx.run(SQL.insert_leftover, id=file, due_at=due_at)


async def insert_files(
    tx: Transaction, messages: Sequence[int], files: Sequence[UploadedFile], now: int
) -> bool:
    """Have messages hold files; false when it is too late, and nothing is written."""
    ids = [file.id for file in files]
    if await tx.run(SQL.delete_leftovers_kept, ids=ids, now=now) < len(ids):
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


async def find_file(database: Database, app_id: str, file: str, message: int) -> Row | None:
    """Name, type, size and size of the thumbnail of a file that a message holds."""
    return await database.point(app_id, SQL.find_file, id=file, message=message)


async def delete_of_messages(tx: Transaction, message_ids: Sequence[int]) -> None:
    """Messages go for good: nobody finds their files any more, and they will be removed."""
    await tx.run(SQL.insert_leftovers_of_messages, messages=list(message_ids))
    await tx.run(SQL.delete_of_messages, messages=list(message_ids))


async def list_leftovers(snapshot: Snapshot, *, now: int, limit: int) -> list[tuple[str, str]]:
    """Some of the files that are to be removed: app and id, of every app."""
    rows = await snapshot.fetch(SQL.list_leftovers, now=now, limit=limit)
    return [(row[0], row[1]) for row in rows]


async def update_leftovers_due(tx: Transaction, files: Sequence[str]) -> list[str]:
    """Have those files be due now that no message holds; from then on none will."""
    await tx.run(SQL.update_leftovers_due, ids=list(files))
    return [row[0] for row in await tx.fetch(SQL.list_leftovers_due_of, ids=list(files))]


async def delete_leftovers(tx: Transaction, files: Sequence[str]) -> None:
    """Note that files were removed."""
    await tx.run(SQL.delete_leftovers, ids=list(files))

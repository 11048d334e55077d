"""Sample data for tests of the engines: notes, one per author, in a table beside the real ones."""

from dataclasses import dataclass
from typing import Any

from tests.eventlog import list_logged

from hubbub.outbox import lock_counters
from hubbub.outbox.audience import NOBODY
from hubbub.outbox.registry import event
from hubbub.storage.interface import Database, Operation, Row, Snapshot, Transaction
from hubbub.storage.queries import Queries, parse_queries

SQL = Queries(
    parse_queries("""
-- insert_note
INSERT INTO notes (app_id, author, text) VALUES (:app_id, :author, :text);

-- add_note
-- bulk
INSERT INTO notes (app_id, author, text) VALUES (:app_id, :author, :text);

-- keep_note
INSERT INTO notes (app_id, author, text) VALUES (:app_id, :author, :text)
ON CONFLICT (app_id, author) DO NOTHING;

-- change_note
UPDATE notes SET text = :text WHERE app_id = :app_id AND author = :author;

-- change_notes
-- bulk
UPDATE notes SET text = :text
WHERE app_id = :app_id AND author = :author;

-- put_note
-- bulk
INSERT INTO notes (app_id, author, text) VALUES (:app_id, :author, :text)
ON CONFLICT (app_id, author) DO UPDATE SET text = notes.text || excluded.text;

-- append_to_notes
-- bulk
UPDATE notes SET text = text || :text
WHERE app_id = :app_id AND author = :author;

-- delete_notes
DELETE FROM notes WHERE app_id = :app_id AND author = ANY(:authors);

-- find_note
-- point
-- reads: notes
SELECT text FROM notes WHERE app_id = :app_id AND author = :author;

-- list_notes
-- reads: notes
SELECT author, text FROM notes WHERE app_id = :app_id ORDER BY author;

-- list_notes_from
-- bulk
-- reads: notes
SELECT author, text FROM notes WHERE app_id = :app_id AND author >= :author
ORDER BY author LIMIT :limit;

-- list_notes_of
-- reads: notes
SELECT author FROM notes WHERE app_id = :app_id AND author = ANY(:authors) ORDER BY author;

-- list_notes_of_others
-- reads: notes
SELECT author FROM notes WHERE app_id = :app_id AND author <> ALL(:authors) ORDER BY author;

-- lock_note
-- reads: notes
SELECT text FROM notes WHERE app_id = :app_id AND author = :author FOR UPDATE;
""")
)


@event("note_written", told=NOBODY, actor=None)
@dataclass(frozen=True, slots=True)
class NoteWritten:
    """A note was written."""

    author: str
    at: int = 1_800_000_000


class Surprise(Exception):
    """An error of an operation that is not a refusal."""


def writing(author: str, text: str = "hello") -> Operation[str]:
    """Return an operation that writes one note and returns its author."""

    async def within(tx: Transaction) -> str:
        await tx.run(SQL.insert_note, author=author, text=text)
        return author

    return within


def putting(*authors: str, fails: bool = False) -> Operation[int]:
    """Return an operation that announces and writes a batch of notes, and returns a number."""

    async def within(tx: Transaction) -> int:
        counters = await lock_counters(tx)
        counters.message += len(authors)
        for author in authors:
            tx.announce(NoteWritten(author))
        await tx.run_many(SQL.add_note, [{"author": each, "text": "new"} for each in authors])
        if fails:
            raise Surprise(authors)
        return counters.message

    return within


def announcing(*authors: str, fails: bool = False) -> Operation[None]:
    """Return an operation that writes and announces a note of each author."""

    async def within(tx: Transaction) -> None:
        await lock_counters(tx)
        for author in authors:
            await tx.run(SQL.insert_note, author=author, text="hello")
            tx.announce(NoteWritten(author))
        if fails:
            raise Surprise(authors)

    return within


async def list_authors(database: Database, app_id: str) -> list[str]:
    """Return the authors of notes, sorted."""
    return [row[0] for row in await list_notes(database, app_id)]


async def list_notes(database: Database, app_id: str) -> list[Row]:
    """Return authors and texts, sorted by author."""
    return await database.read(app_id, lambda snapshot: snapshot.fetch(SQL.list_notes))


async def list_events(database: Database, app_id: str) -> list[Row]:
    """Return the app's log: number, id, name, at, body."""

    async def within(snapshot: Snapshot) -> list[Row]:
        return [*await list_logged(snapshot)]

    return await database.read(app_id, within)


async def list_numbers(database: Database, app_id: str) -> list[Any]:
    """Return the numbers of the app's log."""
    return [row[0] for row in await list_events(database, app_id)]

"""The stored rows of an app, read without the server: log, conversations and counters."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import apsw
import asyncpg
import msgspec
from tests.eventlog import split_row

MOST_LOOKS = 1_000
Rows = Sequence[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Stored:
    """The rows of an app."""

    messages: Rows
    """id, conversation, sender, muid, counts, ordinal; by id."""
    events: Rows
    """number, id, name, time, body; by number."""
    conversations: Rows
    """number, last_id, counted."""
    own: Rows
    """conversation, uid, own: the number of counting messages of each participant."""
    counters: tuple[Any, ...]
    """message, event."""


QUERIES = {
    "messages": "SELECT id, conversation, sender, muid, counts, ordinal FROM messages"
    " WHERE app_id = $1 ORDER BY id",
    "events": "SELECT number, id, name, at, body FROM events WHERE app_id = $1 ORDER BY number",
    "conversations": "SELECT number, last_id, counted FROM conversations WHERE app_id = $1",
    "own": "SELECT p.conversation, p.uid,"
    " p.own + CASE WHEN c.left_id = p.uid THEN c.left_own ELSE c.right_own END"
    " FROM participants p JOIN conversations c"
    " ON c.app_id = p.app_id AND c.number = p.conversation WHERE p.app_id = $1",
    "counters": "SELECT message, event FROM counters WHERE app_id = $1",
}


class Store(Protocol):
    """A store to read rows from."""

    async def read(self, app_id: str) -> Stored:
        """Return the rows of an app, while nobody writes."""
        ...


class SqliteStore:
    """A file, perhaps with an unfinished write of a dead server."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def read(self, app_id: str) -> Stored:
        connection = apsw.Connection(str(self._path), flags=apsw.SQLITE_OPEN_READONLY)
        with contextlib.closing(connection):
            connection.execute("BEGIN")
            return _stored(
                {
                    name: connection.execute(query.replace("$1", "?"), (app_id,)).fetchall()
                    for name, query in QUERIES.items()
                }
            )


class PostgresStore:
    """A database, perhaps with an unfinished commit of a dead server."""

    def __init__(self, url: str) -> None:
        self._url = url

    async def read(self, app_id: str) -> Stored:
        async with self._connected() as connection:
            for _ in range(MOST_LOOKS):
                if not await connection.fetchval(BUSY_SESSIONS):
                    break
                await asyncio.sleep(0.01)
            else:
                raise AssertionError("the dead server's sessions do not end")
            async with connection.transaction(isolation="repeatable_read", readonly=True):
                rows = {name: await connection.fetch(QUERIES[name], app_id) for name in QUERIES}
        return _stored({name: [tuple(row) for row in rows[name]] for name in rows})

    @contextlib.asynccontextmanager
    async def _connected(self) -> "AsyncIterator[asyncpg.Connection[Any]]":
        connection = await asyncpg.connect(self._url)
        try:
            yield connection
        finally:
            await connection.close()


BUSY_SESSIONS = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'hubbub' AND state <> 'idle'
"""


def _stored(rows: dict[str, Any]) -> Stored:
    events = [event for row in rows["events"] for event in split_row(*row)]
    return Stored(**{**rows, "events": events, "counters": rows["counters"][0]})


def check(stored: Stored) -> None:
    """Check that log, messages, conversations and counters agree."""
    ids = [row[0] for row in stored.messages]
    assert ids == list(range(1, len(ids) + 1)), "ids are dense, from 1"
    muids = [(row[2], row[3]) for row in stored.messages if row[3] is not None]
    assert len(set(muids)) == len(muids), "no message is there twice"
    numbers = [row[0] for row in stored.events]
    assert numbers == list(range(1, len(numbers) + 1)), "the log is dense, from 1"
    sent = [
        msgspec.json.decode(body)["message"] for *_, name, _, body in stored.events if is_sent(name)
    ]
    assert sent == ids, "each message is in the log once, in the order of ids"
    assert (len(ids), len(numbers)) == tuple(stored.counters), "the counters stand at the end"
    _check_conversations(stored)


def is_sent(name: str) -> bool:
    """Return whether an event announces a message."""
    return name == "message_sent"


def _check_conversations(stored: Stored) -> None:
    last: dict[int, int] = {}
    counted: dict[int, int] = {}
    own: dict[tuple[int, str], int] = {}
    for id_, conversation, sender, _, counts, ordinal in stored.messages:
        last[conversation] = id_
        counted[conversation] = counted.get(conversation, 0) + bool(counts)
        own[conversation, sender] = own.get((conversation, sender), 0) + bool(counts)
        assert ordinal == counted[conversation], "an ordinal is how many count up to it"
    told = {number: (last_id, count) for number, last_id, count in stored.conversations}
    assert told == {number: (last[number], counted[number]) for number in last}
    silent = {(number, uid): 0 for number, uid, _ in stored.own}
    assert {(number, uid): count for number, uid, count in stored.own} == {**silent, **own}

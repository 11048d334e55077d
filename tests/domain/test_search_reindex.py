"""Entries that SQLite had in an earlier version are made again, and are searched meanwhile."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from functools import partial
from urllib.parse import quote

import apsw
import pytest
from tests.api.messages.talk import group, say, texts, to_group, to_user
from tests.clock import ManualClock
from tests.conftest import NewSettings
from tests.wire import InProcess
from tests.world import Json, World

from hubbub.bootstrap import open_runtime
from hubbub.config import Settings
from hubbub.domain.apps.manage import create_app
from hubbub.domain.search import find
from hubbub.domain.search.index import search_consumer
from hubbub.domain.search.reindex import index_all, read_piece, reindex_piece, store_piece
from hubbub.http.app import make_app
from hubbub.records.search import words
from hubbub.records.search.model import normalise
from hubbub.records.search.store import delete_entries_of_app
from hubbub.rest.operations import OPERATIONS
from hubbub.runtime import Runtime
from hubbub.storage.migrations import load_migrations

pytestmark = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)

SAID = [
    "The quick brown fox",
    "Straße nach Köln",
    "明日は東京で会議です",
    'What?! "100 %"',
    "Съешь ещё этих булок",
    "a b c",
    "🎉",
    "The other fox",
]
KEYS = ["fox", "THE", "x", "ick bro", "strasse", "東京", "京", '! "1', "ещё", "b c", "🎉", "zebra"]
EARLIER = """
DROP TABLE message_entries;
DROP TABLE former_message_entries;
DROP INDEX memberships_ended;
ALTER TABLE memberships DROP COLUMN hidden_upto;
ALTER TABLE users DROP COLUMN connected_day;
ALTER TABLE counters DROP COLUMN presence;
DROP INDEX search_positions_by_former;
ALTER TABLE search_positions DROP COLUMN former_upto;
DROP INDEX auth_tokens_ending;
ALTER TABLE auth_tokens DROP COLUMN expires_at;
ALTER TABLE auth_tokens DROP COLUMN device;
DROP INDEX messages_deleted_by_age;
DELETE FROM schema_migrations WHERE version >= 8;
CREATE VIRTUAL TABLE message_entries USING fts5 (
    terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
);
"""
"""Undoes the migration, and what later ones change in other tables."""
LATER = [
    table
    for step in load_migrations()
    if step.version > 8
    for table in re.findall(r"CREATE TABLE (\w+)", step.text)
]
"""The tables of later migrations, which are carried out again."""


class Store:
    """A store of the earlier version, with an app in which Anna writes to Ben and to a group."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.names: tuple[str, str, str] = ("", "", "")
        self.said: dict[str, Json] = {}

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[tuple[Runtime, World]]:
        """Start a node."""
        async with open_runtime(self.settings, ManualClock()) as runtime:
            if not self.names[0]:
                app, (key, auth_key) = await create_app(runtime, name="A world", region="us")
                self.names = (app.id, key.api_key, auth_key.api_key)
            yield runtime, World(InProcess(make_app(runtime, OPERATIONS)), *self.names)

    async def fill(self) -> None:
        """Say `SAID`, of which all but the last is indexed, and make it a store as before."""
        async with self.opened() as (runtime, world):
            await world.users("anna", "ben")
            await group(world, "tea", "anna", "ben")
            for number, text in enumerate(SAID):
                if text == SAID[-1]:
                    await search_consumer(runtime).consume_all()
                receiver = to_group("tea", text) if number % 2 else to_user("ben", text)
                self.said[text] = await say(world, "anna", receiver)
        self._undo_migration()

    def _undo_migration(self) -> None:
        with closing(apsw.Connection(str(self.settings.sqlite_path))) as connection:
            for table in LATER:
                connection.execute(f"DROP TABLE {table}")
            connection.execute(EARLIER)
            slot = connection.execute("SELECT slot FROM search_positions").get
            for text in SAID[:-1]:
                id_ = int(self.said[text]["id"])
                (row,) = connection.execute(
                    "SELECT conversation FROM messages WHERE id = ?", (id_,)
                )
                terms = words.text_of([normalise(text)]) + words.ending_of(slot, row[0])
                connection.execute(
                    "INSERT INTO message_entries (rowid, terms) VALUES (?, ?)",
                    ((slot << 40) + id_, terms),
                )

    def count(self, table: str) -> int:
        """Return the number of entries in a table."""
        with closing(apsw.Connection(str(self.settings.sqlite_path))) as connection:
            count: int = connection.execute(f"SELECT count(*) FROM {table}").get
            return count


@pytest.fixture
async def former(new_settings: NewSettings, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A store of the earlier version; a search reads only messages that the index names."""
    store = Store(new_settings(log_requests=False))
    await store.fill()
    for bound in ("FIRST_LOOK", "LONG_LOOK"):
        monkeypatch.setattr(find, bound, 0)
    monkeypatch.setattr(find, "MOST_READ", 5)
    return store


async def assert_all_found(world: World, said: list[str]) -> None:
    """Check the searches of Anna, and of the app, in all conversations and in one."""
    for key in KEYS:
        holding = [text for text in said if normalise(key) in normalise(text)]
        query = f"messages?category=message&searchKey={quote(key)}"
        of_group = [text for text in holding if SAID.index(text) % 2]
        assert await texts(world, f"/{query}", as_="anna") == holding, key
        assert await texts(world, f"/{query}") == holding, key
        assert await texts(world, f"/groups/tea/{query}", as_="anna") == of_group, key


async def test_it_finds_the_same_before_and_after(former: Store) -> None:
    """All messages are found right after the update, after each piece, and in the end."""
    async with former.opened() as (runtime, world):
        await assert_all_found(world, SAID)
        assert former.count("former_message_entries") == len(SAID) - 1
        pieces = 0
        while await reindex_piece(runtime, most_messages=2):
            await assert_all_found(world, SAID)
            pieces += 1
        assert pieces > 3
        await index_all(runtime)
        assert former.count("former_message_entries") == 0
        assert former.count("message_entries") == len(SAID)
        await assert_all_found(world, SAID)
    async with former.opened() as (runtime, world):
        assert not await reindex_piece(runtime)
        await assert_all_found(world, SAID)


async def test_a_restart_continues(former: Store) -> None:
    """A node that ended in the middle continues there."""
    reached = []
    for _ in range(3):
        async with former.opened() as (runtime, world):
            assert await reindex_piece(runtime, most_messages=2)
            await assert_all_found(world, SAID)
            reached.append(former.count("message_entries"))
    assert 0 < reached[0] < reached[1] < reached[2] < len(SAID)
    async with former.opened() as (runtime, world):
        await index_all(runtime)
        await assert_all_found(world, SAID)
    assert former.count("former_message_entries") == 0


async def test_changes_hold_meanwhile(former: Store) -> None:
    """A deleted message leaves both indexes at once; an edited one is found by its new text."""
    edited, deleted = former.said[SAID[0]], former.said[SAID[2]]
    async with former.opened() as (runtime, world):
        await world.put(f"/messages/{edited['id']}", {"data": {"text": "A zebra"}}, as_="anna")
        await search_consumer(runtime).consume_all()
        await world.delete(f"/messages/{deleted['id']}", {"permanent": True}, as_="anna")
        assert former.count("former_message_entries") == len(SAID) - 2
        for _ in range(2):
            assert await texts(world, "/messages?searchKey=zebra", as_="anna") == ["A zebra"]
            assert await texts(world, "/messages?searchKey=quick", as_="anna") == []
            assert await texts(world, f"/messages?searchKey={quote('東京')}", as_="anna") == []
            await index_all(runtime)
        assert former.count("message_entries") == len(SAID) - 1


async def test_a_piece_replaces_no_newer_entry(former: Store) -> None:
    """A piece that was read before an edit was indexed is not stored."""
    said = former.said[SAID[-2]]
    async with former.opened() as (runtime, world):
        read = partial(read_piece, is_cut=False, most=2)
        piece = await runtime.database.read(world.app_id, read)
        await world.put(f"/messages/{said['id']}", {"data": {"text": "A zebra"}}, as_="anna")
        await search_consumer(runtime).consume_all()
        await runtime.database.write(world.app_id, partial(store_piece, piece))

        assert former.count("message_entries") == 2
        for _ in range(2):
            assert await texts(world, "/messages?searchKey=zebra", as_="anna") == ["A zebra"]
            await index_all(runtime)


async def test_long_texts_make_small_pieces(former: Store) -> None:
    """A piece ends with the message that brings it above the largest size."""
    async with former.opened() as (runtime, world):
        for count in range(1, len(SAID)):
            assert await reindex_piece(runtime, largest_chunk=10)
            assert former.count("message_entries") == count
        await assert_all_found(world, SAID)


async def test_an_app_is_erased_with_its_former_entries(former: Store) -> None:
    """Former entries of an app are deleted with it, as many at once as asked for."""
    async with former.opened() as (runtime, world):
        await search_consumer(runtime).consume_all()
        assert former.count("message_entries") == 1
        for limit, count in ((3, 3), (100, len(SAID) - 3), (100, 0)):
            deleted = await runtime.database.write(
                world.app_id, partial(delete_entries_of_app, limit=limit)
            )
            assert deleted == count
        assert former.count("former_message_entries") == 0

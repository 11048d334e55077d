"""The contract of both engines about the schema: it grows step by step, each once, never back."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest
from structlog.testing import capture_logs
from tests.clock import START
from tests.postgres import PostgresServer
from tests.storage.queries.query_plans import Sqlite
from tests.storage.stores import Open, OpenPostgres, closing

from hubbub.storage import migrations
from hubbub.storage.errors import SchemaTooNew
from hubbub.storage.interface import INSTALLATION, Database
from hubbub.storage.migrations import Migration, load_migrations, newest_version
from hubbub.storage.queries import Query

NUMBERS = itertools.count(1)
NEXT = newest_version() + 1


@pytest.fixture
def empty_url(engine: str, request: pytest.FixtureRequest) -> str:
    """The URL of an empty PostgreSQL database; none for SQLite, which creates its file."""
    if engine == "sqlite":
        return ""
    server: PostgresServer = request.getfixturevalue("postgres_server")
    name = f"empty_{next(NUMBERS)}"
    server.create_database(name)
    return server.url(name)


@pytest.fixture
async def empty(empty_url: str, open_store: Open) -> AsyncIterator[Database]:
    """The engine on an empty store."""
    async with closing(open_store(empty_url) if empty_url else open_store()) as database:
        yield database


async def fetch(database: Database, text: str) -> list[tuple[Any, ...]]:
    """Return the rows of a statement."""
    query = Query("ad_hoc", text)
    rows = await database.read(INSTALLATION, lambda snapshot: snapshot.fetch(query))
    return [tuple(row) for row in rows]


async def run(database: Database, text: str) -> None:
    """Run a statement."""
    query = Query("ad_hoc", text)
    await database.write(INSTALLATION, lambda tx: tx.run(query))


def add_step(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Make the code one version newer."""
    steps = [*load_migrations()[: NEXT - 1], Migration(NEXT, "later", text)]
    monkeypatch.setattr(migrations, "load_migrations", lambda: steps)


def test_steps_are_numbered_from_one() -> None:
    """The migration files have the numbers 1 to the newest, each once."""
    steps = load_migrations()

    assert [step.version for step in steps] == list(range(1, newest_version() + 1))
    assert all(step.name and step.text for step in steps)


async def test_from_empty_to_newest(empty: Database) -> None:
    """An empty store gets every step, in order, recorded with its name and time."""
    assert await empty.migrate() == newest_version()

    recorded = await fetch(empty, "SELECT * FROM schema_migrations ORDER BY version")
    assert recorded == [(step.version, step.name, START) for step in load_migrations()]
    assert await fetch(empty, "SELECT count(*) FROM users") == [(0,)]


async def test_a_new_store_logs_no_migration(empty: Database) -> None:
    """Nothing is migrated at the first start: the log has no lines about it."""
    with capture_logs() as lines:
        await empty.migrate()

    assert [line for line in lines if line["event"].startswith("migration")] == []


MANY = "FROM events AS a, events AS b, events AS c, events AS d"


async def test_a_migration_is_logged(empty: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log says from which version to which a store goes, and that a long step goes on."""
    await empty.migrate()
    for number in range(30):
        await run(empty, INSERT_EVENT.format(number=number))
    add_step(monkeypatch, f"CREATE TABLE extra AS SELECT a.number {MANY};")
    monkeypatch.setattr(migrations, "NOTE_SECONDS", 0.0)
    with capture_logs() as lines:
        await empty.migrate()

    logged = [line for line in lines if line["event"].startswith("migration")]
    assert logged[0] == {
        "event": "migration_began",
        "found": NEXT - 1,
        "wanted": NEXT,
        "steps": 1,
        "log_level": "info",
    }
    assert (logged[1]["event"], logged[1]["version"]) == ("migration_step", NEXT)
    assert (logged[-1]["event"], logged[-1]["now"]) == ("migration_ended", NEXT)
    assert {line["event"] for line in logged[2:-1]} == {"migration_goes_on"}


INSERT_EVENT = """
INSERT INTO events (app_id, number, id, name, at, body) VALUES ('a', {number}, '1', 'x', 1, '{{}}')
"""


async def test_migrating_again_changes_nothing(empty: Database) -> None:
    """A store with the newest schema is not changed."""
    await empty.migrate()
    before = await fetch(empty, "SELECT * FROM schema_migrations ORDER BY version")

    assert await empty.migrate() == newest_version()
    assert await fetch(empty, "SELECT * FROM schema_migrations ORDER BY version") == before


async def test_newer_schema_is_refused(empty: Database) -> None:
    """A store that a newer Hubbub wrote is not changed, and the error names both versions."""
    await empty.migrate()
    ahead = Query("ahead", f"INSERT INTO schema_migrations VALUES ({NEXT}, 'later', 0)")
    await empty.write(INSTALLATION, lambda tx: tx.run(ahead))

    with pytest.raises(SchemaTooNew, match=rf"{NEXT}.*{NEXT - 1}"):
        await empty.migrate()


async def test_only_what_is_missing_is_applied(
    empty: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store of the previous version gets the last step only, and keeps its rows."""
    await empty.migrate()
    add_step(monkeypatch, "CREATE TABLE later (app_id TEXT NOT NULL PRIMARY KEY) {key table};")

    assert await empty.migrate() == NEXT
    assert await fetch(empty, "SELECT max(version), count(*) FROM schema_migrations") == [
        (NEXT, NEXT)
    ]
    assert await fetch(empty, "SELECT app_id FROM later") == []


async def test_step_that_fails_leaves_nothing(
    empty: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step is done as a whole or not at all; once it is corrected it succeeds."""
    await empty.migrate()
    add_step(monkeypatch, "CREATE TABLE later (id TEXT); INSERT INTO nowhere VALUES (1);")
    with pytest.raises(Exception, match="nowhere"):
        await empty.migrate()
    add_step(monkeypatch, "CREATE TABLE later (id TEXT); INSERT INTO later VALUES ('anna');")

    assert await empty.migrate() == NEXT
    assert await fetch(empty, "SELECT id FROM later") == [("anna",)]


async def test_words_and_tags_learn_of_their_users(
    empty: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Users stored before lists searched by words and tags are found by them."""
    monkeypatch.setattr(migrations, "load_migrations", lambda: load_migrations()[:4])
    await empty.migrate()
    await run(
        empty,
        "INSERT INTO users (app_id, uid, name, role, status, tags, is_bot, created_at, touched_at,"
        " deactivated_at) VALUES ('app', 'anna', 'Anna', 'cook', 'offline', '[]', FALSE, 5, 7, 9)",
    )
    for kind, word in (("name", "anna"), ("name", "antonia"), ("name", "bo"), ("uid", "anna")):
        await run(empty, f"INSERT INTO user_words VALUES ('app', '{kind}', '{word}', 'anna')")
    await run(empty, "INSERT INTO user_tags VALUES ('app', 'diver', 'anna')")
    monkeypatch.undo()

    await empty.migrate()

    for table in ("user_words", "user_tags"):
        listed = await fetch(empty, f"SELECT touched_at, role, deactivated_at FROM {table}")
        assert set(listed) == {(7, "cook", 9)}
    shared = await fetch(empty, "SELECT kind, word, shared FROM user_words ORDER BY kind, word")
    assert shared == [
        ("name", "anna", 0),
        ("name", "antonia", 2),
        ("name", "bo", 0),
        ("uid", "anna", 4),
    ]


async def test_the_index_continues_from_its_position(
    empty: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search consumer starts at the event up to which the previous version had indexed."""
    monkeypatch.setattr(migrations, "load_migrations", lambda: load_migrations()[:5])
    await empty.migrate()
    await run(empty, "INSERT INTO search_positions (app_id, slot, event) VALUES ('app', 1, 42)")
    monkeypatch.undo()

    await empty.migrate()

    assert await fetch(empty, "SELECT * FROM consumer_positions") == [("app", "search", 42)]


async def test_metrics_know_the_bots(empty: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots that were created before there were metrics are marked as such; users are not."""
    (first,) = (step.version for step in load_migrations() if step.name == "metrics")
    monkeypatch.setattr(migrations, "load_migrations", lambda: load_migrations()[: first - 1])
    await empty.migrate()
    for uid, is_bot in (("helper", "TRUE"), ("anna", "FALSE")):
        await run(
            empty,
            "INSERT INTO users (app_id, uid, name, role, status, tags, is_bot, created_at,"
            f" touched_at) VALUES ('app', '{uid}', 'A', 'cook', 'offline', '[]', {is_bot}, 5, 7)",
        )
    monkeypatch.undo()

    await empty.migrate()

    rows = await fetch(empty, "SELECT uid, is_bot, first_day, days FROM active_users")
    assert rows == [("helper", True, 0, "0")]


async def test_only_sqlite_makes_its_search_entries_again(
    engine: str, empty: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On SQLite, apps with entries keep them until all are made again; PostgreSQL keeps them."""
    monkeypatch.setattr(migrations, "load_migrations", lambda: load_migrations()[:7])
    await empty.migrate()
    await run(
        empty,
        "INSERT INTO counters (app_id, epoch, message, event, conversation, sent_at, users, groups)"
        " VALUES ('app', 1, 5, 9, 1, 0, 0, 0)",
    )
    await run(empty, "INSERT INTO search_positions (app_id, slot, event) VALUES ('app', 1, 0)")
    await run(empty, "INSERT INTO message_entries (rowid, terms) VALUES (3, 'abc')")
    monkeypatch.undo()

    await empty.migrate()

    former_upto = await fetch(empty, "SELECT former_upto FROM search_positions")
    former = await fetch(empty, "SELECT rowid FROM former_message_entries")
    entries = await fetch(empty, "SELECT rowid FROM message_entries")
    if engine == "sqlite":
        assert (former_upto, former, entries) == ([(5,)], [(3,)], [])
    else:
        assert (former_upto, former, entries) == ([(0,)], [], [(3,)])


@pytest.mark.parametrize("engine", ["postgresql"], indirect=True)
async def test_two_nodes_migrate_at_once(empty_url: str, open_postgres: OpenPostgres) -> None:
    """Nodes that start together on an empty database both find it migrated, each step once."""
    async with closing(open_postgres(empty_url)) as one, closing(open_postgres(empty_url)) as other:
        versions = await asyncio.gather(one.migrate(), other.migrate())

        assert list(versions) == [newest_version()] * 2
        assert await fetch(one, "SELECT count(*) FROM schema_migrations") == [(newest_version(),)]


async def test_engines_have_the_same_columns(sqlite: Sqlite, postgres_url: str) -> None:
    """Table by table and column by column the schema is the same on both engines."""
    found = await ask(
        postgres_url,
        "SELECT table_name, column_name FROM information_schema.columns"
        " WHERE table_schema = 'public' AND table_name <> 'notes'",
    )

    assert found
    assert sorted(found) == sorted(sqlite.columns())


async def test_text_compares_by_code_point(postgres_url: str) -> None:
    """No column is sorted by the language of the database: SQLite has none."""
    by_language = await ask(
        postgres_url,
        "SELECT table_name, column_name FROM information_schema.columns"
        " WHERE table_schema = 'public' AND table_name <> 'notes'"
        " AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'",
    )

    assert by_language == []


async def ask(url: str, text: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query on PostgreSQL itself."""
    connection = await asyncpg.connect(url)
    try:
        return [tuple(row) for row in await connection.fetch(text)]
    finally:
        await connection.close()

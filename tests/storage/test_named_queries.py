"""Every query of every `queries.sql`, held against both engines before it ever runs."""

from collections.abc import AsyncIterator

import pytest
from tests.storage.named_queries import Fragment, Named, all_fragments, all_queries
from tests.storage.query_checks import check_app, check_plan, check_point, check_reads
from tests.storage.query_plans import Postgres, Sqlite

from hubbub.storage.queries import Query, parse_queries

every_query = pytest.mark.parametrize("named", all_queries(), ids=str)
every_fragment = pytest.mark.parametrize("fragment", all_fragments(), ids=str)


@pytest.fixture(scope="session")
def sqlite() -> Sqlite:
    """SQLite with the newest schema."""
    return Sqlite()


@pytest.fixture(scope="session")
async def postgresql(postgres_url: str) -> AsyncIterator[Postgres]:
    """PostgreSQL with the newest schema."""
    session = await Postgres.connect(postgres_url)
    yield session
    await session.close()


def open_queries(fragment: Fragment, sqlite: Sqlite) -> list[Named]:
    """The open queries of the fragment's area that it fits into."""
    return [
        named
        for named in all_queries()
        if named.area == fragment.area
        and named.is_open
        and not sqlite.plan(named.narrowed(fragment.text)).refused
    ]


def test_queries_are_found() -> None:
    """The walk through the package meets every area, look-ups and open queries among them."""
    assert {"outbox", "domain.apps", "domain.users"} <= {named.area for named in all_queries()}
    assert any(named.query.is_point for named in all_queries())
    assert any(named.is_open for named in all_queries())
    assert all_fragments()


@every_query
def test_sqlite_takes_it(sqlite: Sqlite, named: Named) -> None:
    """SQLite prepares the query, and finds its rows by a key that begins with the app."""
    assert check_plan(sqlite.plan(named.narrowed())) == []


@every_query
async def test_postgresql_takes_it(postgresql: Postgres, named: Named) -> None:
    """PostgreSQL prepares the query, and finds its rows by a key that begins with the app."""
    assert check_plan(await postgresql.plan(named.narrowed())) == []


@every_query
def test_it_stays_within_its_app(named: Named) -> None:
    """The query of a tenant's table says `app_id = :app_id`, or inserts it."""
    assert check_app(named.query) == []


@every_query
def test_it_names_what_it_reads(sqlite: Sqlite, named: Named) -> None:
    """`-- reads:` has the tables that the query and the conditions added to it read, no others."""
    added = [
        sqlite.plan(named.narrowed(fragment.text))
        for fragment in all_fragments()
        if named.is_open and fragment.area == named.area
    ]
    assert check_reads(named.query, sqlite.plan(named.narrowed()), *added) == []


@pytest.mark.parametrize("named", [one for one in all_queries() if one.query.is_point], ids=str)
def test_look_up_is_by_key(sqlite: Sqlite, named: Named) -> None:
    """A query that may run on the event loop finds one row by the whole of a unique key."""
    assert check_point(sqlite, named.query) == []


@every_fragment
async def test_condition_fits(sqlite: Sqlite, postgresql: Postgres, fragment: Fragment) -> None:
    """A condition added at run time is taken by both engines, and reads nothing as a whole."""
    queries = [named.narrowed(fragment.text) for named in open_queries(fragment, sqlite)]

    assert queries, "no query of its area takes it"
    for query in queries:
        assert check_plan(sqlite.plan(query)) == []
        assert check_plan(await postgresql.plan(query)) == []


GOOD = "SELECT name FROM users WHERE app_id = :app_id AND uid = :uid"
BAD_ON_SQLITE = {
    "misspelt column": "SELECT naem FROM users WHERE app_id = :app_id AND uid = :uid",
    "misspelt table": "SELECT name FROM user WHERE app_id = :app_id AND uid = :uid",
    "PostgreSQL only": "SELECT uid FROM users WHERE app_id = :app_id AND name ILIKE :name",
    "full scan": "SELECT uid FROM users WHERE name = :name",
    "scan of an index": "SELECT uid FROM users WHERE deleted_at IS NULL ORDER BY app_id, uid",
    "every app": "SELECT hash FROM auth_tokens t JOIN users u ON u.uid = t.uid"
    " WHERE t.app_id = :app_id",
    "two statements": GOOD + ";\nDELETE FROM users WHERE app_id = :app_id",
    "nothing": "",
}
BAD_ON_POSTGRESQL = {
    **BAD_ON_SQLITE,
    "PostgreSQL only": "SELECT uid FROM users WHERE app_id = :app_id AND name GLOB :name",
    "lock of a count": "SELECT count(*) FROM users WHERE app_id = :app_id FOR UPDATE",
    "lock of a union": f"{GOOD} UNION {GOOD} FOR UPDATE",
}


@pytest.mark.parametrize("text", BAD_ON_SQLITE.values(), ids=BAD_ON_SQLITE.keys())
def test_bad_query_is_caught_on_sqlite(sqlite: Sqlite, text: str) -> None:
    """What SQLite can't run, or runs by reading everything, does not pass."""
    assert check_plan(sqlite.plan(Query("good", GOOD))) == []
    assert check_plan(sqlite.plan(Query("bad", text))) != []


@pytest.mark.parametrize("text", BAD_ON_POSTGRESQL.values(), ids=BAD_ON_POSTGRESQL.keys())
async def test_bad_query_is_caught_on_postgresql(postgresql: Postgres, text: str) -> None:
    """What PostgreSQL can't run, or runs by reading everything, does not pass."""
    assert check_plan(await postgresql.plan(Query("good", GOOD))) == []
    assert check_plan(await postgresql.plan(Query("bad", text))) != []


@pytest.mark.parametrize(
    "text",
    [
        "SELECT uid FROM users WHERE uid = :uid",
        "UPDATE users SET name = :name WHERE uid = :uid",
        "INSERT INTO user_tags (tag, uid) VALUES (:tag, :uid)",
        "INSERT INTO user_tags (app_id, tag, uid) VALUES (:other_app, :tag, :uid)",
    ],
)
def test_query_of_all_apps_is_caught(text: str) -> None:
    """A statement that leaves open which app it is about does not pass."""
    assert check_app(Query("good", GOOD)) == []
    assert check_app(Query("bad", text)) != []


@pytest.mark.parametrize("reads", ["", "-- reads: users", "-- reads: users, roles, groups"])
def test_wrong_list_of_tables_is_caught(sqlite: Sqlite, reads: str) -> None:
    """A list that lacks a table, or has one too many, does not pass."""
    text = (
        "SELECT u.uid FROM users u JOIN roles r ON r.app_id = u.app_id AND r.role = u.role"
        " WHERE u.app_id = :app_id"
    )
    good, bad = parse_queries(
        f"-- good\n-- reads: users, roles\n{text};\n-- bad\n{reads}\n{text};"
    ).values()

    assert check_reads(good, sqlite.plan(good)) == []
    assert check_reads(bad, sqlite.plan(bad)) != []


@pytest.mark.parametrize(
    "text",
    [
        "SELECT uid FROM users WHERE app_id = :app_id AND role = :role",
        "SELECT uid FROM users WHERE app_id = :app_id AND uid > :uid",
        "SELECT uid FROM users WHERE app_id = :app_id AND uid = ANY(:uids)",
        "SELECT uid FROM users WHERE app_id = :app_id AND uid = :uid {where}",
        "SELECT guid FROM users JOIN members USING (app_id, uid) WHERE app_id = :app_id AND uid = :u",
        "UPDATE users SET name = :name WHERE app_id = :app_id AND uid = :uid",
        "SELECT 1",
    ],
)
def test_search_marked_as_look_up_is_caught(sqlite: Sqlite, text: str) -> None:
    """What may find many rows, or changes one, does not pass as a look-up."""
    assert check_point(sqlite, Query("good", GOOD)) == []
    assert check_point(sqlite, Query("bad", text)) != []

"""Every query of every `queries.sql`, checked on both engines without running it."""

import re
from collections.abc import AsyncIterator

import pytest
from tests.storage.queries.named_queries import Fragment, Named, all_fragments, all_queries
from tests.storage.queries.query_checks import check_app, check_plan, check_point, check_reads
from tests.storage.queries.query_plans import Postgres, Sqlite

from hubbub.outbox.log import SQL
from hubbub.storage.queries import Query, parse_queries

BATCHES = [one for one in all_queries() if one.query.is_bulk and one.query.table]
CHANGES = [one for one in BATCHES if not one.query.is_insert and not one.query.is_delete]
FOR_OPERATORS = {"records.moderated:list_oldest_of_apps"}
"""Queries of all apps, of which an index leads to a few rows; only operators see the answers."""
ACROSS_APPS = {"reviews is searched in all apps", "it doesn't say app_id = :app_id"}
LOOK_UPS = [
    one
    for one in all_queries()
    if (one.query.is_point or (one.query.is_bulk and not one.query.table))
    and one.query.has_app_id
    and one.query.columns
]
"""Those that may be run for many rows of an app."""


@pytest.fixture(scope="session")
async def postgresql(postgres_url: str) -> AsyncIterator[Postgres]:
    """PostgreSQL with the newest schema."""
    session = await Postgres.connect(postgres_url)
    yield session
    await session.close()


def open_queries(fragment: Fragment, sqlite: Sqlite) -> list[Named]:
    """Return the open queries of the fragment's area that it fits into."""
    return [
        named
        for named in all_queries()
        if named.area == fragment.area
        and named.is_open
        and not sqlite.plan(named.narrowed(fragment)).refused
    ]


def test_queries_are_found() -> None:
    """The scan of the package finds every area, including look-ups and open queries."""
    assert {"outbox", "records.apps", "records.users"} <= {named.area for named in all_queries()}
    assert any(named.query.is_point for named in all_queries())
    assert any(named.is_open for named in all_queries())
    assert any(fragment.is_before for fragment in all_fragments())


def test_sqlite_takes_every_query(sqlite: Sqlite) -> None:
    """SQLite prepares each query, and finds its rows by a key that begins with the app."""
    found = {str(named): check_plan(sqlite.plan(named.narrowed())) for named in all_queries()}

    assert faulty(found) == {}


async def test_postgresql_takes_every_query(postgresql: Postgres) -> None:
    """PostgreSQL prepares each query, and finds its rows by a key that begins with the app."""
    found = {
        str(named): check_plan(await postgresql.plan(named.narrowed())) for named in all_queries()
    }

    assert faulty(found) == {}


async def test_postgresql_takes_batches(postgresql: Postgres) -> None:
    """PostgreSQL prepares a batch of each query, alone and together with the guard."""
    found = {}
    for named in BATCHES:
        found[str(named)] = [await postgresql.refuse_batch(named.query)]
        if not named.query.is_guard:
            found[str(named)] += [await postgresql.refuse_batch(named.query, SQL.store_counters)]

    assert {name: refused for name, refused in found.items() if any(refused)} == {}


def test_the_key_of_each_batch_is_known() -> None:
    """The parameters that say which row is changed are known, so a batch may have a key twice."""
    assert [str(named) for named in CHANGES if not is_key_known(named.query)] == []


def is_key_known(query: Query) -> bool:
    """Return whether the key of a query is the one that it changes rows by."""
    conflict = re.search(r"ON CONFLICT \(([^)]*)\)", query.text)
    key = conflict[1].split(", ") if conflict else ["app_id", *query.key]
    return {"app_id", *query.key} >= set(key) and (bool(query.key) or key == ["app_id"])


async def test_postgresql_takes_look_ups(postgresql: Postgres) -> None:
    """PostgreSQL prepares many look-ups at once, and finds each row by a key as well."""
    found = {
        str(named): check_plan(await postgresql.plan_look_ups(named.query)) for named in LOOK_UPS
    }

    assert faulty(found) == {}


def test_tables_are_known() -> None:
    """The table that a statement writes is known, so cached records of it are dropped."""
    assert [str(named) for named in all_queries() if not is_table_known(named.query)] == []


def is_table_known(query: Query) -> bool:
    """Return whether a query has a table if it writes, and writes no second one."""
    is_write = query.text.split(maxsplit=1)[0] in ("INSERT", "UPDATE", "DELETE")
    further = re.search(r"\b(INSERT INTO|DELETE FROM|UPDATE \w+ SET)\b", query.text[1:])
    return bool(query.table) == is_write and not further


def test_queries_stay_within_their_app() -> None:
    """Each query of a tenant's table has `app_id = :app_id`, or inserts it."""
    assert faulty({str(named): check_app(named.query) for named in all_queries()}) == {}


def test_queries_name_what_they_read(sqlite: Sqlite) -> None:
    """`-- reads:` lists exactly the tables that a query and its added conditions read."""
    found = {}
    for named in all_queries():
        added = [
            sqlite.plan(named.narrowed(fragment))
            for fragment in all_fragments()
            if named.is_open and fragment.area == named.area
        ]
        found[str(named)] = check_reads(named.query, sqlite.plan(named.narrowed()), *added)

    assert faulty(found) == {}


def test_look_ups_are_by_key(sqlite: Sqlite) -> None:
    """A query that may run on the event loop finds one row by a whole unique key."""
    points = [named for named in all_queries() if named.query.is_point]

    assert faulty({str(named): check_point(sqlite, named.query) for named in points}) == {}


async def test_conditions_fit(sqlite: Sqlite, postgresql: Postgres) -> None:
    """Conditions added at run time are accepted by both engines, and scan no whole table."""
    found = {}
    for fragment in all_fragments():
        queries = [named.narrowed(fragment) for named in open_queries(fragment, sqlite)]
        problems = [] if queries else ["no query of its area takes it"]
        for query in queries:
            problems += check_plan(sqlite.plan(query))
            problems += check_plan(await postgresql.plan(query))
        found[str(fragment)] = problems

    assert faulty(found) == {}


def faulty(found: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return those that have problems."""
    return {
        name: problems
        for name, problems in found.items()
        if problems and not (name in FOR_OPERATORS and set(problems) <= ACROSS_APPS)
    }


GOOD = "SELECT name FROM users WHERE app_id = :app_id AND uid = :uid"
ALL_GROUPS = """
SELECT m.conversation FROM users u JOIN members m ON m.app_id = u.app_id AND m.uid = u.uid
WHERE u.app_id = :app_id"""
BAD_EVERYWHERE = [
    ("SELECT naem FROM users WHERE app_id = :app_id AND uid = :uid", "naem"),
    ("SELECT name FROM usres WHERE app_id = :app_id AND uid = :uid", "usres"),
    ("SELECT uid FROM users WHERE name = :name", "users is read as a whole"),
    ("SELECT uid FROM users ORDER BY app_id, uid LIMIT 1", "users is read as a whole"),
    (
        "SELECT u.uid FROM groups g JOIN users u ON u.uid = g.owner WHERE g.app_id = :app_id",
        "users",
    ),
]
BAD_ON_SQLITE = [
    *BAD_EVERYWHERE,
    ("SELECT uid FROM users WHERE app_id = :app_id AND name ILIKE :name", "ILIKE"),
    (f"{GOOD} FOR UPDATE OF users", '"OF"'),
    (f"{GOOD};\nDELETE FROM users WHERE app_id = :app_id", "another statement follows"),
    ("", "there is no statement"),
]
BAD_ON_POSTGRESQL = [
    *BAD_EVERYWHERE,
    ("SELECT uid FROM users WHERE app_id = :app_id AND name GLOB :name", "GLOB"),
    ("SELECT count(*) FROM users WHERE app_id = :app_id FOR UPDATE", "FOR UPDATE"),
    (f"{GOOD} UNION {GOOD} FOR UPDATE", "FOR UPDATE"),
    (f"{GOOD};\nDELETE FROM users WHERE app_id = :app_id", "multiple commands"),
]


@pytest.mark.parametrize(("text", "reason"), BAD_ON_SQLITE)
def test_bad_query_is_caught_on_sqlite(sqlite: Sqlite, text: str, reason: str) -> None:
    """A query that SQLite cannot run, or runs by scanning everything, is caught."""
    assert check_plan(sqlite.plan(Query("good", GOOD))) == []
    assert reason in "".join(check_plan(sqlite.plan(Query("bad", text))))


@pytest.mark.parametrize(("text", "reason"), BAD_ON_POSTGRESQL)
async def test_bad_query_is_caught_on_postgresql(
    postgresql: Postgres, text: str, reason: str
) -> None:
    """A query that PostgreSQL cannot run, or runs by scanning everything, is caught."""
    assert check_plan(await postgresql.plan(Query("good", GOOD))) == []
    assert reason in "".join(check_plan(await postgresql.plan(Query("bad", text))))


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
    """A statement that does not name its app is caught."""
    assert check_app(Query("good", GOOD)) == []
    assert check_app(Query("bad", text)) != []


@pytest.mark.parametrize("reads", ["", "-- reads: users", "-- reads: users, roles, groups"])
def test_wrong_list_of_tables_is_caught(sqlite: Sqlite, reads: str) -> None:
    """A list that lacks a table, or has one too many, is caught."""
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
    ("text", "reason"),
    [
        ("SELECT uid FROM users WHERE app_id = :app_id AND role = :role", "whole of a key"),
        ("SELECT uid FROM users WHERE app_id = :app_id AND uid > :uid", "whole of a key"),
        (f"{ALL_GROUPS} AND u.uid = :uid", "members is not found by the whole of a key"),
        ("SELECT uid FROM users WHERE app_id = :app_id AND uid = ANY(:uids)", "no look-up"),
        (GOOD + " {where}", "no look-up"),
        ("UPDATE users SET name = '' WHERE app_id = :app_id AND uid = :uid", "no look-up"),
        ("SELECT 1", "nothing"),
    ],
)
def test_search_marked_as_look_up_is_caught(sqlite: Sqlite, text: str, reason: str) -> None:
    """A look-up that may find many rows, or changes one, is caught."""
    assert check_point(sqlite, Query("good", GOOD)) == []
    assert reason in "".join(check_point(sqlite, Query("bad", text)))

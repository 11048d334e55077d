"""Every query of every `queries.sql`, held against both engines before it ever runs."""

from collections.abc import AsyncIterator

import pytest
from tests.storage.query_checks import (
    ROOT,
    Fragment,
    Named,
    Postgres,
    Sqlite,
    all_fragments,
    all_queries,
    check_app,
    check_plan,
    check_point,
    check_reads,
)

from hubbub.storage.queries import Query

every_query = pytest.mark.parametrize("named", all_queries(), ids=str)
every_point = pytest.mark.parametrize(
    "named", [named for named in all_queries() if named.query.is_point], ids=str
)
every_fragment = pytest.mark.parametrize("fragment", all_fragments(), ids=str)


@pytest.fixture(scope="session")
def sqlite() -> Sqlite:
    """SQLite with the newest schema."""
    return Sqlite()


@pytest.fixture(scope="session")
async def checker(postgres_url: str) -> AsyncIterator[Postgres]:
    """PostgreSQL with the newest schema."""
    checker = await Postgres.connect(postgres_url)
    yield checker
    await checker.close()


def test_no_file_is_overlooked() -> None:
    """Each `queries.sql` has queries, and there are as many as there are headings."""
    assert {named.area for named in all_queries()} >= {"outbox", "domain.users", "domain.groups"}
    assert all(named.query.text for named in all_queries())


@every_query
def test_sqlite_takes_it(sqlite: Sqlite, named: Named) -> None:
    """SQLite prepares the query, and finds its rows by a key that begins with the app."""
    assert check_plan(sqlite.plan(named.narrowed())) == []


@every_query
async def test_postgresql_takes_it(checker: Postgres, named: Named) -> None:
    """PostgreSQL prepares the query, and finds its rows by a key that begins with the app."""
    assert check_plan(await checker.plan(named.narrowed())) == []

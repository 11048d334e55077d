"""A node whose log-in PostgreSQL refuses while it runs, as when a role is locked by mistake."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from tests.cli.test_log import lines_of, ready
from tests.live import LiveNode
from tests.postgres import PostgresServer

from hubbub.config import Settings

SESSIONS_END = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'hikers'"
REFUSALS = {
    "the role may not log in": ("ALTER ROLE hikers NOLOGIN", "ALTER ROLE hikers LOGIN"),
    "another password": ("ALTER ROLE hikers PASSWORD 'new'", "ALTER ROLE hikers PASSWORD 'hush'"),
    "no right to connect": (
        "REVOKE CONNECT ON DATABASE hubbub FROM PUBLIC",
        "GRANT CONNECT ON DATABASE hubbub TO PUBLIC",
    ),
}


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """A PostgreSQL of its own, which asks the role `hikers` for its password."""
    with PostgresServer() as running:
        running.create_database("hubbub")
        running.ask_for_password("hikers")
        yield running


@pytest.fixture
async def superuser(server: PostgresServer) -> "AsyncIterator[asyncpg.Connection[Any]]":
    """A connection of the superuser, after the role has got its password and its schema."""
    connection = await asyncpg.connect(server.url("hubbub"))
    await connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    await connection.execute(
        "DO $$ BEGIN CREATE ROLE hikers; EXCEPTION WHEN duplicate_object THEN NULL; END $$"
    )
    await connection.execute("ALTER ROLE hikers LOGIN PASSWORD 'hush'")
    await connection.execute("GRANT ALL ON SCHEMA public TO hikers")
    yield connection
    await connection.close()


@pytest.mark.parametrize("refusal", REFUSALS)
async def test_a_refused_log_in(
    server: PostgresServer,
    superuser: "asyncpg.Connection[Any]",
    tmp_path: Path,
    refusal: str,
) -> None:
    """Calls and readiness get 503 until it is given back; the log has a line for each change."""
    take_away, give_back = REFUSALS[refusal]
    url = server.url("hubbub").replace("postgres@", "hikers:hush@")
    with LiveNode(Settings(data=tmp_path / "data", database_url=url)) as live:
        world = await live.world()
        await world.user("anna")
        await superuser.execute(take_away)
        await superuser.execute(SESSIONS_END)
        for _ in range(10):
            await world.refused("GET", "/users", status=503, code="ERR_OPERATION_FAILED")
            await world.refused("POST", "/users", NEW, status=503, code="ERR_OPERATION_FAILED")
            assert ready(live) == 503
        await superuser.execute(give_back)
        while ready(live) == 503:
            pass
        assert await world.uids("/users") == ["anna"]
        lines = [line for line in lines_of(live) if line["event"] != "doubtful_setting"]

    assert [line["event"] for line in lines] == ["store_lost", "store_back"]
    assert "hush" not in live.output
    assert "Traceback" not in live.output


NEW = {"uid": "ben", "name": "Ben"}

"""The log of a node: lines of JSON, few of them when the database goes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.live import LiveNode
from tests.postgres import PostgresServer

from hubbub.config import Settings


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """A PostgreSQL of its own, with a database."""
    with PostgresServer() as running:
        running.create_database("hubbub")
        yield running


def lines_of(live: LiveNode) -> list[dict[str, Any]]:
    """Return the lines of the log, without those of requests."""
    lines = [json.loads(line) for line in live.output.splitlines() if line.startswith("{")]
    return [line for line in lines if line["event"] != "request"]


def ready(live: LiveNode) -> int:
    """Return the status of the node's readiness."""
    return httpx2.get(f"{live.address}/health/ready", trust_env=False).status_code


async def test_a_database_that_goes_and_comes_back(server: PostgresServer, tmp_path: Path) -> None:
    """Meanwhile calls get 503, and the log has one line for its going, and one for its return."""
    settings = Settings(data=tmp_path, database_url=server.url("hubbub"))
    with LiveNode(settings) as live:
        world = await live.world()
        assert ready(live) == 200
        server.kill()
        for _ in range(5):
            assert (await world.ask("GET", "/users")).status == 503
            assert ready(live) == 503
        server.start()
        while ready(live) == 503:
            pass
        await world.user("anna")
        lines = lines_of(live)

    events = [line["event"] for line in lines if line["event"] != "doubtful_setting"]
    assert events == ["store_lost", "store_back"]
    assert all(line["timestamp"].endswith("Z") for line in lines)
    assert "Traceback" not in live.output


def test_a_misspelt_setting(tmp_path: Path) -> None:
    """The start says which setting does not exist, and which one may be meant."""
    with LiveNode(Settings(data=tmp_path / "data"), HUBBUB_TRUSTED_PROXY="10.0.0.1") as live:
        pass

    assert "HUBBUB_TRUSTED_PROXY is set, but there is no such setting." in live.output
    assert "Is HUBBUB_TRUSTED_PROXIES meant?" in live.output

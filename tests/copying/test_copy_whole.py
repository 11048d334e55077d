"""`hubbub copy` to PostgreSQL and back: the same installation, in another store."""

from dataclasses import replace
from pathlib import Path

from tests.cli.command import hubbub
from tests.copying.installation import Installation
from tests.postgres import PostgresServer

from hubbub.config import Settings


async def test_to_postgresql_and_back(postgres_server: PostgresServer, tmp_path: Path) -> None:
    """All that can be read of an installation is the same in PostgreSQL, and again in SQLite.

    Only cursors are refused: a copy begins new epochs.
    """
    postgres_server.create_database("moved")
    url = postgres_server.url("moved")
    original = Installation(Settings(data=tmp_path / "old"))
    await original.fill()
    before = original.before
    assert {status for status, _ in before.values()} == {200}
    assert len(before) > 60

    there = hubbub("copy", "--data", str(tmp_path / "old"), "--to", url)
    assert there.code == 0, there
    on_postgres = original.at(replace(original.settings, database_url=url))
    assert await on_postgres.answers() == before
    assert await on_postgres.why_cursor_refused() == "ERR_CURSOR_EXPIRED"

    old, new = str(tmp_path / "old"), str(tmp_path / "new")
    back = hubbub("copy", "--data", old, "--database", url, "--to", new)
    assert back.code == 0, back
    again = original.at(Settings(data=tmp_path / "new"))
    assert await again.answers() == before
    assert await again.why_cursor_refused() == "ERR_CURSOR_EXPIRED"


async def test_from_folder_to_folder(tmp_path: Path) -> None:
    """An embedded store can be copied into another data folder; its cursors are refused there."""
    original = Installation(Settings(data=tmp_path / "old"))
    await original.fill()
    before = original.before
    assert await original.why_cursor_refused() == ""

    done = hubbub("copy", "--data", str(tmp_path / "old"), "--to", str(tmp_path / "new"))
    assert done.code == 0, done
    again = original.at(Settings(data=tmp_path / "new"))
    assert await again.answers() == before
    assert await again.why_cursor_refused() == "ERR_CURSOR_EXPIRED"

"""A store on PostgreSQL, dumped and restored by the lines of docs/operating.md."""

import os
import shutil
from pathlib import Path

import pytest
from tests.backup.conftest import PUBLIC, TEXT, say
from tests.documents.blocks import take
from tests.documents.shell import PROGRAMS, placed, run, serving
from tests.files.uploads import File, fetch, send_files
from tests.live import LiveNode
from tests.postgres import HOST, SUPERUSER, PostgresServer, find_installation
from tests.world import World

from hubbub.config import Settings

DUMP = take("docs/operating.md", "### PostgreSQL", beginning="pg_dump")
RESTORE = take("docs/operating.md", "### PostgreSQL", beginning="createdb")


async def test_a_dump(postgres_server: PostgresServer, tmp_path: Path) -> None:
    """With the dump, the files and the master key, a new node gives the same answers."""
    if not shutil.which("rsync"):
        assert os.environ.get("CI") != "true", "the documents' lines need rsync"
        pytest.skip("the documents' lines need rsync")
    postgres_server.create_database("dumped")
    url = postgres_server.url("dumped")
    programs = f"{find_installation().programs}:{PROGRAMS}"
    paths = ("/users", "/messages", "/apikeys")
    for name in ("backups", "srv"):
        (tmp_path / name).mkdir()
    with LiveNode(Settings(data=tmp_path / "srv/hubbub", database_url=url), **PUBLIC) as live:
        world = await live.world()
        await world.users("anna", "ben")
        await say(world, "Hello")
        sent = await send_files(world, File("plan.txt", TEXT))
        run(placed(DUMP, tmp_path), tmp_path, {"PATH": programs, "HUBBUB_DATABASE_URL": url})
        key = (live.data / "secret.key").read_text().strip()
        before = [await world.get(path) for path in paths]

    again = LiveNode(Settings(data=tmp_path / "new"))
    shutil.copytree(tmp_path / "backups/files", again.data / "files")
    restored = postgres_server.url("hubbub")
    lines = RESTORE.replace("postgresql://user:password@host/hubbub", restored).replace("…", key)
    server = {"PGHOST": HOST, "PGPORT": str(postgres_server.port), "PGUSER": SUPERUSER}
    served = {"HUBBUB_DATA": str(again.data), "HUBBUB_PORT": str(again.port), **PUBLIC}
    with serving(lines, tmp_path, {"PATH": programs, **server, **served}):
        other = World(again, world.app_id, world.key, world.auth_key)
        after = [await other.get(path) for path in paths]
        assert (await fetch(again, sent["data"]["attachments"][0]["url"])).body == TEXT
    assert after == before

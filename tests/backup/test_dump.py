"""A store on PostgreSQL, dumped and restored with PostgreSQL's own tools."""

import shutil
from pathlib import Path

from tests.backup.conftest import PUBLIC, TEXT, say
from tests.files.uploads import File, fetch, send_files
from tests.live import LiveNode
from tests.postgres import PostgresServer
from tests.world import World

from hubbub.config import Settings


async def test_a_dump(postgres_server: PostgresServer, tmp_path: Path) -> None:
    """With the dump, the files and the master key, a new node gives the same answers."""
    postgres_server.create_database("dumped")
    settings = Settings(data=tmp_path / "data", database_url=postgres_server.url("dumped"))
    paths = ("/users", "/messages", "/apikeys")
    with LiveNode(settings, **PUBLIC) as live:
        world = await live.world()
        await world.users("anna", "ben")
        await say(world, "Hello")
        sent = await send_files(world, File("plan.txt", TEXT))
        postgres_server.copy_database("dumped", "restored")
        shutil.copytree(tmp_path / "data" / "files", tmp_path / "new" / "files")
        key = (tmp_path / "data" / "secret.key").read_text()
        before = [await world.get(path) for path in paths]

    url = postgres_server.url("restored")
    settings = Settings(data=tmp_path / "new", database_url=url)
    with LiveNode(settings, HUBBUB_SECRET_KEY=key, **PUBLIC) as again:
        other = World(again, world.app_id, world.key, world.auth_key)
        after = [await other.get(path) for path in paths]
        link = sent["data"]["attachments"][0]["url"]
        assert (await fetch(again, link)).body == TEXT
    assert after == before

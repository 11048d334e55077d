"""The lines of docs/operating.md that move an installation, run and used."""

from pathlib import Path

from tests.backup.conftest import PUBLIC, TEXT, say
from tests.documents.blocks import take
from tests.documents.shell import placed, run
from tests.files.uploads import File, fetch, send_files
from tests.live import LiveNode
from tests.postgres import PostgresServer
from tests.world import World

from hubbub.config import Settings

SECTION = "## Move to another store"
COPY = take("docs/operating.md", SECTION, beginning="hubbub copy --data /srv/hubbub --to")
BACK = take("docs/operating.md", SECTION, beginning="hubbub copy --data /srv/hubbub --database")
PATHS = ("/users", "/messages", "/apikeys")


async def test_the_lines_that_copy(postgres_server: PostgresServer, tmp_path: Path) -> None:
    """The lines copy a store that is served, to PostgreSQL and back: the answers are the same."""
    postgres_server.create_database("line")
    url = postgres_server.url("line")
    (tmp_path / "srv").mkdir()
    with LiveNode(Settings(data=tmp_path / "srv/hubbub"), **PUBLIC) as live:
        world = await live.world()
        await world.users("anna", "ben")
        await say(world, "Hello")
        sent = await send_files(world, File("plan.txt", TEXT))
        before = [await world.get(path) for path in PATHS]
        for line in (COPY, BACK):
            run(placed(line, tmp_path).replace("postgresql://hubbub@host/hubbub", url), tmp_path)
        key = (live.data / "secret.key").read_text()

    files = str(tmp_path / "srv/files")
    for settings, more in (
        (Settings(data=tmp_path / "new", database_url=url), {"HUBBUB_SECRET_KEY": key}),
        (Settings(data=tmp_path / "srv/back"), {}),
    ):
        with LiveNode(settings, "--files", files, **PUBLIC, **more) as node:
            moved = World(node, world.app_id, world.key, world.auth_key)
            assert [await moved.get(path) for path in PATHS] == before
            assert (await fetch(node, sent["data"]["attachments"][0]["url"])).body == TEXT

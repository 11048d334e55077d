"""`hubbub copy` as a command: running nodes, files, targets that are refused, exit codes."""

import asyncio
from pathlib import Path

import asyncpg
import pytest
from tests.backup.conftest import PUBLIC, TEXT, say
from tests.cli.command import Done, hubbub, new_folder
from tests.conftest import NewSettings
from tests.copying.filled import make_tables
from tests.files.uploads import File, fetch, files_in, picture, send_files
from tests.live import LiveNode
from tests.postgres import HOST, PostgresServer, free_port
from tests.world import World

from hubbub.bootstrap import open_inspection, open_runtime, open_tables
from hubbub.config import Settings
from hubbub.kernel.clock import SystemClock
from hubbub.moving.copying.progress import SOURCE
from hubbub.records.apps.store import find_key_mark
from hubbub.storage.errors import StoreUnusable
from hubbub.storage.interface import INSTALLATION

HELLO = {"receiver": "ben", "receiverType": "user", "data": {"text": "Hello"}}


def copy(source: Path, to: object, *options: str, **settings: str) -> Done:
    """Copy an embedded store."""
    return hubbub("copy", "--data", str(source), "--to", str(to), *options, **settings)


async def test_a_running_node_reads_on_and_writes_no_more(tmp_path: Path) -> None:
    """Once a store is copied, its node answers what is read; what writes gets 503, until a restart.

    Messages, keys and tokens are known to the new node.
    """
    with LiveNode(Settings(data=tmp_path / "old"), **PUBLIC) as live:
        world = await live.world()
        await world.users("anna", "ben")
        await say(world, "Hello")
        token = await world.token("anna")
        before = await world.get("/users/anna/messages", as_="ben")

        done = copy(live.data, tmp_path / "new")
        assert done.code == 0, done
        assert "takes no writes any more" in done.printed
        assert await world.get("/users/anna/messages", as_="ben") == before
        await world.refused(
            "POST", "/messages", HELLO, as_="anna", status=503, code="ERR_OPERATION_FAILED"
        )
        assert "moved to another database" in world.answer.json["error"]["message"]
        assert world.answer.headers["retry-after"] == "30"

        with LiveNode(Settings(data=tmp_path / "new"), **PUBLIC) as new:
            moved = World(new, world.app_id, world.key, world.auth_key)
            assert await moved.get("/users/anna/messages", as_="ben") == before
            assert await moved.get("/users", token=token)
            await say(moved, "Hello again")
        live.stop()
        live.start()
        await say(world, "We stay here")


@pytest.mark.parametrize("embedded", [True, False])
async def test_nobody_writes_while_a_store_is_copied(
    postgres_server: PostgresServer, tmp_path: Path, embedded: bool
) -> None:
    """While the rows are read, a node that was not told refuses what writes with 503, too."""
    url = ""
    if not embedded:
        postgres_server.create_database("locked")
        url = postgres_server.url("locked")
    with LiveNode(Settings(data=tmp_path / "data", database_url=url)) as live:
        world = await live.world()
        await world.users("anna", "ben")
        source = await open_tables(Settings(data=live.data, database_url=url))
        async with source.unchanging():
            await world.refused(
                "POST", "/messages", HELLO, as_="anna", status=503, code="ERR_OPERATION_FAILED"
            )
            assert len(await world.get("/users")) == 2
        await source.close()

        await say(world, "Hello")


async def test_uploaded_files(tmp_path: Path) -> None:
    """With --files the uploaded files are copied, with their thumbnails; without, they stay."""
    with LiveNode(Settings(data=tmp_path / "old"), **PUBLIC) as live:
        world = await live.world()
        await world.users("anna", "ben")
        sent = await send_files(world, File("plan.txt", TEXT))
        await send_files(world, File("hill.png", picture(900, 600)), type="image")

        stay = copy(live.data, tmp_path / "stay")
        assert f"still in {live.data.resolve() / 'files'}" in stay.printed
        assert not (tmp_path / "stay/files").exists()
        done = copy(live.data, tmp_path / "new", "--files", str(tmp_path / "new/files"))
    assert done.code == 0, done
    assert files_in(tmp_path / "new/files") == files_in(live.data / "files")
    assert len(files_in(live.data / "files")) == 3

    with LiveNode(Settings(data=tmp_path / "new"), **PUBLIC) as new:
        link = sent["data"]["attachments"][0]["url"]
        assert (await fetch(new, link)).body == TEXT


async def test_a_file_that_is_missing(tmp_path: Path) -> None:
    """A file that a message holds and that is missing is named, and the exit code is 1."""
    with LiveNode(Settings(data=tmp_path / "old"), **PUBLIC) as live:
        world = await live.world()
        await world.users("anna", "ben")
        await send_files(world, File("plan.txt", TEXT))
    (lost,) = [path for path in (live.data / "files").rglob("*") if path.is_file()]
    lost.unlink()

    done = copy(live.data, tmp_path / "new", "--files", str(tmp_path / "new/files"))
    assert done.code == 1
    assert lost.name in done.complained


def test_a_target_with_an_installation(tmp_path: Path) -> None:
    """Nothing is ever copied over a store: neither into a folder nor into a database with rows."""
    new_folder(tmp_path / "old")
    new_folder(tmp_path / "other")

    done = copy(tmp_path / "old", tmp_path / "other")
    assert done.code == 2
    assert "is not empty" in done.complained or "another master key" in done.complained
    again = copy(tmp_path / "old", tmp_path / "old")
    assert (again.code, again.complained.count("\n")) == (2, 1)


def test_a_folder_with_something_else(tmp_path: Path) -> None:
    """A folder that holds anything else is refused, and stays as it is."""
    new_folder(tmp_path / "old")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/letter.txt").write_text("Dear")

    done = copy(tmp_path / "old", tmp_path / "other")
    assert done.code == 2
    assert "is not empty: it has letter.txt" in done.complained
    assert files_in(tmp_path / "other") == {"letter.txt"}


async def test_a_database_with_something_else(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    """A database with a table of something else, or with an installation, is refused."""
    await asyncio.to_thread(new_folder, tmp_path / "old")
    postgres_server.create_database("others")
    url = postgres_server.url("others")
    connection = await asyncpg.connect(url)
    await connection.execute("CREATE TABLE letters (text TEXT)")
    await connection.close()

    done = copy(tmp_path / "old", url)
    assert (done.code, "it has a table letters" in done.complained) == (2, True)

    postgres_server.create_database("taken")
    taken = postgres_server.url("taken")
    first = copy(tmp_path / "old", taken)
    assert first.code == 0, first
    second = copy(tmp_path / "old", taken)
    assert (second.code, "Nothing is ever copied over a store" in second.complained) == (2, True)


async def test_a_part_of_another_installation(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    """A target with a part of another installation is refused."""
    for name in ("old", "other"):
        await asyncio.to_thread(new_folder, tmp_path / name)
    postgres_server.create_database("begun")
    url = postgres_server.url("begun")
    await begin_only(tmp_path / "old", url)

    done = copy(tmp_path / "other", url)
    assert (done.code, "a part of another installation" in done.complained) == (2, True)
    own = copy(tmp_path / "old", url)
    assert own.code == 0, own


async def begin_only(source: Path, url: str) -> None:
    """Begin a copy into a database, as one that is killed at once."""
    target = Settings(data=source, database_url=url)
    await make_tables(target)
    inspection = open_inspection(Settings(data=source), SystemClock())
    mark = await inspection.read(INSTALLATION, find_key_mark)
    await inspection.close()
    tables = await open_tables(target)
    await tables.begin({SOURCE: str(mark)})
    await tables.close()


async def test_no_node_serves_a_part(empty_settings: NewSettings) -> None:
    """A store into which a copy is not complete is served by no node, and used by no command."""
    settings = empty_settings(secret_key="00" * 32)
    await make_tables(settings)
    tables = await open_tables(settings)
    await tables.begin({})
    await tables.close()

    with pytest.raises(StoreUnusable, match="A copy into this database is not complete"):
        async with open_runtime(settings):
            pass


def test_no_source(tmp_path: Path) -> None:
    """Without a store to copy, the exit code is 3, and nothing is made."""
    done = copy(tmp_path / "none", tmp_path / "new")
    assert done.code == 3
    assert "There is no Hubbub in" in done.complained
    assert not (tmp_path / "new").exists()


def test_a_store_that_is_away(tmp_path: Path) -> None:
    """If the other store can't be reached, the exit code is 4."""
    new_folder(tmp_path / "old")
    done = copy(tmp_path / "old", f"postgresql://hubbub@{HOST}:{free_port()}/hubbub")
    assert done.code == 4
    assert "PostgreSQL can't be reached" in done.complained


def test_wrong_usage(tmp_path: Path) -> None:
    """Without a target, or with an address of something else, the exit code is 2."""
    new_folder(tmp_path / "old")
    assert hubbub("copy", "--data", str(tmp_path / "old")).code == 2
    assert copy(tmp_path / "old", "mysql://host/hubbub").code == 2

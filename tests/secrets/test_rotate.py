"""`hubbub secrets rotate`: another master key, while nodes run, and everything goes on."""

import secrets
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import asyncpg
import pytest
from tests.backup.conftest import PUBLIC, TEXT, say
from tests.cli.command import hubbub, new_folder, options_of
from tests.conftest import NewSettings
from tests.copying.installation import Installation
from tests.documents.blocks import take
from tests.documents.shell import placed, run
from tests.files.uploads import File, fetch, send_files
from tests.live import LiveNode, environment
from tests.postgres import PostgresServer

from hubbub.bootstrap import open_runtime, open_tables
from hubbub.config import Settings
from hubbub.kernel.sealing import NotOurSecret
from hubbub.records.secrets.store import NAMED
from hubbub.storage.tables import Kind

LONGEST_SECONDS = 60
ROTATE = take("docs/operating.md", "## Change the master key")


async def sealed_columns(settings: Settings) -> dict[str, set[str]]:
    """Return the values that look sealed, by the names of their columns."""
    found: dict[str, set[str]] = {}
    tables = await open_tables(settings)
    for table in await tables.list_tables():
        async for row in tables.rows(table):
            for column, value in zip(table.columns, row, strict=True):
                if column.kind is Kind.TEXT and value and value.startswith("v1."):
                    found.setdefault(f"{table.name}.{column.name}", set()).add(value)
    await tables.close()
    return found


async def test_all_is_sealed_anew(new_settings: NewSettings) -> None:
    """Every sealed value is another one, answers are the same, and the former key opens nothing."""
    told = Installation(new_settings())
    await told.fill()
    settings, key = told.settings, told.settings.key_path
    former, before = key.read_text(), await sealed_columns(settings)
    assert before.keys() >= {"api_keys.sealed", "webhooks.secret", "push_providers.sealed"}

    done = hubbub("secrets", "rotate", *options_of(settings))
    assert done.code == 0, done
    after = await sealed_columns(settings)
    assert after.keys() - {"installation.value"} == before.keys()
    assert not any(before[name] & after[name] for name in before)
    assert key.read_text() != former
    (settings.data / "secret.key.former").unlink()
    assert await told.answers() == told.before

    with pytest.raises(NotOurSecret):
        async with open_runtime(replace(settings, secret_key=former)):
            pass


async def test_the_list_of_sealed_columns(tmp_path: Path) -> None:
    """The declared list has every column that is called so, and all in which a value was found."""
    told = Installation(Settings(data=tmp_path))
    await told.fill()
    tables = await open_tables(told.settings)
    called = {
        f"{table.name}.sealed" for table in await tables.list_tables() if "sealed" in table.names
    }
    await tables.close()

    found = await sealed_columns(told.settings)
    assert called <= NAMED.keys()
    assert found.keys() <= NAMED.keys()


async def test_a_running_node_goes_on(tmp_path: Path) -> None:
    """While the key of a running node changes, keys, tokens, links and management calls are valid.

    So they are after a restart, and without the former key, but for links that were given before.
    """
    with LiveNode(Settings(data=tmp_path / "data"), **PUBLIC) as live:
        world = await live.world()
        await world.users("anna", "ben")
        token = await world.token("anna")
        sent = await send_files(world, File("plan.txt", TEXT))
        link = sent["data"]["attachments"][0]["url"]
        keys, management = await world.get("/apikeys"), live.management

        done = hubbub("secrets", "rotate", "--data", str(live.data))
        assert done.code == 0, done
        assert await world.get("/apikeys") == keys
        assert await world.get("/users", token=token)
        assert (await fetch(live, link)).body == TEXT
        await say(world, "Hello")
        newer = await world.token("ben")

        live.stop()
        (live.data / "secret.key.former").unlink()
        live.start()
        assert await world.get("/apikeys") == keys
        for each in (token, newer):
            assert await world.get("/users", token=each)
        assert live.management == management
        await live.world()
        assert (await fetch(live, link)).status == 404


KILLED_AT = """
import os, signal, sys
from hubbub import cli
from hubbub.admin import socket
from hubbub.domain.secrets import keys, rotate
from hubbub.records.secrets import store

left = int(sys.argv.pop(1))
rotate.ROWS_AT_ONCE = 1
run = socket.run_command

def note():
    global left
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)

async def killed(*args):
    note()
    answer = await run(*args)
    note()
    return answer

replace_files = keys.replace_key_file
def replaced(path):
    note()
    replace_files(path)

socket.run_command = killed
keys.replace_key_file = replaced
cli.main()
"""


def rotate(step: int, settings: Settings) -> int:
    """Rotate, killed at a step, and return the exit code."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED_AT, str(step), "secrets", "rotate", *options_of(settings)],
        env=environment(),
        capture_output=True,
        timeout=LONGEST_SECONDS,
        check=False,
    )
    assert done.returncode in (0, -signal.SIGKILL), done
    return done.returncode


@pytest.mark.parametrize("steps", [[1, 3], [20, 40, 7]], ids=str)
async def test_a_rotation_that_is_killed(new_settings: NewSettings, steps: list[int]) -> None:
    """Killed at any step, a node starts nevertheless, and the same command completes it."""
    told = Installation(new_settings())
    await told.fill()
    before = await sealed_columns(told.settings)
    for step in steps:
        rotate(step, told.settings)
        async with open_runtime(told.settings):
            pass

    assert rotate(-1, told.settings) == 0
    after = await sealed_columns(told.settings)
    assert not any(before[name] & after[name] for name in before)
    assert not told.settings.key_path.with_name("secret.key.new").exists()
    assert await told.answers() == told.before


async def forget_nodes(url: str) -> None:
    """Do as if fifteen seconds had passed since nodes, which are stopped now, were heard of."""
    connection = await asyncpg.connect(url)
    await connection.execute("UPDATE nodes SET beat_at = beat_at - 15")
    await connection.close()


async def test_several_nodes(postgres_server: PostgresServer, tmp_path: Path) -> None:
    """Nodes on a shared store get the new key by a restart; before, the rotation is refused.

    Once it is done, the former key can be removed.
    """
    postgres_server.create_database("rotated")
    url = postgres_server.url("rotated")
    old, new = (secrets.token_hex(32) for _ in range(2))
    both = {"HUBBUB_SECRET_KEY": old, "HUBBUB_NEW_SECRET_KEY": new}
    command = ("secrets", "rotate", "--data", str(tmp_path / "command"), "--database", url)
    places = [Settings(data=tmp_path / name, database_url=url) for name in ("a", "b")]

    with LiveNode(places[0], HUBBUB_SECRET_KEY=old) as first:
        world = await first.world()
        await world.users("anna", "ben")
        token = await world.token("anna")
        early = hubbub(*command, **both)
        assert early.code == 1
        assert "1 running nodes don't have the new key" in early.complained
    await forget_nodes(url)
    with LiveNode(places[0], **both) as first, LiveNode(places[1], **both) as second:
        done = hubbub(*command, **both)
        assert done.code == 0, done
        for live in (first, second):
            moved = type(world)(live, world.app_id, world.key, world.auth_key)
            assert await moved.get("/users", token=token)
            await moved.token("ben")
    again = hubbub(*command, **both)
    assert (again.code, "was that of the store already" in again.printed) == (0, True)

    with LiveNode(places[1], HUBBUB_SECRET_KEY=new) as live:
        moved = type(world)(live, world.app_id, world.key, world.auth_key)
        assert len(await moved.get("/users/ben/auth_tokens")) == 2
        assert await moved.get("/users", token=token)
    assert hubbub("app", "list", *options_of(places[0]), HUBBUB_SECRET_KEY=old).code == 1


def test_the_line_of_the_document(tmp_path: Path) -> None:
    """The line of docs/operating.md gives a store in a folder a new key."""
    (tmp_path / "srv").mkdir()
    new_folder(tmp_path / "srv/hubbub")
    key = tmp_path / "srv/hubbub/secret.key"
    former = key.read_text()

    run(placed(ROTATE, tmp_path), tmp_path)
    assert key.read_text() != former
    assert key.with_name("secret.key.former").read_text() == former

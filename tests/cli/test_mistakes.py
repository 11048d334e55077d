"""Mistakes of operators, and what they are told: one sentence that says what is wrong."""

import itertools
import socket
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pytest
from tests.cli.command import check_made, hubbub, making, options_of
from tests.live import LiveNode
from tests.postgres import PostgresServer
from tests.wire import LOOPBACK

from hubbub import __version__
from hubbub.config import Settings

ROOT = Path(__file__).parents[2]
_databases = itertools.count(1)


@pytest.fixture
def empty_database(postgres_server: PostgresServer, tmp_path: Path) -> Settings:
    """The settings of a node on an empty database of PostgreSQL."""
    name = f"mistakes_{next(_databases)}"
    postgres_server.create_database(name)
    return Settings(data=tmp_path, database_url=postgres_server.url(name))


@pytest.mark.parametrize("command", [("app", "list"), ("key", "list", "--app", "a"), ("migrate",)])
def test_a_command_makes_no_store(tmp_path: Path, command: tuple[str, ...]) -> None:
    """On a folder without a store a command says so, and leaves the disk as it is."""
    folder = tmp_path / "wrong"

    assert f"There is no Hubbub in {folder}." in hubbub(*command, "--data", str(folder)).sentence
    assert not folder.exists()


def test_a_command_makes_no_store_on_postgresql(empty_database: Settings) -> None:
    """On an empty database a command says so."""
    assert "There is no Hubbub" in hubbub("app", "list", *options_of(empty_database)).sentence


@pytest.mark.parametrize("columns", ["20", "80"])
def test_keys_are_never_cut(folder: tuple[str, ...], columns: str) -> None:
    """A list for people has each key whole, however narrow the terminal is."""
    key = check_made(hubbub(*making(), *folder))

    for command in (("app", "list"), ("key", "list", "--app", "hikers")):
        assert key in hubbub(*command, *folder, COLUMNS=columns).printed


def test_control_characters_are_not_printed(folder: tuple[str, ...]) -> None:
    """The name of an app can't move the cursor or begin a line."""
    hubbub("app", "create", "--id", "hikers", "--name", "a\x1b[2J\nb", *folder)

    assert "a?[2J?b" in hubbub("app", "list", *folder).printed


def test_the_version() -> None:
    """`--version` prints the version that is installed."""
    assert hubbub("--version").printed == f"hubbub {__version__}\n"


DATABASE_MISTAKES = {
    "postgresql://postgres@{server}/nope": "has no database nope. Create it: createdb nope",
    "postgresql://nobody@{server}/{name}": 'refuses the log-in: role "nobody" does not exist.',
    "postgresql://weak@{server}/{name}": "may not make Hubbub's tables in {name}",
    "postgresql://postgres@no.such.host.invalid/{name}": "can't be reached at no.such.host.invalid",
    "postgresql://postgres:hush@127.0.0.1:port/x": "The address of the database is not valid.",
    "mysql://root:hush@{server}/{name}": "It looks like postgresql://",
    "localhost/hubbub": "It looks like postgresql://",
}


@pytest.mark.parametrize("address", DATABASE_MISTAKES)
async def test_a_mistake_about_the_database(empty_database: Settings, address: str) -> None:
    """A node that can't use its database says in a sentence what is wrong, without a password."""
    parts = urlsplit(empty_database.database_url)
    given = {"server": parts.netloc.rpartition("@")[2], "name": parts.path[1:]}
    connection = await asyncpg.connect(empty_database.database_url)
    await connection.execute(
        "DO $$ BEGIN CREATE ROLE weak LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$"
    )
    await connection.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    await connection.close()
    options = ("--data", str(empty_database.data), "--database", address.format(**given))

    sentence = hubbub("serve", "--port", "0", *options).sentence
    assert DATABASE_MISTAKES[address].format(**given) in sentence
    assert "hush" not in sentence


def test_an_unreachable_database(tmp_path: Path) -> None:
    """A database that does not answer ends a command with the reason."""
    with socket.create_server((LOOPBACK, 0)) as closed:
        port = closed.getsockname()[1]
    url = f"postgresql://nobody@{LOOPBACK}:{port}/nothing"
    done = hubbub("app", "list", "--json", "--data", str(tmp_path), "--database", url)

    assert done.sentence == (
        f"PostgreSQL can't be reached at {LOOPBACK}:{port}: Connection refused."
    )


@pytest.mark.parametrize("place", ["/proc/nope", "file:///proc/nope"])
def test_files_that_cannot_be_stored(folder: tuple[str, ...], place: str) -> None:
    """A folder for files that can't be made is named with the reason."""
    sentence = hubbub("serve", "--port", "0", "--files", place, *folder).sentence

    assert sentence == "Files can't be stored in /proc/nope: No such file or directory."


def test_an_unknown_place_of_files(folder: tuple[str, ...]) -> None:
    """The address of a store that Hubbub does not know is answered with those it knows."""
    sentence = hubbub("serve", "--port", "0", "--files", "ftp://host/x", *folder).sentence

    assert sentence.endswith("begins with one of file://, s3://, gcs://, azblob://")


@pytest.mark.parametrize("address", ["redis://u:hush@host", "nats://u:hush@host:port", "nats://"])
def test_a_bus_that_is_none(empty_database: Settings, address: str) -> None:
    """The address of a bus that can't be one is refused in a sentence, without its password."""
    sentence = hubbub("serve", "--bus", address, *options_of(empty_database)).sentence

    assert sentence.startswith("HUBBUB_BUS_URL must be addresses like nats://")
    assert "hush" not in sentence


def test_a_bus_needs_postgresql(folder: tuple[str, ...]) -> None:
    """A node on SQLite is always alone, so a bus is a mistake."""
    sentence = hubbub("serve", "--bus", "nats://127.0.0.1", *folder).sentence

    assert sentence == "A node on SQLite is always alone: a bus (--bus) needs PostgreSQL."


def test_the_start_says_where_to_look(embedded: LiveNode) -> None:
    """A node prints the addresses of the interface and of the reference."""
    assert f"Hubbub: {embedded.address}/v3\n" in embedded.output
    assert f"Reference: {embedded.address}/docs\n" in embedded.output


def test_make_passes_options_on() -> None:
    """`make demo` and `make serve` hand the options in ARGS to the node."""
    for target in ("demo", "serve"):
        done = subprocess.run(
            [
                "make",
                "--no-print-directory",
                "--dry-run",
                "--always-make",
                target,
                "ARGS=--port 8090",
            ],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        assert f"hubbub serve{' --demo' * (target == 'demo')}" in done.stdout
        assert done.stdout.rstrip().endswith("--port 8090")


def test_a_wrong_password(postgres_server: PostgresServer, tmp_path: Path) -> None:
    """A password that PostgreSQL refuses is one sentence, which does not repeat it."""
    postgres_server.ask_for_password("climbers")
    url = postgres_server.url("postgres").replace("postgres@", "climbers:hush@")
    sentence = hubbub("app", "list", "--data", str(tmp_path), "--database", url).sentence

    assert "refuses the log-in: password authentication failed" in sentence
    assert "hush" not in sentence

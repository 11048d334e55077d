"""Mistakes of operators, and what they are told: one sentence that says what is wrong."""

import itertools
import socket
import stat
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pytest
from tests.cli.command import check_made, hubbub, making, options_of
from tests.files.uploads import File, send_files
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
    """On an empty database a command says so, and makes no master key."""
    assert "There is no Hubbub" in hubbub("app", "list", *options_of(empty_database)).sentence
    assert not list(empty_database.data.iterdir())


@pytest.mark.parametrize(
    "command",
    [("serve", "--port", "0"), ("app", "list"), ("migrate",)],
)
def test_a_store_without_its_key(settings: Settings, command: tuple[str, ...]) -> None:
    """A command on a store whose secret.key is gone says so, and what to do; none is made."""
    key = settings.data / "secret.key"
    key.unlink()

    sentence = hubbub(*command, *options_of(settings)).sentence
    assert f"there is no {key}, and HUBBUB_SECRET_KEY is not set." in sentence
    assert not key.exists()


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


@pytest.mark.parametrize(
    ("name", "value", "wrong"),
    [
        ("HUBBUB_REALTIME_ORIGINS", "https://a.example, chat.example", "'chat.example'"),
        ("HUBBUB_REALTIME_ORIGINS", "https://chat.example/path", "'https://chat.example/path'"),
        ("HUBBUB_TRUSTED_PROXIES", "10.0.0.1, proxy.internal", "'proxy.internal'"),
        ("HUBBUB_PUBLIC_URL", "chat.example", "'chat.example'"),
    ],
)
def test_a_setting_that_can_never_fit(tmp_path: Path, name: str, value: str, wrong: str) -> None:
    """No node starts with an address that can never fit; the setting and its fault are named."""
    data = ("--data", str(tmp_path / "data"))
    sentence = hubbub("serve", "--port", "0", *data, **{name: value}).sentence

    assert sentence.startswith(f"{name} ")
    assert wrong in sentence


def mode_of(path: Path) -> int:
    """Return the rights at a file or folder."""
    return stat.S_IMODE(path.stat().st_mode)


def test_an_open_data_folder_is_closed(tmp_path: Path) -> None:
    """A data folder that other accounts may read is closed to them, which the log says once."""
    with LiveNode(Settings(data=tmp_path / "data")) as live:
        live.stop()
        live.data.chmod(0o755)
        live.start()

        assert mode_of(live.data) == 0o700
        assert live.output.count("data_folder_closed") == 1


def test_a_folder_of_others_is_refused(tmp_path: Path) -> None:
    """An open folder with other things in it, such as /tmp, is neither used nor changed."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home").chmod(0o755)
    (tmp_path / "home" / "letter.txt").touch()
    sentence = hubbub("serve", "--port", "0", "--data", str(tmp_path / "home")).sentence

    assert sentence.endswith("Give --data a folder for Hubbub alone.")
    assert mode_of(tmp_path / "home") == 0o755
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["letter.txt"]


async def test_files_are_closed_to_others(tmp_path: Path) -> None:
    """Uploads have mode 0640 at most, also in a folder of their own, and so has the database."""
    place = tmp_path / "uploads"
    with LiveNode(Settings(data=tmp_path / "data"), "--files", str(place)) as live:
        world = await live.world()
        await world.users("anna", "ben")
        await send_files(world, File("plan.txt", b"The plan"))
        stored = [path for path in place.rglob("*") if path.is_file()]
        assert stored

        for path in (*stored, live.data / "hubbub.db"):
            assert mode_of(path) & ~0o640 == 0, path
        assert mode_of(place) & 0o007 == 0

"""The command line, used by operators and scripts; each command is a separate process."""

import json
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer.main
from tests.certificate import make_certificate
from tests.cli.command import LONGEST_SECONDS, check_made, hubbub, making, new_folder
from tests.conftest import NewSettings
from tests.contract import load_contract
from tests.live import LiveNode
from tests.realtime.contract import load_realtime_contract
from tests.wire import LOOPBACK
from tests.world import World

from hubbub.cli import make_command_line
from hubbub.config import Settings


def world_at(live: LiveNode, app_id: str, key: str) -> World:
    """Return the world of the app at a running node."""
    return World(live, app_id, key, "")


async def test_an_app_is_made_without_a_node(settings: Settings, store: tuple[str, ...]) -> None:
    """With --json only its id, region and keys are printed; a node finds the app later."""
    key = check_made(hubbub(*making(), *store))

    with LiveNode(settings) as live:
        assert await world_at(live, "hikers", key).get("/users") == []


async def test_an_app_is_made_beside_a_node(settings: Settings, store: tuple[str, ...]) -> None:
    """A command beside a running node prints the same, and the app exists at once."""
    with LiveNode(settings) as live:
        key = check_made(hubbub(*making(), *store))
        world = world_at(live, "hikers", key)
        await world.user("anna")

        assert await world.uids("/users") == ["anna"]
        assert "exists already" in hubbub(*making(), *store).sentence


async def test_a_command_finds_the_node_by_its_folder(settings: Settings) -> None:
    """Beside a running node --data is enough, on both engines."""
    with LiveNode(settings) as live:
        key = check_made(hubbub(*making(), "--data", str(settings.data)))

        assert await world_at(live, "hikers", key).get("/users") == []


async def test_keys_are_made_listed_and_deleted(settings: Settings, store: tuple[str, ...]) -> None:
    """A key created beside a node gives access to the app until it is deleted there."""
    with LiveNode(settings) as live:
        own = check_made(hubbub(*making(), *store))
        named = ("--app", "hikers", *store)
        made = hubbub("key", "create", "--name", "Büro", "--scope", "fullAccess", "--json", *named)
        key = made.json["apiKey"]

        assert made.json == {"apiKey": key, "name": "Büro", "scope": "fullAccess"}
        assert await world_at(live, "hikers", key).get("/users") == []
        listed = hubbub("key", "list", "--json", *named).json["apiKeys"]
        assert made.json in listed
        assert len(listed) == 3
        done = hubbub("key", "delete", key, *named)
        assert (done.code, done.printed) == (0, "The API key is deleted.\n")
        assert len(await world_at(live, "hikers", own).get("/apikeys")) == 2


def test_keys_without_a_node(folder: tuple[str, ...]) -> None:
    """A key has the narrow scope by default, and is printed alone without --json."""
    hubbub(*making(), *folder)
    named = ("--app", "hikers", *folder)
    key = hubbub("key", "create", "--name", "Sign-in", *named).printed

    assert re.fullmatch("[0-9a-f]{40}\n", key)
    listed = hubbub("key", "list", "--json", *named).json["apiKeys"]
    assert {"apiKey": key.strip(), "name": "Sign-in", "scope": "authOnly"} in listed
    assert key.strip() in hubbub("key", "list", *named).printed
    assert hubbub("key", "delete", key.strip(), *named).code == 0
    assert key.strip() not in hubbub("key", "list", *named).printed


def test_apps_are_listed_and_deleted(store: tuple[str, ...]) -> None:
    """The list has each app with its keys, until it is deleted."""
    made = [hubbub(*making(app_id), *store).json for app_id in ("hikers", "divers")]

    listed = hubbub("app", "list", "--json", *store).json["apps"]
    assert {app["id"] for app in listed} == {"divers", "hikers"}
    by_id = {app["id"]: app["apiKeys"] for app in listed}
    assert {key["apiKey"] for key in by_id["hikers"]} == {
        key["apiKey"] for key in made[0]["apiKeys"]
    }
    assert "Hiking club" in hubbub("app", "list", *store).printed
    assert hubbub("app", "delete", "hikers", "--yes", "--json", *store).json["success"] is True
    assert [app["id"] for app in hubbub("app", "list", "--json", *store).json["apps"]] == ["divers"]
    assert "hikers" in hubbub("app", "delete", "hikers", "--yes", *store).sentence


def test_an_app_is_not_deleted_unasked(folder: tuple[str, ...]) -> None:
    """Without --yes, and without an answer to the question, nothing is deleted."""
    hubbub(*making(), *folder)

    assert hubbub("app", "delete", "hikers", *folder).code == 1
    assert len(hubbub("app", "list", "--json", *folder).json["apps"]) == 1


def test_an_app_has_defaults(folder: tuple[str, ...]) -> None:
    """Without an id one is generated, and the region is us."""
    made = hubbub("app", "create", "--json", *folder).json

    assert re.fullmatch("[0-9a-f]{16}", made["id"])
    assert made["region"] == "us"
    assert "can't be an app id" in hubbub("app", "create", "--id", "", *folder).sentence


async def test_the_first_start(new_settings: NewSettings) -> None:
    """The first start prints where the first keys are; they work, and later starts keep them.

    The file, the master key and the socket are accessible to the node's account alone.
    """
    settings = new_settings(data=new_settings().data / "new")
    with LiveNode(settings) as live:
        path = settings.data / "first-keys.txt"
        assert f"First keys: {path}\n" in live.output
        text = path.read_text()
        said = dict(line.split(": ") for line in text.splitlines() if ": " in line[:12])
        world = World(live, said["app"], said["fullAccess"], said["authOnly"])
        assert await world.get("/users") == []
        await world.post("/users", {"uid": "anna", "name": "Anna"}, key=said["authOnly"])
        assert await live.world()
        for name in ("first-keys.txt", "secret.key"):
            assert (settings.data / name).stat().st_mode & 0o777 == 0o600
        assert settings.data.stat().st_mode & 0o777 == 0o700
        live.stop()
        live.start()
        assert live.output.count("First keys:") == 1
        assert path.read_text() == text
        assert await world.uids("/users") == ["anna"]


def test_the_admin_socket_is_private(embedded: LiveNode) -> None:
    """Only the node's own account can send commands; the socket is removed with the node."""
    path = embedded.data / "admin.sock"

    assert path.stat().st_mode & 0o777 == 0o600
    embedded.stop()
    assert not path.exists()


def test_a_second_node_is_refused(embedded: LiveNode) -> None:
    """A folder has one node at a time; a second one says so and does not affect the first."""
    done = hubbub("serve", "--data", str(embedded.data), "--port", "0")

    assert done.sentence == f"Another Hubbub runs on the data folder {embedded.data}."
    assert hubbub(*making(), "--data", str(embedded.data)).code == 0
    assert "Another Hubbub runs" in hubbub("migrate", "--data", str(embedded.data)).sentence


def test_a_folder_is_free_after_a_crash(embedded: LiveNode) -> None:
    """A lock ends with its process, also after a crash."""
    embedded.kill()

    assert hubbub(*making(), "--data", str(embedded.data)).code == 0


def test_a_node_that_does_not_answer(folder: tuple[str, ...]) -> None:
    """A command that finds the folder locked but gets no answer says so."""
    hubbub(*making(), *folder)
    hold = (
        "import sys; from pathlib import Path; from hubbub.admin.lock import FolderLock;"
        "lock = FolderLock(Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", hold, folder[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        done = hubbub("app", "list", *folder)

    assert "no node answers on its admin.sock" in done.sentence


@pytest.mark.parametrize("line", [b"hello\n", b"{}\n", b'{"command":"x","arguments":{}}\n', b"\n"])
def test_the_admin_socket_takes_nonsense(embedded: LiveNode, line: bytes) -> None:
    """A malformed command is answered with an error, and the node goes on."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(LONGEST_SECONDS)
        client.connect(str(embedded.data / "admin.sock"))
        client.sendall(line)
        answer = client.makefile("rb").readline()

    assert "error" in json.loads(answer)
    assert hubbub("app", "list", "--json", "--data", str(embedded.data)).code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("app", "create", "--id", "Not_an_id"), "can't be an app id"),
        (("app", "create", "--name", "n" * 101), "1 to 100 characters"),
        (("app", "create", "--name", b"\xff"), "not UTF-8"),
        (("app", "delete", "nobodys-app", "--yes"), "nobodys-app does not exist"),
        (("key", "create", "--app", "nobodys-app", "--name", "x"), "nobodys-app does not exist"),
        (("key", "list", "--app", "nobodys-app"), "nobodys-app does not exist"),
        (("key", "create", "--app", "hikers", "--name", ""), "1 to 100 characters"),
        (("key", "delete", "--app", "hikers", "0000"), "0000 does not exist"),
        (("serve", "--port", "70000"), "port 70000"),
        (("serve", "--host", "203.0.113.1"), "203.0.113.1"),
        (("serve", "--tls-cert", "/nowhere/cert.pem"), "/nowhere/cert.pem"),
        (("serve", "--tls-key", "/nowhere/key.pem"), "without a certificate"),
    ],
)
def test_an_expected_failure_is_one_sentence(
    create_store: tuple[str, ...], arguments: tuple[str | bytes, ...], said: str
) -> None:
    """An expected failure is one sentence, with exit code 1 and no traceback."""
    assert said in hubbub(*arguments, *create_store).sentence


@pytest.fixture(scope="module")
def create_store(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """A data folder with an app, past its first start."""
    store = new_folder(tmp_path_factory.mktemp("data"))
    assert hubbub(*making(), *store).code == 0
    with LiveNode(Settings(data=Path(store[1]))):
        pass
    return store


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HUBBUB_PORT", "eighty"),
        ("HUBBUB_LOG_REQUESTS", "maybe"),
        ("HUBBUB_SECRET_KEY", "too short"),
        ("HUBBUB_SECRET_KEY", "ab" * 32),
    ],
)
def test_an_invalid_setting(create_store: tuple[str, ...], name: str, value: str) -> None:
    """A wrong setting is reported in one sentence, which does not repeat a secret."""
    sentence = hubbub("app", "list", *create_store, **{name: value}).sentence

    assert name in sentence or "secret key" in sentence.lower()
    assert "ab" * 32 not in sentence


def test_a_folder_that_cannot_be_created(tmp_path: Path) -> None:
    """A data folder that can't be created is reported in one sentence."""
    (tmp_path / "file").write_text("")

    for path in (tmp_path / "file", tmp_path / "file" / "folder"):
        assert "file" in hubbub("serve", "--data", str(path)).sentence


def test_a_port_in_use(create_store: tuple[str, ...]) -> None:
    """A node that can't listen says so, and does not claim to run."""
    with socket.create_server((LOOPBACK, 0)) as other:
        port = str(other.getsockname()[1])
        done = hubbub("serve", "--port", port, *create_store)

    assert port in done.sentence
    assert "another program uses it" in done.sentence


def test_a_certificate_without_its_key(create_store: tuple[str, ...], tmp_path: Path) -> None:
    """A certificate that does not match its key is reported in one sentence."""
    (tmp_path / "other").mkdir()
    one, other = make_certificate(tmp_path), make_certificate(tmp_path / "other")
    options = ("--tls-cert", str(one.cert), "--tls-key", str(other.key))

    assert str(one.cert) in hubbub("serve", *options, *create_store).sentence


def test_the_contract_is_printed() -> None:
    """`hubbub openapi` prints the document that a node serves."""
    done = hubbub("openapi")

    assert done.code == 0
    assert done.json == json.loads(json.dumps(load_contract().document))


def test_the_contract_of_sockets_is_printed() -> None:
    """`hubbub asyncapi` prints the AsyncAPI document."""
    done = hubbub("asyncapi")

    assert done.code == 0
    assert done.json == load_realtime_contract().document


def test_migrating(store: tuple[str, ...]) -> None:
    """`hubbub migrate` brings the schema to its newest version, once."""
    first, second = hubbub("migrate", *store), hubbub("migrate", *store)

    assert first.code == second.code == 0
    assert first.printed == second.printed
    assert re.fullmatch(r"The database has schema version \d+\.\n", first.printed)


def test_the_environment_names_the_store(tmp_path: Path) -> None:
    """Settings come from the environment, and an option overrides them."""
    for name in ("one", "two"):
        new_folder(tmp_path / name)
    hubbub(*making(), HUBBUB_DATA=str(tmp_path / "one"))
    hubbub(*making("divers"), "--data", str(tmp_path / "two"), HUBBUB_DATA=str(tmp_path / "one"))

    for name, app_id in [("one", "hikers"), ("two", "divers")]:
        listed = hubbub("app", "list", "--json", "--data", str(tmp_path / name)).json["apps"]
        assert [app["id"] for app in listed] == [app_id]


async def test_the_demo(tmp_path: Path) -> None:
    """`serve --demo` creates an app once, and prints a working key file, for the account alone."""
    settings = Settings(data=tmp_path / "data")
    for _ in range(2):
        with LiveNode(settings, "--demo") as live:
            path = settings.data / "demo-key.txt"
            world = World(live, "demo", path.read_text().strip(), "")

            assert str(path) in live.output
            assert path.stat().st_mode & 0o777 == 0o600
            assert len(await world.uids("/users")) == 4


def test_commands_explain_themselves() -> None:
    """Every command and group of commands has a help text, and `hubbub --help` lists them."""
    listed = hubbub("--help").printed
    top: Any = typer.main.get_command(make_command_line())
    found = [top]
    while found:
        command = found.pop()
        assert command.help
        found += getattr(command, "commands", {}).values()

    assert all(name in listed for name in top.commands)

"""`make demo`, and the commands of docs/operating.md for the embedded store, run and used."""

import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from tests.backup.conftest import PUBLIC, TEXT, say
from tests.documents.blocks import ROOT, take
from tests.documents.shell import placed, run, serving
from tests.files.uploads import File, fetch, send_files
from tests.live import LiveNode
from tests.postgres import free_port
from tests.world import World

from hubbub.config import Settings

OPERATING = "docs/operating.md"
DEMOS = {
    take("README.md", "## Try it", "", "make demo"),
    take("docs/getting-started.md", "## Start a server", ""),
}
WITH_RECEIVER = take("docs/guides/webhooks.md", "## Register a webhook", "text")
FIRST_START = take(OPERATING, "## First start", "text")
SETTINGS = take(OPERATING, "## Settings of an app")
NEW_KEYS = take(OPERATING, "## Commands")
BACKUP = take(OPERATING, "### The embedded store", beginning="hubbub backup")
RESTORE = take(OPERATING, "### The embedded store", beginning="hubbub restore")
ADD = take(OPERATING, "### Many backups in one place", beginning="hubbub backup")
RESTORE_OF_TIME = take(OPERATING, "### Many backups in one place", beginning="hubbub restore")
DOCTOR = take(OPERATING, "## Doctor")
DIAGNOSIS = take(OPERATING, "## Doctor", "text")
_CHECKED = re.compile(r"^(?:ok|warning|wrong) +\S.*?  +", re.MULTILINE)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with all that `make demo` needs, where Hubbub is installed already."""
    for name in ("Makefile", "pyproject.toml", "requirements.lock"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv/bin").symlink_to(Path(sys.executable).parent)
    (tmp_path / ".venv/.runtime-installed").touch()
    return tmp_path


def test_the_demo_starts_as_shown(checkout: Path) -> None:
    """`make demo` starts a server with the four users, and writes the key to its file."""
    assert {"make demo\n"} == DEMOS
    address = f"http://127.0.0.1:{free_port()}"

    port = address.rpartition(":")[2]
    with serving("make demo", checkout, {"ARGS": f"--port {port}"}, begun="demo-key.txt"):
        key = (checkout / "hubbub-data/demo-key.txt").read_text().strip()
        answer = httpx2.get(f"{address}/v3/users", headers={"apikey": key}, trust_env=False)

    assert {user["uid"] for user in answer.json()["data"]} == {"anna", "ben", "chiara", "dai"}


def test_the_demo_calls_a_receiver_on_this_machine(checkout: Path) -> None:
    """Started as the guide to webhooks says, the demo takes the address of a local receiver."""
    address = f"http://127.0.0.1:{free_port()}"
    webhook = {"id": "hook", "name": "Hook", "webhookURL": "http://127.0.0.1:9000/"}

    port = address.rpartition(":")[2]
    options = {"ARGS": f"--port {port}"}
    with serving(WITH_RECEIVER.strip(), checkout, options, begun="demo-key.txt"):
        key = (checkout / "hubbub-data/demo-key.txt").read_text().strip()
        answer = httpx2.post(
            f"{address}/v3/webhooks", headers={"apikey": key}, json=webhook, trust_env=False
        )

    assert answer.json()["data"]["webhookURL"] == "http://127.0.0.1:9000/"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[LiveNode]:
    """A node whose data is in the default folder."""
    with LiveNode(Settings(data=tmp_path / "hubbub-data"), **PUBLIC) as node:
        yield node


def test_the_first_start_prints_what_is_shown(served: LiveNode) -> None:
    """The first start names the file of the first keys, and both addresses."""
    shown = FIRST_START.replace("/var/lib/hubbub", str(served.data))

    assert served.output.startswith(shown.replace("http://127.0.0.1:8080", served.address))


def test_an_app_and_a_key_are_made(served: LiveNode) -> None:
    """The commands that make an app and a key work beside the running node."""
    create_app, create_key = NEW_KEYS.splitlines()

    app = json.loads(run(create_app, served.data.parent))
    key = run(create_key, served.data.parent).split()[-1]

    assert (app["id"], len(app["apiKeys"])) == ("my-app", 2)
    tokens = httpx2.get(f"{served.address}/v3/apikeys", headers={"apikey": key}, trust_env=False)
    assert tokens.json()["error"]["code"] == "AUTH_ERR_NO_ACCESS", "it issues auth tokens alone"


def test_settings_are_changed(served: LiveNode) -> None:
    """The call sets the named settings of the app, and no others."""
    keys = (served.data / "first-keys.txt").read_text()
    key = re.search("^fullAccess: (.*)$", keys, re.MULTILINE)
    assert key is not None
    line = SETTINGS.replace("http://127.0.0.1:8080", served.address).replace("curl", "curl -sS")

    settings = json.loads(run(line, served.data.parent, {"KEY": key[1]}))["data"]

    assert {
        each["key"]: each["value"] for each in settings if each["value"] != each["default"]
    } == {
        "limits.userSendsPerMinute": 60,
        "groups.historyForNewMembers": False,
    }


async def test_a_backup_is_made_restored_and_served(tmp_path: Path) -> None:
    """The lines back up a node that serves, and start a restored one that answers the same."""
    for name in ("backups", "safe", "srv"):
        (tmp_path / name).mkdir()
    paths = ("/users", "/messages", "/apikeys")
    with LiveNode(Settings(data=tmp_path / "srv/hubbub"), **PUBLIC) as node:
        world = await node.world()
        await world.users("anna", "ben")
        await say(world, "Hello")
        sent = await send_files(world, File("plan.txt", TEXT))
        run(placed(BACKUP, tmp_path), tmp_path)
        shutil.copy(node.data / "secret.key", tmp_path / "safe")
        before = [await world.get(path) for path in paths]

    again = LiveNode(Settings(data=tmp_path / "srv/new"))
    settings = {"HUBBUB_PORT": str(again.port), **PUBLIC}
    with serving(placed(RESTORE, tmp_path), tmp_path, settings):
        other = World(again, world.app_id, world.key, world.auth_key)
        after = [await other.get(path) for path in paths]
        assert (await fetch(again, sent["data"]["attachments"][0]["url"])).body == TEXT
    assert after == before


async def test_a_place_of_backups_as_shown(tmp_path: Path) -> None:
    """The commands add a backup, list it, keep it, and restore it with its messages."""
    for name in ("backups", "safe", "srv"):
        (tmp_path / name).mkdir()
    with LiveNode(Settings(data=tmp_path / "srv/hubbub")) as node:
        world = await node.world()
        await world.users("anna", "ben")
        await say(world, "Hello")
        shutil.copy(node.data / "secret.key", tmp_path / "safe")
        printed = run(placed(ADD, tmp_path), tmp_path)

    assert "Removed 0 of 1 backups" in printed
    assert ", 1 message," in run(placed(RESTORE_OF_TIME, tmp_path), tmp_path)


def test_the_doctor_prints_lines_as_shown(tmp_path: Path) -> None:
    """The command finds nothing wrong with a new node; its lines have the form of those shown."""
    (tmp_path / "srv").mkdir()
    with LiveNode(Settings(data=tmp_path / "srv/hubbub")) as node:
        printed = run(placed(DOCTOR, tmp_path), tmp_path)

    assert f"data in {node.data}, files in the same folder\n" in printed
    shown = placed(DIAGNOSIS, tmp_path)
    forms = {re.sub("^(?:ok     |warning|wrong  )", "", form) for form in _CHECKED.findall(printed)}
    assert len(_CHECKED.findall(shown)) > 3
    for form in _CHECKED.findall(shown):
        assert form[len("warning") :] in forms, printed
    assert re.search(r"^ok +disk +[\d.]+ GiB of [\d.]+ GiB are free at /", printed, re.MULTILINE)
    assert re.search(r"^ok +store +SQLite, [\d.]+ [KM]iB, no fault found$", printed, re.MULTILINE)

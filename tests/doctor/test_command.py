"""`hubbub doctor` on the command line."""

import contextlib
import time
from dataclasses import asdict
from pathlib import Path

import pytest
from tests.cli.command import hubbub, new_folder, options_of
from tests.clock import ManualClock
from tests.conftest import NewSettings
from tests.files.s3 import S3
from tests.live import LiveNode
from tests.wire import InProcess
from tests.world import Node

from hubbub.bootstrap import open_runtime
from hubbub.doctor.finding import Finding, Severity
from hubbub.http.app import make_app
from hubbub.rest.operations import OPERATIONS


def test_beside_a_node_and_without(new_settings: NewSettings) -> None:
    """A line for each check, exit code 0, while a node serves and after it has stopped."""
    settings = new_settings()
    files = ("--files", str(settings.data / "files"), "--data", str(settings.data))
    options = (*files, "--database", settings.database_url) if settings.database_url else files
    with LiveNode(settings):
        beside = hubbub("doctor", *options)
    without = hubbub("doctor", *options)

    for done in (beside, without):
        assert done.code == 0, done
        assert all(line.startswith("ok ") for line in done.printed.splitlines()), done
        assert len(done.printed.splitlines()) == 13


@pytest.mark.parametrize("is_beside", [True, False])
async def test_times_that_lie_ahead(new_settings: NewSettings, *, is_beside: bool) -> None:
    """They are found, and `--repair` corrects them, in the running node or without one."""
    settings = new_settings()
    ahead = ManualClock(int(time.time()) + 365 * 86_400)
    async with open_runtime(settings, ahead) as runtime:
        node = Node(runtime, ahead, InProcess(make_app(runtime, OPERATIONS)), {})
        world = await node.world()
        await world.users("anna", "ben")
        message = {"receiver": "ben", "receiverType": "user", "data": {"text": "hello"}}
        await world.post(
            "/messages", {**message, "category": "message", "type": "text"}, as_="anna"
        )
    options = ("--files", str(settings.data / "files"), *options_of(settings))
    node_beside = LiveNode(settings) if is_beside else contextlib.nullcontext()
    with node_beside:
        before = hubbub("doctor", *options)
        repaired = hubbub("doctor", "--repair", *options)
        after = hubbub("doctor", "--repair", *options)

    assert before.code == 1
    assert "hubbub doctor --repair" in before.printed
    assert repaired.code == after.code == 0, repaired
    assert f"times that lay ahead in app {world.app_id}, rows: 1 of conversations" in (
        repaired.printed
    )
    assert "times that lay ahead" not in after.printed


def test_what_is_wrong_has_a_remedy(tmp_path: Path) -> None:
    """A fault is printed with what to do, and the exit code is 1; nothing is made."""
    done = hubbub("doctor", "--data", str(tmp_path / "no"))

    assert done.code == 1
    lines = done.printed.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("wrong    store"))
    assert f"There is no Hubbub in {tmp_path / 'no'}." in lines[at]
    assert lines[at + 1].strip() == "Correct --data or --database, or restore a backup."
    assert not list(tmp_path.iterdir())


def test_json(tmp_path: Path) -> None:
    """With --json the findings are one JSON document; a warning alone is no failure."""
    options = (*new_folder(tmp_path / "data"), "--json")
    done = hubbub("doctor", *options, HUBBUB_PROT="80")

    assert done.code == 0, done
    found = [Finding(**each) for each in done.json["findings"]]
    assert [asdict(each) for each in found] == done.json["findings"]
    assert [each.state for each in found].count(Severity.WARNING) == 1


@pytest.mark.parametrize("as_json", [(), ("--json",)])
def test_a_setting_that_cannot_be_read(tmp_path: Path, as_json: tuple[str, ...]) -> None:
    """A malformed setting is a finding like others."""
    done = hubbub("doctor", "--data", str(tmp_path), *as_json, HUBBUB_PORT="eighty")

    assert done.code == 1
    assert "HUBBUB_PORT must be a number, not 'eighty'." in done.printed
    assert done.complained == ""


def test_a_remote_store_of_files(tmp_path: Path) -> None:
    """A bucket that answers is ok; one that does not is a fault, without its secret."""
    folder = new_folder(tmp_path / "data")
    with S3() as s3:
        good = hubbub("doctor", *folder, HUBBUB_FILES_URL=s3.address)
        other = s3.address.replace("s3://hubbub", "s3://nobodys")
        bad = hubbub("doctor", *folder, HUBBUB_FILES_URL=other)
    unknown = hubbub("doctor", *folder, HUBBUB_FILES_URL="ftp://hikers:hush@host/x")

    assert (good.code, bad.code, unknown.code) == (0, 1, 1)
    assert "s3://hubbub/chat answers" in good.printed
    assert "wrong    files          s3://nobodys/chat can't be read" in bad.printed
    assert "HUBBUB_FILES_URL must be a folder, or an address that begins" in unknown.printed
    assert "hush" not in unknown.printed + unknown.complained
    assert "secret" not in good.printed + bad.printed + bad.complained

"""The unit of systemd: checked by systemd's own tools, and run in a container with systemd."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.certificate import make_certificate
from tests.deploy.debian import skip_without
from tests.deploy.machine import Machine, Running, status_of
from tests.deploy.ready import wait_until_ready
from tests.deploy.release import ROOT, Release, run
from tests.documents.blocks import take
from tests.files.uploads import File, picture, send_files
from tests.files.videos import MP4
from tests.live import LiveNode
from tests.wire import LOOPBACK

from hubbub import __version__
from hubbub.config import Settings
from hubbub.http.server.serve import FINISH_SECONDS

UNIT = (ROOT / "deploy/hubbub.service").read_text()
CHANGES = take("docs/operating.md", "### As a service of systemd", "ini")
LISTING = take("docs/operating.md", "### As a service of systemd", "bash")
UPGRADE = take("docs/operating.md", "## Upgrade")
ROLL_BACK = take("docs/operating.md", "## Roll back")
NEXT_VERSION = re.findall(r"ln -sfn hubbub-(\S+) ", UPGRADE)[0]
LARGEST_EXPOSURE = 15
"""In tenths: 1.5 of 10. Most of what is left is that the service uses the network."""


def analyze(*arguments: str | Path) -> str:
    """Return the output of `systemd-analyze`."""
    if shutil.which("systemd-analyze") is None:
        assert os.environ.get("CI") != "true", "CI needs systemd-analyze"
        pytest.skip("systemd-analyze is not installed")
    done = subprocess.run(
        ["systemd-analyze", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """The unit with a program that exists on this machine."""
    path = tmp_path / "hubbub.service"
    path.write_text(UNIT.replace("/opt/hubbub/bin/hubbub", sys.executable))
    return path


def test_systemd_has_no_complaint(unit: Path) -> None:
    """Every key and value of the unit is known; a misspelt one would be ignored in silence."""
    assert analyze("verify", "--man=no", unit) == ""

    unit.write_text(unit.read_text().replace("ProtectSystem=", "ProtectSytem="))
    assert "ProtectSytem" in analyze("verify", "--man=no", unit)


def test_systemd_has_no_complaint_about_the_changes(unit: Path) -> None:
    """The changes by which the service ends TLS itself are known to systemd, too."""
    unit.write_text(unit.read_text() + CHANGES)

    assert analyze("verify", "--man=no", unit) == ""


def test_the_service_is_confined(unit: Path) -> None:
    """The exposure of the service, as systemd rates it, is low."""
    rated = analyze("security", "--offline=true", f"--threshold={LARGEST_EXPOSURE}", unit)

    assert "Overall exposure level" in rated


def test_the_service_has_time_to_end() -> None:
    """It is not killed while it finishes requests, and not restarted after the disk failed."""
    (seconds,) = re.findall(r"^TimeoutStopSec=(\d+)$", UNIT, re.MULTILINE)

    assert int(seconds) > FINISH_SECONDS
    assert f"\nRestartPreventExitStatus={os.EX_IOERR}\n" in UNIT


@pytest.fixture(scope="module")
def served(debian: Path, release: Release, tmp_path_factory: pytest.TempPathFactory) -> LiveNode:
    """A node as the service of a machine runs it; `process` is not ours."""
    skip_without(("systemd-nspawn", "nsenter"))
    files = tmp_path_factory.mktemp("machine") / "files"
    run("cp", "--archive", debian, files)  # devices as devices
    node = LiveNode(Settings(data=files / "var/lib/hubbub"))
    Machine(files).install(release, node.port)
    return node


@pytest.fixture(scope="module")
def next_release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """A release of this checkout under the next version, as the document calls it."""
    source = tmp_path_factory.mktemp("next") / "source"
    skipped = shutil.ignore_patterns(".git", ".venv", "node_modules", "site", "*-data")
    shutil.copytree(ROOT, source, ignore=skipped)
    version = source / "src/hubbub/__init__.py"
    version.write_text(version.read_text().replace(__version__, NEXT_VERSION))
    return Release.build(tmp_path_factory.mktemp("next-dist"), source)


@pytest.fixture
def machine(served: LiveNode) -> Iterator[Running]:
    """The booted machine, with the service."""
    with Machine(served.data.parents[2]).booted() as running:
        wait_until_ready(served)
        yield running


@pytest.mark.campaign
async def test_a_confined_service_serves(served: LiveNode, machine: Running) -> None:
    """With all restrictions in force: messages, pictures, videos; then an orderly end."""
    status = status_of(machine.node())
    assert int(status["CapEff"], 16) == int(status["CapBnd"], 16) == 0
    assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2")
    assert "0" not in status["Uid"].split()

    world = await served.world()
    await world.users("anna", "ben")
    files = [File("a.png", picture(500, 100)), File("b.mp4", MP4)]
    sent = await send_files(world, *files, type="file")
    image, video = sent["data"]["attachments"]
    assert (image["thumbnail"]["width"], video["width"]) == (400, 64)

    listed = machine.run("bash", "-c", LISTING)
    assert "fullAccess" in listed

    machine.run("systemctl", "stop", "hubbub")
    assert machine.property("Result") == "success"
    assert machine.property("ExecMainStatus") == "0"
    assert "node_stopped" in machine.run("journalctl", "--unit", "hubbub", "--no-pager")


@pytest.mark.campaign
async def test_a_killed_service_is_started_again(served: LiveNode, machine: Running) -> None:
    """After a crash systemd starts the service again, with what it had stored."""
    world = await served.world()
    await world.user("anna")

    machine.node().send_signal(signal.SIGKILL)
    while machine.property("NRestarts") != "1":
        pass
    wait_until_ready(served)

    assert await world.uids("/users") == ["anna"]


@pytest.mark.campaign
async def test_an_upgrade_and_its_end(
    served: LiveNode, machine: Running, next_release: Release
) -> None:
    """The lines switch to a new version, and back; what was stored stays."""
    world = await served.world()
    await world.user("anna")
    folder = served.data.parents[2] / "mnt/next"
    shutil.copytree(next_release.folder, folder)

    machine.run("bash", "-euxc", f"cd /mnt/next\n{UPGRADE}")
    wait_until_ready(served)
    assert machine.run("/opt/hubbub/bin/hubbub", "--version") == f"hubbub {NEXT_VERSION}"
    assert await world.uids("/users") == ["anna"]
    await world.user("ben")

    machine.run("bash", "-euxc", ROLL_BACK)
    wait_until_ready(served)
    assert machine.run("/opt/hubbub/bin/hubbub", "--version") == f"hubbub {__version__}"
    assert set(await world.uids("/users")) == {"anna", "ben"}


@pytest.mark.campaign
async def test_a_confined_service_serves_tls(served: LiveNode) -> None:
    """With the changes of the document it serves TLS on a privileged port, and may do no more."""
    port = free_privileged_port()
    files = served.data.parents[2]
    certificates = files / "etc/ssl/chat"
    certificates.mkdir()
    make_certificate(certificates)
    changes = files / "etc/systemd/system/hubbub.service.d/override.conf"
    changes.parent.mkdir()
    changes.write_text(CHANGES.replace("443", str(port)))
    (files / "etc/hubbub/hubbub.env").write_text("")
    node = LiveNode(Settings(data=served.data), "--tls-cert")
    node.port = port

    with Machine(files).booted() as machine:
        wait_until_ready(node)
        world = await node.world()
        await world.user("anna")

        assert await world.uids("/users") == ["anna"]
        only_bind = 1 << 10
        assert int(status_of(machine.node())["CapBnd"], 16) == only_bind


def free_privileged_port() -> int:
    """Find a port below 1024 without a listener, which only root may open."""
    for port in range(600, 1000):
        with socket.socket() as probe, suppress(OSError):
            probe.bind((LOOPBACK, port))
            return port
    raise AssertionError("all are taken")

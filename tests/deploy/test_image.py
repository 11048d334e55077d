"""The image: built from the Dockerfile, it serves as its own user, and answers its health check."""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.deploy.debian import skip_without
from tests.deploy.image import Container, Images, find_python
from tests.deploy.machine import status_of
from tests.live import START_SECONDS, STOP_SECONDS
from tests.postgres import free_port

import hubbub

pytestmark = pytest.mark.campaign


@pytest.fixture(scope="module")
def images(debian: Path) -> Iterator[Images]:
    """An image of this checkout."""
    skip_without(["buildah"])
    with Images.build(debian) as images:
        yield images


def test_how_the_image_is_run(images: Images) -> None:
    """The program is the first process, not a shell; no root; one volume; a signal it obeys."""
    config = images.config()

    assert config["Entrypoint"] == ["hubbub"]
    assert config["Cmd"] == ["serve"]
    assert config["User"] == "10001:10001"
    assert config["Volumes"] == {"/data": {}}
    assert config["StopSignal"] == "SIGTERM"
    assert config["Healthcheck"]["Test"][0] == "CMD"


def test_the_image_holds_no_tools(images: Images) -> None:
    """The image has no pip, no build tools, and no file that its user could change."""
    container = images.container()

    version = container.run("hubbub", "--version")
    packages = container.run("sh", "-c", "ls /opt/hubbub/lib/python3*/site-packages")
    writable = container.run("find", "/opt", "/etc", "/usr", "-writable", "-not", "-type", "l")

    assert version.stdout == f"hubbub {hubbub.__version__}\n"
    assert "msgspec" in packages.stdout.split()
    assert {"pip", "hatchling", "pytest"}.isdisjoint(packages.stdout.split())
    assert writable.stdout == ""


def test_the_image_serves(images: Images) -> None:
    """It serves as its user without capabilities, is healthy, and stops at SIGTERM."""
    container = images.container()
    port = str(free_port())
    assert not is_healthy(container, port)

    process = subprocess.Popen(container.command({"HUBBUB_PORT": port}, "hubbub", "serve"))
    try:
        deadline = time.monotonic() + START_SECONDS
        while not is_healthy(container, port):
            assert time.monotonic() < deadline
        node = find_python(process)
        status = status_of(node)
        assert status["Uid"].split() == ["10001"] * 4
        assert status["Gid"].split() == ["10001"] * 4
        assert int(status["CapEff"], 16) == int(status["CapPrm"], 16) == 0
        node.terminate()
        assert process.wait(STOP_SECONDS) == 0
    finally:
        process.kill()
        process.wait()
    assert not is_healthy(container, port)


def is_healthy(container: Container, port: str) -> bool:
    """Return whether the health check of the image succeeds."""
    check = ("python", "-I", "/opt/hubbub/healthcheck.py")
    return container.run(*check, HUBBUB_PORT=port).returncode == 0

"""A Docker engine for a test: `dockerd` with its own data and its own network.

The network leads outside through `slirp4netns`, so that an image can be built; published ports are
reached only from within it. The rules of this machine's network are not touched.
"""

import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.deploy.debian import trusted_certificates
from tests.documents import shell
from tests.live import START_SECONDS, STOP_SECONDS, environment

PROGRAMS = ("dockerd", "docker", "docker-init", "slirp4netns", "unshare", "nsenter")
BASE = "python:3.11-slim-bookworm"
# Some programs can't run containers where both versions of control groups are mounted.
START = """
grep -q '^cgroup ' /proc/mounts && umount --all --types cgroup2
ip link set lo up
exec dockerd "$@"
"""


@dataclass(frozen=True, slots=True)
class Engine:
    """A running engine, whose files are in a folder."""

    folder: Path
    process: subprocess.Popen[bytes]

    @property
    def environment(self) -> dict[str, str]:
        """Return the settings by which `docker` reaches it."""
        return {"DOCKER_HOST": f"unix://{self.folder}/docker.sock", "DOCKER_BUILDKIT": "0"}

    def run(self, lines: str, folder: Path) -> str:
        """Run lines in a folder, where `docker` means this engine; return what they print."""
        return shell.run(lines, folder, self.environment)

    def inside(self, *command: str) -> str:
        """Run a command in the network of the engine; return what it prints."""
        line = ("nsenter", "--target", str(self.process.pid), "--net", *command)
        return subprocess.run(
            line, stdout=subprocess.PIPE, text=True, check=True, timeout=60
        ).stdout

    def import_base(self, debian: Path) -> None:
        """Import a Debian as the base image; its pip trusts what this machine trusts."""
        system = self.folder / "base"
        shell.run(f"cp --archive {debian} {system}", self.folder)
        shutil.copy(trusted_certificates(), system / "etc/trusted.pem")
        (system / "etc/pip.conf").write_text("[global]\ncert = /etc/trusted.pem\n")
        self.run(f"tar -C {system} -c . | docker import - {BASE}", self.folder)


@contextmanager
def running_engine() -> Iterator[Engine]:
    """Run an engine until the end of the block, with its containers."""
    # Not in pytest's folders: the path of a socket must be short.
    folder = Path(tempfile.mkdtemp(prefix="hubbub-docker-"))
    options = [
        f"--host=unix://{folder}/docker.sock",
        f"--data-root={folder}/data",
        f"--exec-root={folder}/exec",
        f"--pidfile={folder}/pid",
    ]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            ["unshare", "--mount", "--net", "bash", "-c", START, "dockerd", *options],
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    engine = Engine(folder, process)
    try:
        wait_until(lambda: "version" in engine.run("docker version", folder), folder / "log")
        with connected(engine):
            yield engine
    finally:
        process.terminate()  # which ends its containers
        process.wait(STOP_SECONDS)
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def connected(engine: Engine) -> Iterator[None]:
    """Connect the network of an engine with that of this machine, outwards only."""
    options = ("--configure", "--mtu=1400", "--disable-host-loopback")
    with (engine.folder / "slirp").open("wb") as log:
        process = subprocess.Popen(
            ["slirp4netns", *options, str(engine.process.pid), "tap0"], stdout=log, stderr=log
        )
    try:
        wait_until(lambda: "default" in engine.inside("ip", "route"), engine.folder / "slirp")
        yield
    finally:
        process.terminate()
        process.wait(STOP_SECONDS)


def wait_until(is_so: Callable[[], bool], log: Path) -> None:
    """Wait until a check, which may fail before, is true."""
    deadline = time.monotonic() + START_SECONDS
    while True:
        with suppress(AssertionError):
            if is_so():
                return
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.1)

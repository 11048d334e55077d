"""A machine with systemd and the service, booted in a container by `systemd-nspawn`."""

import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
from tests.deploy.debian import trusted_certificates
from tests.deploy.release import Release, run
from tests.documents.blocks import take
from tests.live import STOP_SECONDS

BOOT_SECONDS = 60.0
INSIDE = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "SYSTEMD_OFFLINE": "1"}
INSTALLATION = take("docs/operating.md", "### As a service of systemd", "sh")


@dataclass(frozen=True, slots=True)
class Machine:
    """The files of a machine; they are those of a Debian until `install`."""

    files: Path

    def install(self, release: Release, port: int) -> None:
        """Install a release by the lines of docs/operating.md."""
        shutil.copytree(release.folder, self.files / "mnt/release")
        shutil.copy(trusted_certificates(), self.files / "mnt/trusted.pem")
        shutil.copy("/etc/resolv.conf", self.files / "etc/resolv.conf")
        (self.files / "etc/pip.conf").write_text("[global]\ncert = /mnt/trusted.pem\n")
        self.run("bash", "-euxc", f"cd /mnt/release\n{INSTALLATION}")
        (self.files / "etc/hubbub/hubbub.env").write_text(f"HUBBUB_PORT={port}\n")

    def run(self, *command: str) -> None:
        """Run a command on its files, before it is booted."""
        clean = [f"{name}={text}" for name, text in INSIDE.items()]
        run("env", "--ignore-environment", *clean, "chroot", self.files, *command)

    @contextmanager
    def booted(self) -> "Iterator[Running]":
        """Boot the machine; shut it down at the end of the block."""
        command = ("systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--boot")
        container = subprocess.Popen(
            [*command, "-D", self.files],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield Running(wait_for_init(container.pid))
        finally:
            container.terminate()  # which shuts it down
            container.wait(STOP_SECONDS)


@dataclass(frozen=True, slots=True)
class Running:
    """A booted machine; its network is that of the tests."""

    init: int

    def run(self, *command: str) -> str:
        """Run a command in it; return its output."""
        clean = ("env", "--ignore-environment", f"PATH={INSIDE['PATH']}")
        return run("nsenter", "--target", str(self.init), "--all", *clean, *command).strip()

    def property(self, name: str) -> str:
        """Return a property of the service."""
        return self.run("systemctl", "show", "hubbub", "--property", name, "--value")

    def node(self) -> psutil.Process:
        """Return the process of the service, as it is seen from outside."""
        inside = self.property("MainPID")
        for process in psutil.Process(self.init).children(recursive=True):
            if self.number_inside(process) == inside:
                return process
        raise AssertionError(self.run("systemctl", "status", "hubbub"))

    def number_inside(self, process: psutil.Process) -> str:
        """Return the id of a process as its container knows it."""
        return status_of(process)["NSpid"].split()[-1]


def status_of(process: psutil.Process) -> dict[str, str]:
    """Return what the kernel says of a process."""
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return dict(line.split(":\t", 1) for line in lines)


def wait_for_init(container: int) -> int:
    """Wait until the first process of a container runs the others; return its id."""
    deadline = time.monotonic() + BOOT_SECONDS
    while time.monotonic() < deadline:
        for init in psutil.Process(container).children():
            if init.name() == "systemd" and init.children():
                return int(init.pid)
        time.sleep(0.05)
    raise AssertionError("it did not boot")

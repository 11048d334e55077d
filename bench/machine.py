"""The machine: its cores, its hardware and software, and the time of an `fsync`."""

import os
import platform
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import apsw
import psutil

FSYNCS = 500
FSYNC_BYTES = 4_096


@dataclass(frozen=True, slots=True)
class Cores:
    """The core of the server, and the one of everything else."""

    server: int
    load: int

    @contextmanager
    def of_server(self) -> Iterator[None]:
        """Run processes started within this block on the server's core."""
        os.sched_setaffinity(0, {self.server})
        try:
            yield
        finally:
            os.sched_setaffinity(0, {self.load})

    @contextmanager
    def of_both(self) -> Iterator[None]:
        """Run on both cores within this block, then on the load generator's again."""
        os.sched_setaffinity(0, {self.server, self.load})
        try:
            yield
        finally:
            os.sched_setaffinity(0, {self.load})

    @contextmanager
    def of_load(self) -> Iterator[None]:
        """Run processes started within this block on the load generator's core, like us."""
        os.sched_setaffinity(0, {self.load})
        yield


def choose_cores() -> Cores:
    """Choose the first two cores that we may use; move this process to the second."""
    first, *others = sorted(os.sched_getaffinity(0))
    cores = Cores(first, others[0] if others else first)
    os.sched_setaffinity(0, {cores.load})
    return cores


def describe(folder: Path, postgres: str | None) -> list[tuple[str, str]]:
    """Return what a reader needs to compare figures."""
    memory = psutil.virtual_memory().total / 2**30
    return [
        ("CPU", f"{_cpu()}, {os.cpu_count()} cores, {memory:.0f} GiB of memory"),
        ("System", f"{platform.system()} {platform.release()}, {_file_system(folder)}"),
        ("Python", f"{platform.python_implementation()} {platform.python_version()}"),
        ("SQLite", f"{apsw.sqlite_lib_version()}, WAL, synchronous=FULL"),
        ("PostgreSQL", postgres or "not measured"),
        ("Load", " ".join(f"{load:.2f}" for load in os.getloadavg()) + " before the first run"),
    ]


def _cpu() -> str:
    found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found[1] if found else platform.processor() or sys.platform


def _file_system(folder: Path) -> str:
    """Return the kind of file system of `folder`."""
    mounts = [
        (mount.mountpoint, mount.fstype)
        for mount in psutil.disk_partitions(all=True)
        if folder.resolve().is_relative_to(mount.mountpoint)
    ]
    return max(mounts, key=lambda mount: len(mount[0]))[1] if mounts else "unknown file system"


def measure_fsync(folder: Path) -> list[float]:
    """Return the seconds that appending 4 KiB and `fsync` take, ascending: a floor of writes."""
    path = folder / "fsync"
    took = []
    with path.open("ab", buffering=0) as file:
        for _ in range(FSYNCS):
            file.write(bytes(FSYNC_BYTES))
            started = time.perf_counter()
            os.fsync(file.fileno())
            took.append(time.perf_counter() - started)
    path.unlink()
    return sorted(took)

"""What nodes and PostgreSQL use while they are measured: CPU by part, and bytes of their logs."""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import asyncpg
import psutil
import uvloop
from tests.live import LiveNode
from tests.postgres import PostgresServer

from bench import profile

LOOP, WRITER, SEARCH, OTHERS, POSTGRES = PARTS = (
    "event loop",
    "writer",
    "search index",
    "other threads",
    "PostgreSQL",
)
PART_OF_THREAD = {"MainThread": LOOP, "hubbub-writer": WRITER, "hubbub-slow_": SEARCH}
"""The part that a thread belongs to, by the beginning of its name."""
_WRITTEN = re.compile(r"^wchar: (\d+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Reading:
    """The counters at a moment; those of threads by their number."""

    cpu: Counter[int]
    written: Counter[int]
    cpu_of_postgres: float
    log_of_postgres: int


@dataclass(frozen=True, slots=True)
class Usage:
    """What was used: CPU seconds by part, and bytes of log."""

    cpu: Mapping[str, float]
    log_bytes: int


class Meter:
    """Counts what is used within its block.

    The log is PostgreSQL's, or SQLite's write-ahead log: all that the writer's thread writes.
    """

    def __init__(self, nodes: Sequence[LiveNode], postgres: PostgresServer | None) -> None:
        self._pids = [node.process.pid for node in nodes if node.process is not None]
        self._postgres = postgres
        self._before = self._after = self._read()

    def __enter__(self) -> None:
        self._before = self._read()

    def __exit__(self, *_: object) -> None:
        self._after = self._read()

    def usage(self) -> Usage:
        """Return what was used; the nodes must still be running."""
        before, after = self._before, self._after
        cpu: dict[str, float] = dict.fromkeys(PARTS, 0.0)
        cpu[POSTGRES] = after.cpu_of_postgres - before.cpu_of_postgres
        log_bytes = after.log_of_postgres - before.log_of_postgres
        names = _thread_names(self._pids)
        for thread, seconds in after.cpu.items():
            part = _part(names.get(thread, ""))
            cpu[part] += seconds - before.cpu[thread]
            if part == WRITER:
                log_bytes += after.written[thread] - before.written[thread]
        return Usage(cpu, log_bytes)

    def _read(self) -> Reading:
        cpu: Counter[int] = Counter()
        written: Counter[int] = Counter()
        for pid in self._pids:
            cpu.update(profile.cpu_seconds(pid))
            written.update(_written(pid))
        if self._postgres is None:
            return Reading(cpu, written, 0.0, 0)
        spent, logged = _cpu_of_postgres(self._postgres), _log_of_postgres(self._postgres)
        return Reading(cpu, written, spent, logged)


def _written(pid: int) -> dict[int, int]:
    """Return the bytes that each thread of a process has written so far."""
    found = {}
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):  # it may just have ended
            counted = _WRITTEN.search((thread / "io").read_text())
            found[int(thread.name)] = int(counted[1]) if counted else 0
    return found


def _thread_names(pids: Sequence[int]) -> dict[int, str]:
    """Return the names of threads by number; of the first ones alone without py-spy."""
    names = dict.fromkeys(pids, "MainThread")
    for pid in pids:
        spy = Path(sys.executable).with_name("py-spy")
        command = [str(spy), "dump", "--json", "--pid", str(pid)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            found = json.loads(done.stdout)
            names |= {each["os_thread_id"]: each["thread_name"] for each in found}
    return names


def _part(thread: str) -> str:
    fits = (part for beginning, part in PART_OF_THREAD.items() if thread.startswith(beginning))
    return next(fits, OTHERS)


def _cpu_of_postgres(server: PostgresServer) -> float:
    """Return the CPU seconds of all its processes so far."""
    first = server.find_process()
    total = 0.0
    for process in (first, *first.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            total += times.user + times.system
    return total


def _log_of_postgres(server: PostgresServer) -> int:
    """Return the position at which its write-ahead log ends."""

    async def ask() -> int:
        connection = await asyncpg.connect(server.url("postgres"))
        try:
            position = "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint"
            return int(await connection.fetchval(position))
        finally:
            await connection.close()

    return uvloop.run(ask())

"""Profile the server while many connections send: py-spy's stacks, added up.

There are two recordings, as py-spy stops the process while it samples. One has Python's functions
and slows the server little. The other includes C - the disk, the sockets, the interpreter's lock -
and slows it so much that only its shares are meaningful.
"""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
from rich import box
from rich.console import Console
from rich.table import Table

PYTHON_HERTZ, NATIVE_HERTZ = 100, 50
START_SECONDS, END_SECONDS = 1.0, 30.0
LOOP, WRITER = "MainThread", "hubbub-writer"
THREADS = {LOOP: "event loop", WRITER: "writer"}
MOST_ROWS = 22

_SAMPLE = re.compile(r"thread \((?P<id>\d+)\): (?P<thread>[^;]*)(?P<frames>.*) (?P<count>\d+)")
_PYTHON = re.compile(r"(?P<function>.+) \((?P<file>.+?\.py|<.+?>)(?::\d+)?\)")

# By the beginning of the file's path; the first match counts.
AREAS = (
    ("hubbub/http/server", "hubbub.http.server"),
    ("hubbub/http/app", "hubbub.http.app"),
    ("hubbub/http", "hubbub.http, other modules"),
    ("hubbub/rest", "hubbub.rest"),
    ("hubbub/domain/messages", "hubbub.domain.messages"),
    ("hubbub/domain", "hubbub.domain, other areas"),
    ("hubbub/records", "hubbub.records"),
    ("hubbub/outbox", "hubbub.outbox"),
    ("hubbub/storage", "hubbub.storage"),
    ("hubbub", "hubbub, other"),
    ("uvicorn", "uvicorn, httptools"),
    ("asyncpg", "asyncpg"),
    ("asyncio", "asyncio"),
)
# Functions whose own time is not their own work.
WAITS = {
    ("Runner.run", "asyncio/runners.py"): "waiting and sockets (uvloop)",
    ("JobQueue._wait", "hubbub/storage/sqlite/jobs.py"): "waiting for work",
    ("Writer._commit", "hubbub/storage/sqlite/writer.py"): "commit (SQLite, fdatasync)",
}
# Kinds of work, by a name in the stack; the first one that matches counts. The others are deeper in
# C, where only the innermost frames are significant.
WHOLE_STACK_KINDS = (
    ("gc_collect_main", "garbage collection"),
    ("fdatasync", "fdatasync"),
    ("_queue_SimpleQueue_get_impl", "waiting for work"),
)
INNERMOST = 6
KINDS = (
    ("epoll_pwait", "waiting for requests"),
    ("epoll_wait", "waiting for requests"),
    ("pthread_cond_timedwait", "waiting for the interpreter's lock"),
    ("UVStream__exec_write", "sockets"),
    ("UVStream__try_write", "sockets"),
    ("uv__read", "sockets"),
    ("sqlite3_step", "SQLite"),
    ("sqlite3VdbeExec", "SQLite"),
)
LIBRARIES = (
    ("msgspec/", "msgspec"),
    ("httptools/", "httptools"),
    ("asyncpg/", "asyncpg"),
    ("__init__.cpython", "SQLite"),
    ("loop.c", "uvloop"),
    ("uv__", "uvloop"),
    ("libpython", "interpreter"),
)


class NotPermitted(Exception):
    """py-spy may not trace the server; the message has its output."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A stack and its number of samples; the frames from the outermost to the innermost."""

    thread_id: int
    thread: str
    frames: tuple[str, ...]
    count: int


@contextmanager
def recording(pid: int, output: Path, seconds: float, *, native: bool = False) -> Iterator[None]:
    """Record a process with py-spy for a time.

    Raises:
        NotPermitted: it may not; tracing processes is for root, or their parents.
    """
    hertz = NATIVE_HERTZ if native else PYTHON_HERTZ
    command = [
        *(str(Path(sys.executable).with_name("py-spy")), "record", "--format", "raw"),
        *("--threads", "--idle", "--rate", str(hertz), "--duration", str(round(seconds))),
        *("--pid", str(pid), "--output", str(output), *(["--native"] if native else [])),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as spy:
        try:
            _refuse_if_ended(spy)
            yield
            spy.wait(seconds + END_SECONDS)
        finally:
            spy.kill()


def _refuse_if_ended(spy: "subprocess.Popen[bytes]") -> None:
    try:
        spy.wait(START_SECONDS)
    except subprocess.TimeoutExpired:
        return
    assert spy.stdout is not None
    raise NotPermitted(spy.stdout.read().decode().strip())


def read_samples(path: Path) -> list[Sample]:
    """Return the samples of a file that py-spy wrote."""
    return [
        Sample(
            int(match["id"]),
            match["thread"],
            tuple(match["frames"].strip(";").split(";")),
            int(match["count"]),
        )
        for match in map(_SAMPLE.fullmatch, path.read_text().splitlines())
        if match is not None
    ]


def cpu_seconds(pid: int) -> Counter[int]:
    """Return the CPU time of each thread of a process, by its number."""
    threads = psutil.Process(pid).threads()
    return Counter({thread.id: thread.user_time + thread.system_time for thread in threads})


def add_up_areas(samples: Iterable[Sample]) -> tuple[Counter[str], Counter[str]]:
    """Return each area's samples: its own, and including what it called."""
    own: Counter[str] = Counter()
    inclusive: Counter[str] = Counter()
    for sample in samples:
        own[_area(sample.frames[-1])] += sample.count
        for area in {_area(frame) for frame in sample.frames}:
            inclusive[area] += sample.count
    return own, inclusive


def add_up_functions(samples: Iterable[Sample]) -> tuple[Counter[str], Counter[str]]:
    """Return each function's samples: its own, and including what it called."""
    own: Counter[str] = Counter()
    inclusive: Counter[str] = Counter()
    for sample in samples:
        own[_function(sample.frames[-1])] += sample.count
        for function in {_function(frame) for frame in sample.frames}:
            inclusive[function] += sample.count
    return own, inclusive


def add_up_kinds(samples: Iterable[Sample]) -> Counter[str]:
    """Return the samples of each kind of work, including C's."""
    kinds: Counter[str] = Counter()
    for sample in samples:
        kinds[_kind(sample.frames)] += sample.count
    return kinds


def _area(frame: str) -> str:
    match = _PYTHON.fullmatch(frame)
    if match is None:
        return "other"
    wait = WAITS.get((match["function"], match["file"]))
    if wait is not None:
        return wait
    for beginning, area in AREAS:
        if match["file"].startswith(beginning):
            return area
    return "made by dataclass" if match["file"] == "<string>" else "other"


def _function(frame: str) -> str:
    match = _PYTHON.fullmatch(frame)
    return f"{match['function']} ({match['file']})" if match else frame


def _kind(frames: Sequence[str]) -> str:
    names = [frame.partition(" ")[0] for frame in frames]
    for mark, kind in WHOLE_STACK_KINDS:
        if mark in names:
            return kind
    for mark, kind in KINDS:
        if mark in names[-INNERMOST:]:
            return kind
    return _library(frames)


def _library(frames: Sequence[str]) -> str:
    """Return the C library, or Python, by the innermost known file."""
    if all(frame.startswith("0x") and "libc" in frame for frame in frames[-2:]):
        return "blocked on a mutex"
    for frame in reversed(frames):
        if _PYTHON.fullmatch(frame):
            return "Python"
        for library, label in LIBRARIES:
            if library in frame:
                return label
    return "other C"


def show_cpu(console: Console, spent: Counter[int], samples: Iterable[Sample]) -> None:
    """Show each thread's load without py-spy; `spent` are shares of a core by thread number."""
    names = {sample.thread_id: sample.thread for sample in samples}
    shares: Counter[str] = Counter()
    for thread_id, share in spent.items():
        shares[THREADS.get(names.get(thread_id, ""), "other threads")] += share
    busy = ", ".join(f"{name} {share:.0%}" for name, share in shares.most_common())
    console.print(f"Share of the core by thread, without py-spy: {busy}")


def show_python(console: Console, samples: list[Sample]) -> None:
    """Show tables of areas and of functions for each thread."""
    for thread, label in THREADS.items():
        seen = [sample for sample in samples if sample.thread == thread]
        if seen:
            console.print(_table(f"{label}: areas", *add_up_areas(seen)))
            console.print(_table(f"{label}: functions", *add_up_functions(seen)))


def show_kinds(console: Console, samples: list[Sample]) -> None:
    """Show a table of work and waiting, including C's work."""
    for thread, label in THREADS.items():
        kinds = add_up_kinds(sample for sample in samples if sample.thread == thread)
        if kinds:
            console.print(_table(f"{label}: with C", kinds, kinds))


def _table(title: str, own: Counter[str], inclusive: Counter[str]) -> Table:
    total = own.total()
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("")
    table.add_column("self", justify="right")
    if own is not inclusive:
        table.add_column("with callees", justify="right")
    for name, count in own.most_common(MOST_ROWS):
        shares = [count] if own is inclusive else [count, inclusive[name]]
        table.add_row(name, *(f"{share / total:.1%}" for share in shares))
    return table

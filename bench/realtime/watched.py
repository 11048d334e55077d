"""Run `hubbub`, and note what stops its event loop, and what its writer is busy with for long.

Run as `python -m bench.realtime.watched serve …`; when the node has stopped, the last line of its
output has the longest stops, as JSON.
"""

import asyncio
import gc
import socket
import sys
import threading
import time
from collections.abc import Callable
from functools import wraps
from types import FrameType
from typing import Any

import msgspec

from hubbub.cli import main
from hubbub.http.server.serve import Server
from hubbub.storage.postgres.database import PostgresDatabase
from hubbub.storage.sqlite.checkpointer import Checkpointer
from hubbub.storage.sqlite.jobs import Job
from hubbub.storage.sqlite.writer import Writer

TICK_SECONDS = 0.001
LOOP, WRITER, LOG, TRANSACTION, GARBAGE = (
    "event loop",
    "writer",
    "checkpoint",
    "transaction",
    "garbage collection",
)
BOUNDS = {LOOP: 0.005, WRITER: 0.010, LOG: 0.010, TRANSACTION: 0.020, GARBAGE: 0.001}
"""The seconds from which on a stop is noted."""
KEPT = 12
WAITED = "another thread, or the machine"
MARK = "stops: "


class Stop(msgspec.Struct, frozen=True):
    """How long something was stopped, and how much of that its thread used the processor."""

    where: str
    cause: str
    seconds: float
    cpu_seconds: float


class Watch:
    """The longest stops of a node."""

    def __init__(self) -> None:
        self.stops: list[Stop] = []
        self._ticked_at = 0.0
        self._main = threading.main_thread().ident
        self._seen = ""
        self._collecting_since = 0.0, 0.0

    def note(self, where: str, cause: str, seconds: float, cpu_seconds: float) -> None:
        """Note a stop, if it was long."""
        if seconds >= BOUNDS[where]:
            self.stops.append(Stop(where, cause, seconds, cpu_seconds))

    def longest(self) -> list[Stop]:
        """Return the longest stops of each kind, by what they used of the processor, if known.

        The others are those of the machine: whoever runs when it stops seems to be the cause.
        """
        descending = sorted(self.stops, key=lambda stop: (-stop.cpu_seconds, -stop.seconds))
        of_kinds = ([each for each in descending if each.where == where] for where in BOUNDS)
        return [stop for stops in of_kinds for stop in stops[:KEPT]]

    async def tick(self) -> None:
        """Note how late the event loop comes back to us, for ever."""
        threading.Thread(target=self._look, daemon=True).start()
        while True:
            self._seen, before = "", time.thread_time()
            self._ticked_at = began = time.perf_counter()
            await asyncio.sleep(TICK_SECONDS)
            seconds, used = time.perf_counter() - began, time.thread_time() - before
            self.note(LOOP, self._seen or WAITED, seconds - TICK_SECONDS, used)

    def _look(self) -> None:
        """Look what the event loop does while it is late."""
        while True:
            time.sleep(TICK_SECONDS)
            if time.perf_counter() - self._ticked_at > BOUNDS[LOOP] / 2:
                assert self._main is not None
                self._seen = _place(sys._current_frames().get(self._main)) or self._seen

    def collect(self, phase: str, facts: dict[str, int]) -> None:
        """Note a garbage collection, as its begin and end are told."""
        if phase == "start":
            self._collecting_since = time.perf_counter(), time.thread_time()
        else:
            began, used = self._collecting_since
            seconds, used = time.perf_counter() - began, time.thread_time() - used
            self.note(GARBAGE, f"generation {facts['generation']}", seconds, used)


def _place(frame: FrameType | None) -> str:
    """Return the innermost of our functions."""
    while frame is not None and "/hubbub/" not in frame.f_code.co_filename:
        frame = frame.f_back
    return frame.f_code.co_qualname if frame is not None else ""


def _name(work: Any) -> str:
    return str(getattr(getattr(work, "func", work), "__qualname__", work))


def _replace(kind: type, name: str, method: Callable[..., Any]) -> None:
    """Put a watched method in the place of a method."""
    setattr(kind, name, method)


def _watch_writer(watch: Watch) -> None:
    run_job, run_batch, checkpoint = Writer._run_job, Writer._run_batch, Checkpointer.checkpoint
    longest = (0.0, "")

    def timed_job(writer: Writer, job: Job) -> None:
        nonlocal longest
        began = time.perf_counter()
        run_job(writer, job)
        longest = max(longest, (time.perf_counter() - began, _name(job.work)))

    def timed_batch(writer: Writer, first: Job) -> None:
        nonlocal longest
        longest, began, used = (0.0, ""), time.perf_counter(), time.thread_time()
        run_batch(writer, first)
        seconds, used = time.perf_counter() - began, time.thread_time() - used
        cause = longest[1] if longest[0] >= seconds / 2 else f"commit, or many, with {longest[1]}"
        watch.note(WRITER, cause, seconds, used)

    def timed_checkpoint(checkpointer: Checkpointer) -> None:
        began, used = time.perf_counter(), time.thread_time()
        checkpoint(checkpointer)
        seconds, used = time.perf_counter() - began, time.thread_time() - used
        watch.note(LOG, "moving pages", seconds, used)

    _replace(Writer, "_run_job", timed_job)
    _replace(Writer, "_run_batch", timed_batch)
    _replace(Checkpointer, "checkpoint", timed_checkpoint)


def _watch_transactions(watch: Watch) -> None:
    write = PostgresDatabase.write

    async def timed(database: PostgresDatabase, app_id: str, work: Any, **how: Any) -> Any:
        began = time.perf_counter()
        try:
            return await write(database, app_id, work, **how)
        finally:
            watch.note(TRANSACTION, _name(work), time.perf_counter() - began, 0.0)

    _replace(PostgresDatabase, "write", timed)


def _watch_loop(watch: Watch) -> None:
    """Watch the event loop from the moment that clients are served."""
    serve = Server.serve

    @wraps(serve)
    async def watched(server: Server, listeners: list[socket.socket]) -> None:
        watch.stops.clear()
        ticking = asyncio.create_task(watch.tick())
        try:
            await serve(server, listeners)
        finally:
            ticking.cancel()

    _replace(Server, "serve", watched)


def _run() -> None:
    watch = Watch()
    gc.callbacks.append(watch.collect)
    _watch_loop(watch)
    _watch_writer(watch)
    _watch_transactions(watch)
    try:
        main()
    finally:
        print(MARK + msgspec.json.encode(watch.longest()).decode(), flush=True)


if __name__ == "__main__":
    _run()

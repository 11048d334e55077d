"""What waits for the writer of SQLite: the jobs of all apps, which take turns."""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any

from hubbub.kernel.turns import Turn, Turns
from hubbub.storage.interface import Announced
from hubbub.storage.sqlite.connection import SqliteTransaction

FOREVER = -1
"""The timeout of a lock that is waited for until it is released."""

WriterTask = Callable[[SqliteTransaction], Coroutine[Any, Any, Any]]


@dataclass(slots=True, eq=False)
class Job:
    """One operation, and the future that its caller awaits."""

    app_id: str
    work: WriterTask
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    is_derived: bool = False
    is_cancelled: bool = False
    result: Any = None
    error: BaseException | None = field(default=None)
    announced: Announced | None = None

    def answer(self) -> None:
        """Set the future; to be called on the event loop of the caller."""
        if self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class JobQueue:
    """What waits for the writer; apps take turns by the time that their changes take."""

    def __init__(self, most_waiting: int) -> None:
        self.turns: Turns[Job] = Turns(most_waiting=most_waiting)
        self._lock = threading.Lock()
        self._wake = threading.Lock()
        """Released to wake the writer. A `SimpleQueue` may wait for ever for a timeout that ends
        before its wait begins (CPython 3.11), and a `Condition` costs a lock for each wait."""
        self._wake.acquire()
        self._is_idle = self._has_ended = False
        """Whether the writer waits to be woken, and whether no jobs follow."""
        self._rest_ends: list[tuple[float, str]] = []
        """When which app has rested, the next one first."""
        self._turn: Turn[Job] | None = None
        self._began = 0.0

    def put(self, job: "Job") -> None:
        """Append a job.

        Raises:
            QueueFull: too many of its app are waiting.
        """
        with self._lock:
            self.turns.add(job.app_id, job)
            self._wake_up()

    def end(self) -> None:
        """Note that no jobs follow."""
        with self._lock:
            self._has_ended = True
            self._wake_up()

    def _wake_up(self) -> None:
        if self._is_idle:
            self._is_idle = False
            self._wake.release()

    def get(self) -> Job | None:
        """Wait for a job that may begin, and return it; None after the last one."""
        while (job := self.get_nowait()) is None:
            with self._lock:
                if self._has_ended and not self.turns.waiting:
                    return None
                self._end_rests()
                is_idle = self._is_idle = self.turns.next_app is None
            if is_idle:
                self._wait()
        return job

    def _wait(self) -> None:
        """Wait to be woken, or until an app has rested."""
        if self._wake.acquire(timeout=self._seconds_to_rest()):
            return
        with self._lock:
            if not self._is_idle:  # woken since
                self._wake.acquire()
            self._is_idle = False

    def get_nowait(self, is_wanted: Callable[[Job], bool] | None = None) -> Job | None:
        """Return the next job; None if none may begin, or it is not wanted."""
        self.note_done()  # of one that could not even begin
        with self._lock:
            self._end_rests()
            job = self.turns.next_item
            if job is None or (is_wanted is not None and not is_wanted(job)):
                return None
            self._turn = self.turns.take()
        self._began = time.perf_counter()
        return job

    def note_done(self) -> float:
        """Charge the app of the job that was taken last with the time since, and return it."""
        if self._turn is None:
            return 0.0
        seconds = time.perf_counter() - self._began
        with self._lock:
            self.turns.end_turn(self._turn, seconds)
        self._turn = None
        return seconds

    def others_wait(self, app_id: str) -> bool:
        """Return whether a job of another app may begin when the present one of an app ends."""
        with self._lock:
            self._end_rests()
            return self.turns.next_app not in {None, app_id}

    def rest(self, app_id: str, seconds: float) -> None:
        """Begin no job of an app for some time."""
        with self._lock:
            self.turns.rest(app_id)
            heappush(self._rest_ends, (time.perf_counter() + seconds, app_id))

    def _seconds_to_rest(self) -> float:
        """Return how long it is until an app has rested; `FOREVER` if none rests."""
        ends = self._rest_ends
        return max(0.0, ends[0][0] - time.perf_counter()) if ends else FOREVER

    def _end_rests(self) -> None:
        """Resume the apps that have rested; all of them if no jobs follow."""
        ends = self._rest_ends
        while ends and (self._has_ended or ends[0][0] <= time.perf_counter()):
            self.turns.end_rest(heappop(ends)[1])

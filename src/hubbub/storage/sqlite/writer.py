"""The writer thread: runs all waiting operations in one transaction and answers after the commit.

Each operation has a savepoint, so an operation that raises rolls back only its own changes. Results
*and errors* are answered after the commit, since an error may be about rows not committed yet.
"""

import asyncio
import os
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Coroutine, Mapping
from dataclasses import dataclass, field
from functools import partial
from heapq import heappop, heappush
from typing import Any

import apsw
import structlog

from hubbub.kernel.errors import Unavailable
from hubbub.kernel.rests import Rests
from hubbub.kernel.scheduling import ask_for_short_slices
from hubbub.kernel.turns import Turn, Turns
from hubbub.storage.interface import INSTALLATION, Announced, Finish, OnCommit, ignore_commit
from hubbub.storage.measures import EngineMeasures
from hubbub.storage.record_cache import RecordCaches
from hubbub.storage.sqlite.connection import (
    BUSY_TIMEOUT_MS,
    UNREADABLE,
    SqliteTransaction,
    drive,
    fault_of,
)

log = structlog.get_logger()

LARGEST_BATCH = 256
LONGEST_BATCH_SECONDS = 0.005
LONGEST_OF_APP_SECONDS = 0.002
"""So long the changes of an app may take in a batch while others write, too, who wait for it."""
LONG_SECONDS = 0.0005
"""An app of which a change took so long recently does not join the batch of another one."""
RECENT_SECONDS = 1.0
"""So long after another app's change, more of others are expected."""
RESTART_WAITS_MS = 10
FOREVER = -1
"""The timeout of a lock that is waited for until it is released."""
NORMAL = 1
"""The level of `PRAGMA synchronous` at which a commit does not wait for the disk."""
FSYNC_FAILED = {apsw.SQLITE_IOERR_FSYNC, apsw.SQLITE_IOERR_DIR_FSYNC}

STORE_ERRORS = (*UNREADABLE, apsw.ReadOnlyError)

WriterTask = Callable[[SqliteTransaction], Coroutine[Any, Any, Any]]


class _Queue:
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

    def get(self) -> "Job | None":
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

    def get_nowait(self, is_wanted: "Callable[[Job], bool] | None" = None) -> "Job | None":
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


def die_of_fsync() -> None:
    """End the process: the state of the disk is unknown until a restart recovers it."""
    os._exit(os.EX_IOERR)


class Writer(threading.Thread):
    """The only thread that uses the write connection."""

    def __init__(
        self,
        connection: apsw.Connection,
        finish: Finish,
        *,
        die: Callable[[], None] = die_of_fsync,
        most_waiting: int,
        measures: EngineMeasures | None = None,
        on_commit: OnCommit = ignore_commit,
        rests: Rests | None = None,
    ) -> None:
        super().__init__(name="hubbub-writer", daemon=True)
        self._connection = connection
        self._finish = finish
        self._die = die
        self._measures = measures or EngineMeasures()
        self._on_commit = on_commit
        self._rests = rests or Rests()
        self._caches = RecordCaches()
        self._jobs = _Queue(most_waiting)
        self._is_log_long = False
        self._synchronous: int = connection.execute("PRAGMA synchronous").get
        """The level of the connection: FULL, unless a test has no use for a disk."""
        self._is_synchronous = True
        """Whether commits wait for the disk."""
        self._last_app = INSTALLATION
        self._is_shared_until = 0.0
        self._slow: dict[str, float] = {}
        """Until when apps count as slow: they have had a change that took long."""

    def submit(self, job: Job) -> None:
        """Append `job` to the queue of its app.

        Raises:
            QueueFull: too many changes of the app are waiting.
        """
        self._jobs.put(job)

    @property
    def waiting(self) -> int:
        """Return the number of jobs that have not begun."""
        return self._jobs.turns.waiting

    def restart_log(self) -> None:
        """Have the write-ahead log started anew after a transaction, the next one if none runs."""
        self._is_log_long = True

    def stop(self) -> None:
        """Stop after all jobs that were submitted before; blocks until then."""
        self._jobs.end()
        self.join()

    def run(self) -> None:
        ask_for_short_slices()
        while (job := self._jobs.get()) is not None:
            self._run_batch(job)
            if self._is_log_long:
                self._restart_log()
        self._connection.close()

    def _run_batch(self, first: Job) -> None:
        """Run and commit a batch that begins with `first`."""
        done: list[Job] = []
        used: dict[str, float] = defaultdict(float)
        long: set[str] = set()
        may_join = partial(self._may_join, used)
        job: Job | None = first
        began = time.perf_counter()
        closes_at = began + LONGEST_BATCH_SECONDS
        try:
            self._wait_for_disk(not first.is_derived)
            self._connection.execute("BEGIN IMMEDIATE")
            while job is not None:
                if not job.is_cancelled:
                    done.append(job)
                    self._run_job(job)
                seconds = self._jobs.note_done()
                used[job.app_id] += seconds
                if seconds >= LONG_SECONDS:
                    long.add(job.app_id)
                if not self._connection.in_transaction or len(done) >= LARGEST_BATCH:
                    break
                if self._note_app(job.app_id) >= closes_at:
                    break
                job = self._jobs.get_nowait(may_join)
            self._commit(done, began)
        except apsw.Error as failure:
            if first not in done:
                done.append(first)
            self._log_failure(failure)
            self._fail(done)
        self._begin_rests(long, began)
        self._answer(done)

    def _wait_for_disk(self, is_synchronous: bool) -> None:
        """Have the next commits wait for the disk, or not: a later one that waits covers them."""
        if is_synchronous is not self._is_synchronous:
            level = self._synchronous if is_synchronous else min(NORMAL, self._synchronous)
            self._connection.execute(f"PRAGMA synchronous = {level}")
            self._is_synchronous = is_synchronous

    def _begin_rests(self, app_ids: Collection[str], began: float) -> None:
        """Begin the rests of apps that had a long change in the batch that has ended.

        Its commit counts, too: those of a loud app keep the others waiting as its changes do.
        """
        if not app_ids:
            return
        now = time.perf_counter()
        self._slow = {app_id: until for app_id, until in self._slow.items() if until > now}
        for app_id in app_ids:
            self._slow[app_id] = now + RECENT_SECONDS
            if rest := self._rests.after(app_id, now - began):
                self._jobs.rest(app_id, rest)

    def _note_app(self, app_id: str) -> float:
        """Note that a change of an app was made, and return the time."""
        now = time.perf_counter()
        if app_id not in {INSTALLATION, self._last_app}:
            self._last_app, self._is_shared_until = app_id, now + RECENT_SECONDS
        return now

    def _may_join(self, used: Mapping[str, float], job: Job) -> bool:
        """Return whether a job may join the batch, in which apps have `used` so many seconds.

        One that is not derived joins no batch that does not wait for the disk. While several apps
        write, the others wait for the end of the batch, so neither a slow app joins it, nor one
        that has used much of it.
        """
        if not (self._is_synchronous or job.is_derived):
            return False
        now = time.perf_counter()
        if now >= self._is_shared_until:
            return True
        is_others = job.app_id not in used or len(used) > 1
        if is_others and self._slow.get(job.app_id, 0.0) > now:
            return False
        return used.get(job.app_id, -1.0) < LONGEST_OF_APP_SECONDS

    def _run_job(self, job: Job) -> None:
        """Run one job under a savepoint; if it raises, only its own changes are rolled back."""
        execute = self._connection.execute
        execute("SAVEPOINT job")
        tx = SqliteTransaction(
            self._connection, job.app_id, self._caches, others_wait=self._jobs.others_wait
        )
        try:
            job.result = drive(self._run_and_finish(tx, job.work))
            job.announced = tx.list_announced()
            self._caches.close(tx)
        except BaseException as error:  # noqa: BLE001  # any error is for the caller
            self._caches.drop(tx)
            job.error = error
            if isinstance(error, STORE_ERRORS):
                self._log_failure(error)
                job.error = _unavailable()
            if not self._connection.in_transaction:
                return  # SQLite rolled back everything: a full disk, an I/O error
            execute("ROLLBACK TO job")
        execute("RELEASE job")

    async def _run_and_finish(self, tx: SqliteTransaction, work: WriterTask) -> Any:
        result = await work(tx)
        await self._finish(tx)
        return result

    def _commit(self, done: list[Job], began: float) -> None:
        if not self._connection.in_transaction:
            self._fail(done)
            return
        ended = time.perf_counter()
        self._connection.execute("COMMIT")
        self._measures.note_commit(began, ended, time.perf_counter(), len(done))

    def _restart_log(self) -> None:
        """Have the next transaction written to the beginning of the log, unless somebody reads it.

        Another connection rarely gets the lock while there are jobs all the time. Readers are
        waited for only a moment: a backup may read for minutes.
        """
        self._is_log_long = False
        self._connection.set_busy_timeout(RESTART_WAITS_MS)
        try:
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_RESTART)
        except apsw.BusyError:
            pass  # the checkpointer asks again
        except apsw.Error as failure:
            self._log_failure(failure)
        finally:
            self._connection.set_busy_timeout(BUSY_TIMEOUT_MS)

    def _log_failure(self, failure: apsw.Error) -> None:
        """Log why SQLite failed; end the process if the state of the disk is unknown."""
        code = getattr(failure, "extendedresult", None)
        log.error("store_failed", reason=repr(failure), code=code)
        self._measures.note_fault(fault_of(failure))
        if code in FSYNC_FAILED:
            self._die()

    def _fail(self, done: list[Job]) -> None:
        """Roll back the batch; each of its jobs fails with `Unavailable`."""
        log.error("batch_not_stored", jobs=len(done))
        self._measures.failures += 1
        self._caches.drop_all()
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
        for job in done:
            job.error, job.announced = _unavailable(), None

    def _answer(self, done: list[Job]) -> None:
        """Set the futures of the callers, with one call per event loop."""
        loops: dict[asyncio.AbstractEventLoop, list[Job]] = {}
        for job in done:
            loops.setdefault(job.loop, []).append(job)
        for loop, jobs in loops.items():
            loop.call_soon_threadsafe(self._answer_all, jobs)

    def _answer_all(self, jobs: list[Job]) -> None:
        for job in jobs:
            if job.announced is not None:
                self._on_commit(job.announced)
            job.answer()


def _unavailable() -> Unavailable:
    return Unavailable(
        "The database is not available at the moment. Nothing was changed; try again.",
        dev_message="The disk of the server may be full or failing; its log has the reason.",
    )

"""The writer thread: runs all waiting operations in one transaction and answers after the commit.

Each operation has a savepoint, so an operation that raises rolls back only its own changes. Results
*and errors* are answered after the commit, since an error may be about rows not committed yet.
"""

import asyncio
import os
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import apsw
import structlog

from hubbub.kernel.errors import Unavailable
from hubbub.kernel.rests import Rests
from hubbub.kernel.scheduling import ask_for_short_slices
from hubbub.storage.interface import INSTALLATION, Finish, OnCommit, ignore_commit
from hubbub.storage.measures import EngineMeasures
from hubbub.storage.record_cache import RecordCaches
from hubbub.storage.sqlite.connection import (
    BUSY_TIMEOUT_MS,
    UNREADABLE,
    SqliteTransaction,
    drive,
    fault_of,
)
from hubbub.storage.sqlite.jobs import Job, JobQueue, WriterTask

log = structlog.get_logger()

RESTART_WAITS_MS = 10
NORMAL = 1
"""The level of `PRAGMA synchronous` at which a commit does not wait for the disk."""
FSYNC_FAILED = {apsw.SQLITE_IOERR_FSYNC, apsw.SQLITE_IOERR_DIR_FSYNC}

STORE_ERRORS = (*UNREADABLE, apsw.ReadOnlyError)


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """How many changes share a commit, and whose."""

    most_jobs: int = 256
    longest_seconds: float = 0.005
    longest_of_app_seconds: float = 0.002
    """So long the changes of an app may take in a batch while others, too, wait to write."""
    slow_seconds: float = 0.0005
    """An app of which a change took so long recently does not join the batch of another one."""
    recent_seconds: float = 1.0
    """So long after another app's change, more of others are expected."""


BATCH_LIMITS = BatchLimits()


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
        limits: BatchLimits = BATCH_LIMITS,
        measures: EngineMeasures | None = None,
        on_commit: OnCommit = ignore_commit,
        rests: Rests | None = None,
    ) -> None:
        super().__init__(name="hubbub-writer", daemon=True)
        self._connection = connection
        self._finish = finish
        self._die = die
        self._limits = limits
        self._measures = measures or EngineMeasures()
        self._on_commit = on_commit
        self._rests = rests or Rests()
        self._caches = RecordCaches()
        self._jobs = JobQueue(most_waiting)
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
        closes_at = began + self._limits.longest_seconds
        try:
            self._wait_for_disk(not first.is_derived)
            self._connection.execute("BEGIN IMMEDIATE")
            while job is not None:
                if not job.is_cancelled:
                    done.append(job)
                    self._run_job(job)
                seconds = self._jobs.note_done()
                used[job.app_id] += seconds
                if seconds >= self._limits.slow_seconds:
                    long.add(job.app_id)
                if not self._connection.in_transaction or len(done) >= self._limits.most_jobs:
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
            self._slow[app_id] = now + self._limits.recent_seconds
            if rest := self._rests.after(app_id, now - began):
                self._jobs.rest(app_id, rest)

    def _note_app(self, app_id: str) -> float:
        """Note that a change of an app was made, and return the time."""
        now = time.perf_counter()
        if app_id not in {INSTALLATION, self._last_app}:
            self._last_app, self._is_shared_until = app_id, now + self._limits.recent_seconds
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
        return used.get(job.app_id, -1.0) < self._limits.longest_of_app_seconds

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

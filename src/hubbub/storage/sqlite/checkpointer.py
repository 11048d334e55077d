"""A thread that moves committed pages from the write-ahead log into the database file."""

import threading
import time
from collections.abc import Callable

import apsw
import structlog

from hubbub.storage.measures import EngineMeasures
from hubbub.storage.sqlite.connection import BUSY_TIMEOUT_MS

log = structlog.get_logger()

LONG_LOG_BYTES = 256 * 1024 * 1024
EVERY_SECONDS = 1.0
EMPTYING_WAITS_MS = 10
FEW_PAGES = 1_000
"""The writer, which moves the rest before it starts the log anew, takes some milliseconds."""


class Checkpointer(threading.Thread):
    """Runs a PASSIVE checkpoint each second, which blocks nothing; has a long log started anew.

    SQLite starts the log anew by itself when nothing is left to move and nobody reads from it. That
    does not happen while writes go on, so `restart_log` asks the writer to do it.
    """

    def __init__(
        self,
        connection: apsw.Connection,
        restart_log: Callable[[], None],
        measures: EngineMeasures | None = None,
        *,
        every_seconds: float = EVERY_SECONDS,
        long_log_bytes: int = LONG_LOG_BYTES,
        few_pages: int = FEW_PAGES,
    ) -> None:
        super().__init__(name="hubbub-checkpointer", daemon=True)
        self._connection = connection
        self._restart_log = restart_log
        self._measures = measures or EngineMeasures()
        self._every_seconds = every_seconds
        self._long_log_bytes = long_log_bytes
        self._few_pages = few_pages
        self._page_bytes: int = connection.execute("PRAGMA page_size").get
        self._stopping = threading.Event()
        self._is_to_empty = False

    def empty_soon(self) -> None:
        """Have the log emptied: it holds pages as they were before something was deleted."""
        self._is_to_empty = True

    def stop(self) -> None:
        """Stop after the checkpoint under way; blocks until then."""
        self._stopping.set()
        self.join()

    def run(self) -> None:
        while not self._stopping.wait(self._every_seconds):
            self.checkpoint()
        self._connection.close()

    def checkpoint(self) -> None:
        """Move what can be moved; if the log is long, have it started anew."""
        began = time.perf_counter()
        try:
            if self._is_to_empty:
                self._empty()
            pages, _ = self._move()
            self._measures.checkpoints.observe(time.perf_counter() - began)
            self._measures.log_bytes = pages * self._page_bytes
            if self._measures.log_bytes > self._long_log_bytes:
                _, left = self._move()  # what was written meanwhile
                if left <= self._few_pages:  # otherwise somebody reads what it has had for long
                    self._restart_log()
        except apsw.BusyError:
            pass  # the writer is just starting the log anew
        except apsw.Error as failure:
            log.warning("checkpoint_failed", reason=str(failure))

    def _empty(self) -> None:
        """Empty the log, unless somebody reads from it: then it is tried again.

        The writer waits for this, so it waits for readers only for a moment.
        """
        self._connection.set_busy_timeout(EMPTYING_WAITS_MS)
        try:
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            self._is_to_empty = False
        except apsw.BusyError:
            pass
        finally:
            self._connection.set_busy_timeout(BUSY_TIMEOUT_MS)

    def _move(self) -> tuple[int, int]:
        """Move what nobody reads in the log any more; return its pages, and those that are left."""
        pages, moved = self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        return pages, pages - moved

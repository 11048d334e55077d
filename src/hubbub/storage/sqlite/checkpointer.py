"""A thread that moves committed pages from the write-ahead log into the database file."""

import threading
import time
from contextlib import suppress
from pathlib import Path

import apsw
import structlog

from hubbub.storage.measures import EngineMeasures

log = structlog.get_logger()

RESTART_ABOVE_BYTES = 256 * 1024 * 1024
RESTART_WAITS_MS = 50


class Checkpointer(threading.Thread):
    """Runs a PASSIVE checkpoint each second, which blocks nothing; then RESTART for a long log.

    RESTART blocks writes while it waits for readers. A backup may read for minutes, so it waits
    only for a moment.
    """

    def __init__(
        self, connection: apsw.Connection, wal: Path, measures: EngineMeasures | None = None
    ) -> None:
        super().__init__(name="hubbub-checkpointer", daemon=True)
        self._connection = connection
        self._wal = wal
        self._measures = measures or EngineMeasures()
        self._stopping = threading.Event()
        connection.set_busy_timeout(RESTART_WAITS_MS)

    def stop(self) -> None:
        """Stop after the checkpoint under way; blocks until then."""
        self._stopping.set()
        self.join()

    def run(self) -> None:
        while not self._stopping.wait(1.0):
            self.checkpoint()
        self._connection.close()

    def checkpoint(self) -> None:
        """Move what can be moved, and start a long log anew if nobody reads from it."""
        began = time.perf_counter()
        try:
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
            self._measures.checkpoints.observe(time.perf_counter() - began)
            size = self._wal.stat().st_size if self._wal.exists() else 0
            self._measures.log_bytes = size
            if size > RESTART_ABOVE_BYTES:
                self._restart()
        except apsw.Error as failure:
            log.warning("checkpoint_failed", reason=str(failure))

    def _restart(self) -> None:
        """Have the log written from its beginning again, unless somebody reads from it."""
        with suppress(apsw.BusyError):
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_RESTART)

"""A thread that moves committed pages from the write-ahead log into the database file."""

import threading
from pathlib import Path

import apsw
import structlog

log = structlog.get_logger()

RESTART_ABOVE_BYTES = 256 * 1024 * 1024


class Checkpointer(threading.Thread):
    """Runs a PASSIVE checkpoint each second, which blocks nothing, or RESTART for a long log."""

    def __init__(self, connection: apsw.Connection, wal: Path) -> None:
        super().__init__(name="hubbub-checkpointer", daemon=True)
        self._connection = connection
        self._wal = wal
        self._stopping = threading.Event()

    def stop(self) -> None:
        """Stop after the checkpoint under way; blocks until then."""
        self._stopping.set()
        self.join()

    def run(self) -> None:
        while not self._stopping.wait(1.0):
            self._checkpoint()
        self._connection.close()

    def _checkpoint(self) -> None:
        size = self._wal.stat().st_size if self._wal.exists() else 0
        is_long = size > RESTART_ABOVE_BYTES
        mode = apsw.SQLITE_CHECKPOINT_RESTART if is_long else apsw.SQLITE_CHECKPOINT_PASSIVE
        try:
            self._connection.wal_checkpoint(mode=mode)
        except apsw.Error as failure:
            log.warning("checkpoint_failed", reason=str(failure))

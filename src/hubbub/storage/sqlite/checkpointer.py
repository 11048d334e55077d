"""A thread that moves committed pages from the write-ahead log into the file."""

import threading
from collections.abc import Callable
from pathlib import Path

import apsw
import structlog

log = structlog.get_logger()

RESTART_ABOVE_BYTES = 256 * 1024 * 1024


class Checkpointer(threading.Thread):
    """PASSIVE each second, which holds nobody up; RESTART when the log has grown too long."""

    def __init__(self, open_connection: Callable[[], apsw.Connection], wal: Path) -> None:
        super().__init__(name="hubbub-checkpointer", daemon=True)
        self._open = open_connection
        self._wal = wal
        self._stopping = threading.Event()

    def stop(self) -> None:
        """End, after the checkpoint that is under way."""
        self._stopping.set()
        self.join()

    def run(self) -> None:
        connection = self._open()
        while not self._stopping.wait(1.0):
            self._checkpoint(connection)
        connection.close()

    def _checkpoint(self, connection: apsw.Connection) -> None:
        size = self._wal.stat().st_size if self._wal.exists() else 0
        is_long = size > RESTART_ABOVE_BYTES
        mode = apsw.SQLITE_CHECKPOINT_RESTART if is_long else apsw.SQLITE_CHECKPOINT_PASSIVE
        try:
            connection.wal_checkpoint(mode=mode)
        except apsw.Error as failure:
            log.warning("checkpoint_failed", reason=str(failure))

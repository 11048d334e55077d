"""Checkpoints of SQLite's log beside a reader that takes long, such as a backup."""

import time
from pathlib import Path

import apsw
import pytest
from structlog.testing import capture_logs

from hubbub.storage.sqlite import checkpointer
from hubbub.storage.sqlite.checkpointer import Checkpointer
from hubbub.storage.sqlite.connection import open_connection

BLOCKED_SECONDS = 5.0
"""How long writes would wait, each second, if a checkpoint waited for readers."""


def test_a_long_reader_does_not_block_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside a reader, a checkpoint of a long log ends soon; after it, the log is started anew."""
    monkeypatch.setattr(checkpointer, "RESTART_ABOVE_BYTES", 0)
    path = tmp_path / "store.db"
    writer, reader = open_connection(path), open_connection(path, read_only=True)
    third = open_connection(path)
    checking = Checkpointer(third, path.with_name("store.db-wal"))
    writer.execute("CREATE TABLE notes (text)")
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM notes").fetchall()
    writer.execute("INSERT INTO notes VALUES ('while it is read')")

    with capture_logs() as lines:
        begun = time.monotonic()
        checking.checkpoint()
        elapsed = time.monotonic() - begun
    writer.execute("INSERT INTO notes VALUES ('after')")
    reader.execute("ROLLBACK")
    checking.checkpoint()
    assert elapsed < BLOCKED_SECONDS / 2
    assert not lines
    assert pages_to_copy(writer) == 0
    for connection in (writer, reader, third):
        connection.close()


def pages_to_copy(connection: apsw.Connection) -> int:
    """Return the pages of the log that the database file lacks."""
    pages, copied = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
    return pages - copied

"""Keep stored files in place while a backup copies them: a lock on the data folder itself."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def keeping_files(data: Path) -> Iterator[None]:
    """Keep the nodes on a data folder from removing files inside the block, or until it is killed.

    Waits for a removal that is under way: a hundred files at most, or those of an erased app.
    """
    with _opened(data) as folder:
        fcntl.flock(folder, fcntl.LOCK_SH)
        yield


@contextmanager
def removing_files(data: Path) -> Iterator[bool]:
    """Yield whether files may be removed inside the block; a backup that begins waits for its end.

    If not, the caller tries again later.
    """
    with _opened(data) as folder:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


@contextmanager
def _opened(data: Path) -> Iterator[int]:
    # Each holder has a descriptor of its own: to close it ends its lock, and no other one.
    folder = os.open(data, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield folder
    finally:
        os.close(folder)

"""A progress bar on stderr, if that is a terminal."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from hubbub.backup.copying import Progress

WIDTH = 30
SHOWN_SECONDS = 0.1


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """Yield a function that shows how much of a step is done; the line is cleared at the end."""
    if not sys.stderr.isatty():
        yield _show_nothing
        return
    bar = _Bar()
    try:
        yield bar.show
    finally:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _show_nothing(step: str, done: int, total: int) -> None:
    pass


class _Bar:
    def __init__(self) -> None:
        self._step = ""
        self._shown_at = 0.0

    def show(self, step: str, done: int, total: int) -> None:
        now = time.monotonic()
        if step == self._step and now - self._shown_at < SHOWN_SECONDS:
            return
        self._step, self._shown_at = step, now
        filled = WIDTH * done // total if total else 0
        percent = f"{100 * done // total:3} %" if total else " ..."
        line = f"{step:10} [{'#' * filled:{WIDTH}}] {percent}"
        print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)

"""How much of long work is done: a bar on stderr if that is a terminal, else lines."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from hubbub.backup.copying import Progress

WIDTH = 30
SHOWN_SECONDS = 0.1
PLAIN_SECONDS = 5.0
MINUTE, HOUR = 60, 3600


@contextmanager
def progress_bar(*, is_plain: bool = False) -> Iterator[Progress]:
    """Yield a function that shows how much of a step is done; the bar is cleared at the end.

    Without a terminal nothing is shown, or with `is_plain` a line every five seconds.
    """
    if not sys.stderr.isatty():
        yield _Lines().show if is_plain else _show_nothing
        return
    bar = _Bar()
    try:
        yield bar.show
    finally:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _show_nothing(step: str, done: int, total: int) -> None:
    pass


class _Pace:
    """How fast a step goes: its rate, and how long it takes still."""

    def __init__(self) -> None:
        self.step = ""
        self._shown_at = 0.0
        self._began, self._first = 0.0, 0

    def is_due(self, step: str, done: int, seconds: float) -> bool:
        """Return whether to show something now: a new step, or after some seconds."""
        now = time.monotonic()
        if step == self.step and now - self._shown_at < seconds:
            return False
        if step != self.step:
            self._began, self._first = now, done
        self.step, self._shown_at = step, now
        return True

    def told(self, done: int, total: int) -> str:
        """Return the rate, and the time that is left if it is known."""
        passed = self._shown_at - self._began
        rate = (done - self._first) / passed if passed > 0 else 0.0
        if rate < 1:
            return ""
        left = f", {_spell((total - done) / rate)} left" if total else ""
        return f" {rate:,.0f}/s{left}"


def _spell(seconds: float) -> str:
    if seconds < MINUTE:
        return f"{seconds:.0f} s"
    if seconds < HOUR:
        return f"{seconds // MINUTE:.0f} min {seconds % MINUTE:.0f} s"
    return f"{seconds // HOUR:.0f} h {seconds % HOUR // MINUTE:.0f} min"


class _Lines:
    def __init__(self) -> None:
        self._pace = _Pace()

    def show(self, step: str, done: int, total: int) -> None:
        if self._pace.is_due(step, done, PLAIN_SECONDS):
            of = f" of {total:,}" if total else ""
            print(f"{step}: {done:,}{of}{self._pace.told(done, total)}", file=sys.stderr)


class _Bar:
    def __init__(self) -> None:
        self._pace = _Pace()

    def show(self, step: str, done: int, total: int) -> None:
        if not self._pace.is_due(step, done, SHOWN_SECONDS):
            return
        filled = WIDTH * done // total if total else 0
        percent = f"{100 * done // total:3} %" if total else f"{done:,}" if done else " ..."
        line = f"{step:10} [{'#' * filled:{WIDTH}}] {percent}{self._pace.told(done, total)}"
        print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)

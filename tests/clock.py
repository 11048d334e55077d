"""A clock that stands still until a test moves it."""

START = 1_800_000_000
FAR_AHEAD = 4_000_000_000
"""A time that no test reaches, though many advance the clock that they share."""


class ManualClock:
    """A clock with a time that tests set; it goes back only where one says so."""

    def __init__(self, start: int = START) -> None:
        self._passed_ms = 0
        self._start_ms = start * 1000

    def now(self) -> int:
        return (self._start_ms + self._passed_ms) // 1000

    def milliseconds(self) -> int:
        return self._start_ms + self._passed_ms

    def monotonic(self) -> float:
        return self._passed_ms / 1000

    def advance(self, seconds: float = 1) -> None:
        """Move the time forward by `seconds`."""
        assert seconds >= 0, "time does not go back"
        self._passed_ms += round(seconds * 1000)

    def set_back(self, seconds: float) -> None:
        """Set the time back, as an operator or a time server may; the monotonic time goes on."""
        self._start_ms -= round(seconds * 1000)

    def set_ahead(self, seconds: float) -> None:
        """Set the time ahead, as an operator or a time server may; no time passes."""
        self._start_ms += round(seconds * 1000)

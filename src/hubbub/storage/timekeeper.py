"""Keeps the clock of a node right: asks the database for the time, and watches the machine's."""

import structlog

from hubbub.kernel.clock import MOST_AHEAD_SECONDS, SharedClock, SteadyClock
from hubbub.storage.interface import Database

log = structlog.get_logger()


class Timekeeper:
    """Sets the clock of a node by that of a database which it shares, and says what is wrong."""

    def __init__(self, clock: SharedClock | SteadyClock, database: Database) -> None:
        self._clock = clock
        self._database = database
        self._is_wrong = False

    async def set_clock(self) -> None:
        """Correct the clock; log once that the machine's own is wrong, and once that it is right.

        Raises:
            Unavailable: the database can't be reached; the clock goes on as it is.
        """
        reading = await self._database.read_clock()
        if reading is not None and isinstance(self._clock, SharedClock):
            self._clock.correct(reading)
        fault = self.find_fault()
        if fault and not self._is_wrong:
            log.error("clock_wrong", reason=fault)
        if self._is_wrong and not fault:
            log.info("clock_right")
        self._is_wrong = fault is not None

    def find_fault(self) -> str | None:
        """Return what is wrong with the clock of this machine, or None."""
        skew = self._clock.skew_seconds
        if abs(skew) <= MOST_AHEAD_SECONDS:
            return None
        if isinstance(self._clock, SteadyClock):
            way = "forward" if skew > 0 else "back"
            return (
                f"The clock of this machine was set {way} by {abs(skew):,.0f} s while the node ran."
                f" The node follows when that has lasted for {SteadyClock.LASTING_SECONDS:.0f} s."
            )
        direction = "ahead of" if skew > 0 else "behind"
        return (
            f"The clock of this machine is {abs(skew):,.0f} s {direction} that of the database."
            " Set both by NTP."
        )

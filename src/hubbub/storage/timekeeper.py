"""Keeps the clock of a node right: asks the database for the time, and watches the machine's."""

import structlog

from hubbub.kernel.clock import SharedClock
from hubbub.storage.interface import Database

log = structlog.get_logger()

MOST_SKEW_SECONDS = 5.0


class Timekeeper:
    """Sets the clock of a node that shares its database, by the clock of the database."""

    def __init__(self, clock: SharedClock, database: Database) -> None:
        self._clock = clock
        self._database = database
        self._is_wrong = False

    async def set_clock(self) -> None:
        """Correct the clock; log once that the machine's own is wrong, and once that it is right.

        Raises:
            Unavailable: the database can't be reached; the clock goes on as it is.
        """
        reading = await self._database.read_clock()
        if reading is not None:
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
        if abs(skew) <= MOST_SKEW_SECONDS:
            return None
        direction = "ahead of" if skew > 0 else "behind"
        return (
            f"The clock of this machine is {abs(skew):,.0f} s {direction} that of the database."
            " Set both by NTP."
        )

"""The usage of an app day by day: for each day what `find_usage` says of it alone."""

from collections.abc import Sequence
from dataclasses import dataclass

from hubbub.records.metrics import store
from hubbub.records.metrics.model import SECONDS_OF_DAY, day_of
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot


@dataclass(frozen=True, slots=True)
class DayUsage:
    """The usage of a day, in UTC, that begins `at`."""

    at: int
    active_users: int
    peak_connections: int


async def find_daily_usage(runtime: Runtime, app_id: str, days: int) -> Sequence[DayUsage]:
    """Return the usage of the last days, today included, the oldest first."""
    last = day_of(runtime.clock.now())

    async def within(snapshot: Snapshot) -> list[DayUsage]:
        return [
            DayUsage(
                day * SECONDS_OF_DAY,
                await store.count_active_users(snapshot, day, day),
                await store.find_peak(snapshot, day, day),
            )
            for day in range(last - days + 1, last + 1)
        ]

    return await runtime.database.read(app_id, within)

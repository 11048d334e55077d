"""Find the metrics of an app: its usage in a range of days, its traffic of the last hour."""

from collections.abc import Sequence
from dataclasses import dataclass

from hubbub.records.metrics import store
from hubbub.records.metrics.model import Traffic, day_of
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot

SPAN_SECONDS = 300
SPANS = 12


@dataclass(frozen=True, slots=True)
class Usage:
    """The users who were active, and the most connections that were open at once."""

    active_users: int
    peak_connections: int


async def find_usage(runtime: Runtime, app_id: str, first_at: int, last_at: int) -> Usage:
    """Return the usage on all days, in UTC, that a range of time touches."""
    first, last = day_of(first_at), day_of(last_at)

    async def within(snapshot: Snapshot) -> Usage:
        return Usage(
            await store.count_active_users(snapshot, first, last),
            await store.find_peak(snapshot, first, last),
        )

    return await runtime.database.read(app_id, within)


async def find_traffic(runtime: Runtime, app_id: str) -> Sequence[Traffic]:
    """Return the traffic of the last hour in spans of five minutes. The present second is in it."""
    first = runtime.clock.now() + 1 - SPAN_SECONDS * SPANS
    return await runtime.database.read(
        app_id,
        lambda snapshot: store.sum_traffic(snapshot, first, seconds=SPAN_SECONDS, times=SPANS),
    )

"""Count the deliveries of a webhook hour by hour, by how far they are."""

from collections.abc import Sequence
from dataclasses import dataclass

from hubbub.records.webhooks.deliveries import count_by_span
from hubbub.records.webhooks.model import State
from hubbub.runtime import Runtime

HOUR = 3600
MOST_COUNTED = 200
"""Of an hour with more deliveries, the first ones are counted, which show what fails as well."""


@dataclass(frozen=True, slots=True)
class HourOutcomes:
    """The deliveries that were planned in an hour, which begins `at`."""

    at: int
    delivered: int
    failed: int
    pending: int

    @property
    def is_cut(self) -> bool:
        """Return whether there may be more than were counted."""
        return self.delivered + self.failed + self.pending >= MOST_COUNTED


async def count_outcomes(
    runtime: Runtime, app_id: str, webhook: int, hours: int
) -> Sequence[HourOutcomes]:
    """Return what became of the deliveries of the last hours, this one included, in order."""
    first = runtime.clock.now() // HOUR * HOUR - (hours - 1) * HOUR
    found = await runtime.database.read(
        app_id,
        lambda snapshot: count_by_span(
            snapshot, webhook, first, spans=hours, seconds=HOUR, most=MOST_COUNTED
        ),
    )
    return [
        HourOutcomes(
            first + hour * HOUR,
            *(
                found.get((hour, each), 0)
                for each in (State.DELIVERED, State.FAILED, State.PENDING)
            ),
        )
        for hour in range(hours)
    ]

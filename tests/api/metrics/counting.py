"""Short ways to count the log and to ask for metrics."""

from tests.world import Json, World

from hubbub.domain.metrics.count import metrics_consumer
from hubbub.records.metrics.model import SECONDS_OF_DAY
from hubbub.runtime import Runtime

MOST_BATCHES = 1_000


async def count_log(runtime: Runtime, world: World) -> None:
    """Count the log of a world to its end, as the background loop does."""
    consumer = metrics_consumer(runtime)
    for _ in range(MOST_BATCHES):
        if await consumer.consume_batch(world.app_id) is None:
            return
    raise AssertionError("the log has no end")


async def usage(world: World, first_day: int, last_day: int) -> Json:
    """Return the metrics of a range of days."""
    first, last = first_day * SECONDS_OF_DAY, (last_day + 1) * SECONDS_OF_DAY - 1
    found: Json = await world.get(f"/stats?fromDate={first}&toDate={last}")
    metrics: Json = found["metrics"]
    return metrics


async def active(world: World, first_day: int, last_day: int | None = None) -> int:
    """Return the number of users who were active on a day, or in a range of days."""
    count: int = (await usage(world, first_day, last_day or first_day))["active_users"]
    return count


async def traffic(world: World) -> tuple[int, ...]:
    """Return the messages, read and delivery receipts of the last hour."""
    points = (await world.get("/stats/messages"))["dataPoints"]
    names = ("messagesSent", "readReceipts", "deliveryReceipts")
    return tuple(sum(point[name] for point in points) for name in names)

"""Check that the readers of the log could process all events."""

from collections import Counter

from hubbub.doctor.finding import Finding, ok, warning
from hubbub.outbox.set_aside import count_all_set_aside
from hubbub.storage.interface import INSTALLATION, Inspection


async def check_set_aside(inspection: Inspection) -> Finding:
    """Count the events that were set aside in the last 14 days."""
    found = await inspection.read(INSTALLATION, count_all_set_aside)
    if not found:
        return ok("events", "none was set aside in 14 days")
    by_consumer: Counter[str] = Counter()
    for each in found:
        by_consumer[each.consumer] += each.events
    counts = ", ".join(f"{name} {count:,}" for name, count in sorted(by_consumer.items()))
    apps = len({each.app_id for each in found})
    return warning(
        "events",
        f"Some events of {apps:,} apps could not be processed, and were set aside: {counts}.",
        "Look for event_set_aside in the log, and report the defect. "
        "GET /events/set-aside lists the events of an app.",
    )

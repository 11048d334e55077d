"""Check that webhooks are reached."""

from hubbub.doctor.finding import Finding, ok, warning
from hubbub.records.webhooks.queues import count_queues
from hubbub.storage.interface import INSTALLATION, Inspection

CHECK = "webhooks"


async def check_webhooks(inspection: Inspection) -> Finding:
    """Count the webhooks of all apps to which deliveries fail, or are paused for that."""
    counts = await inspection.read(INSTALLATION, count_queues)
    failing, paused = counts["failing"], counts["paused"]
    if not failing and not paused:
        return ok(CHECK, f"deliveries to none fail; {sum(counts.values()):,} in all")
    return warning(
        CHECK,
        f"Deliveries to {failing:,} fail, and to {paused:,} they are paused.",
        "Look for webhook_failing in the log. GET /webhooks/{webhookId}/deliveries has reasons.",
    )

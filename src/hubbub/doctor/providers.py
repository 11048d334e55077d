"""Check that the providers of notifications work."""

from datetime import UTC, datetime

from hubbub.doctor.finding import Finding, ok, warning
from hubbub.records.notifications.sending.store import Failing, list_failing_queues
from hubbub.storage.interface import INSTALLATION, Inspection

CHECK = "providers"
MOST = 1_000
_REMEDY = (
    "Look for provider_failing in the log, which has the reason, and correct the provider of the "
    "app, or wait: what is not sent yet is tried again for a day."
)


async def check_providers(inspection: Inspection) -> Finding:
    """Say which kinds of providers fail now, and since when."""
    failing = await inspection.read(
        INSTALLATION, lambda snapshot: list_failing_queues(snapshot, limit=MOST)
    )
    if not failing:
        return ok(CHECK, "none of those that notifications are sent with fails")
    by_kind: dict[str, list[Failing]] = {}
    for each in failing:
        by_kind.setdefault(each.kind, []).append(each)
    shown = "; ".join(_describe(kind, some) for kind, some in sorted(by_kind.items()))
    return warning(CHECK, f"Notifications wait for providers that fail: {shown}.", _REMEDY)


def _describe(kind: str, failing: list[Failing]) -> str:
    """Return the sentence about a kind: its apps, and since when the first one fails."""
    since = datetime.fromtimestamp(failing[0].since / 1000, UTC)
    apps = sorted({each.app_id for each in failing})
    named = f"app {apps[0]}" if len(apps) == 1 else f"{len(apps):,} apps"
    return f"{kind} of {named} since {since:%Y-%m-%d %H:%M} UTC"

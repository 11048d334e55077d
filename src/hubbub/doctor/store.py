"""Check the store: that it is whole, of this version and master key, its clock, what failed."""

from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import UTC, datetime

from hubbub.bootstrap import open_inspection
from hubbub.config import Settings
from hubbub.doctor.counts import check_counts
from hubbub.doctor.files import check_files
from hubbub.doctor.finding import Finding, ok, warning, wrong
from hubbub.kernel.clock import MOST_IMPORTED_AHEAD_SECONDS, Clock
from hubbub.kernel.errors import Unavailable
from hubbub.kernel.sealing import BadMasterKey, Sealer, parse_master_key
from hubbub.outbox.set_aside import count_all_set_aside
from hubbub.records.apps.store import find_key_mark
from hubbub.records.notifications.sending.store import Failing, list_failing_queues
from hubbub.records.totals.model import StoredApp
from hubbub.records.totals.store import find_kept, find_latest_time, list_apps
from hubbub.records.webhooks.queues import count_queues
from hubbub.storage.errors import NoStore, StoreUnusable
from hubbub.storage.interface import INSTALLATION, Health, Inspection
from hubbub.storage.migrations import newest_version

STORE_SECONDS, COUNT_SECONDS = 60.0, 20.0
"""The longest times of the checks of the whole store, and of the recounts."""
FEW_SECONDS, MANY_SECONDS = 2, 60
MOST_QUEUES = 1_000
"""The failing queues of providers that are looked at."""
FIRST_RELEASE = 1_760_000_000
"""No clock that is right shows an earlier time."""


async def check_store(settings: Settings, clock: Clock) -> AsyncIterator[Finding]:
    """Check a store and everything that needs it."""
    try:
        inspection = open_inspection(settings, clock)
    except (NoStore, StoreUnusable) as problem:
        yield wrong("store", str(problem), "Correct --data or --database, or restore a backup.")
        yield _check_time(clock.now())
        return
    try:
        async for finding in _check_opened(settings, clock, inspection):
            yield finding
    except (StoreUnusable, Unavailable) as problem:
        yield wrong("store", str(problem), "Mend that, then run hubbub doctor again.")
    finally:
        await inspection.close()


async def _check_opened(
    settings: Settings, clock: Clock, inspection: Inspection
) -> AsyncIterator[Finding]:
    version = await inspection.schema_version()
    for finding in _judge_health(settings, await inspection.check_health(STORE_SECONDS)):
        yield finding
    yield _judge_schema(version)
    is_current = version == newest_version()
    apps = await inspection.read(INSTALLATION, list_apps) if is_current else []
    if is_current:
        yield await _check_key(settings, inspection)
    yield await _check_clock(clock, inspection, apps)
    yield await check_files(settings, inspection, apps)
    if is_current:
        yield await check_set_aside(inspection)
        yield await check_providers(inspection)
        yield await check_webhooks(inspection)
        yield await check_counts(inspection, apps, COUNT_SECONDS)


def _judge_health(settings: Settings, health: Health) -> Iterator[Finding]:
    for fault in health.faults:
        remedy = _REMEDIES[bool(settings.database_url)]
        yield wrong("store", f"{health.description}: {fault}.", remedy)
    for doubt in health.doubts:
        yield warning("store", f"{health.description}: {doubt}.", "Look into it.")
    if not health.faults and not health.doubts:
        yield ok("store", health.description)


_REMEDIES = {
    False: "Stop the node, check the disk, and restore the newest backup: hubbub restore.",
    True: "Switch it on in postgresql.conf; for damaged pages see PostgreSQL's documentation.",
}


def _judge_schema(version: int) -> Finding:
    newest = newest_version()
    if version == newest:
        return ok("schema", f"version {version}, that of this Hubbub")
    if not version:
        return wrong(
            "schema", "The database is empty.", "Is --database right? hubbub serve fills it."
        )
    if version < newest:
        return warning(
            "schema",
            f"It has version {version}; this Hubbub needs {newest}.",
            "The next start of the node migrates it, or hubbub migrate. Make a backup before.",
        )
    return wrong(
        "schema",
        f"It has version {version}; this Hubbub knows up to {newest}.",
        "Install the newer Hubbub that migrated it, or restore a backup.",
    )


async def _check_key(settings: Settings, inspection: Inspection) -> Finding:
    path = settings.data / "secret.key"
    remedy = (
        f"Put the right one back into {path}, or set HUBBUB_SECRET_KEY: no node starts without."
    )
    if not settings.secret_key and not path.exists():
        return wrong("master key", f"There is none: {path} is missing.", remedy)
    try:
        text = settings.secret_key or path.read_text("ascii", "replace")
        given = [each for each in (text, settings.new_secret_key) if each]
        marks = Sealer(*map(parse_master_key, given)).marks
    except BadMasterKey as problem:
        return wrong("master key", str(problem), remedy)
    except OSError as failure:
        return wrong("master key", f"{path} can't be read: {failure.strerror}.", remedy)
    if await inspection.read(INSTALLATION, find_key_mark) not in (None, *marks):
        return wrong("master key", "The store was made with another one.", remedy)
    return ok("master key", "that of the store; keep a copy apart from the backups")


async def _check_clock(clock: Clock, inspection: Inspection, apps: Sequence[StoredApp]) -> Finding:
    now = clock.now()
    theirs = await inspection.read_clock()
    if theirs is not None and abs(theirs - now) > FEW_SECONDS:
        apart = f"This machine and the database's are {abs(theirs - now):,.0f} s apart."
        judge = wrong if abs(theirs - now) > MANY_SECONDS else warning
        return judge("clock", apart, "Let both set their clocks by NTP.")
    kept = [await inspection.read(app.id, find_kept) for app in apps]
    newest = max((each.sent_at for each in kept if each), default=0)
    if newest > now + FEW_SECONDS:
        return wrong(
            "clock",
            f"By this machine's clock, the newest message will be sent in {newest - now:,} s.",
            "Let the machine set its clock by NTP. If it is right: hubbub doctor --repair.",
        )
    return await _check_latest(now, inspection, apps)


async def _check_latest(now: int, inspection: Inspection, apps: Sequence[StoredApp]) -> Finding:
    """Check that no message has a time that lies ahead by more than imports may bring."""
    latest = [await inspection.read(app.id, find_latest_time) for app in apps]
    ahead = sum(at > now + MOST_IMPORTED_AHEAD_SECONDS for at in latest)
    if ahead:
        return wrong(
            "clock",
            f"In {ahead} apps messages have times that lie ahead: a clock was wrong once.",
            "If this machine's clock is right: hubbub doctor --repair.",
        )
    return _check_time(now)


def _check_time(now: int) -> Finding:
    if now < FIRST_RELEASE:
        return wrong("clock", "It shows a time long past.", "Let the machine set it by NTP.")
    return ok("clock", "plausible")


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


async def check_providers(inspection: Inspection) -> Finding:
    """Say which kinds of providers fail now, and since when."""
    failing = await inspection.read(
        INSTALLATION, lambda snapshot: list_failing_queues(snapshot, limit=MOST_QUEUES)
    )
    if not failing:
        return ok("providers", "none of those that notifications are sent with fails")
    by_kind: dict[str, list[Failing]] = {}
    for each in failing:
        by_kind.setdefault(each.kind, []).append(each)
    remedy = (
        "Look for provider_failing in the log, which has the reason, and correct the provider of "
        "the app, or wait: what is not sent yet is tried again for a day."
    )
    shown = "; ".join(_describe(kind, some) for kind, some in sorted(by_kind.items()))
    return warning("providers", f"Notifications wait for providers that fail: {shown}.", remedy)


def _describe(kind: str, failing: list[Failing]) -> str:
    """Return the sentence about a kind: its apps, and since when the first one fails."""
    since = datetime.fromtimestamp(failing[0].since / 1000, UTC)
    apps = sorted({each.app_id for each in failing})
    named = f"app {apps[0]}" if len(apps) == 1 else f"{len(apps):,} apps"
    return f"{kind} of {named} since {since:%Y-%m-%d %H:%M} UTC"


async def check_webhooks(inspection: Inspection) -> Finding:
    """Count the webhooks of all apps to which deliveries fail, or are paused for that."""
    counts = await inspection.read(INSTALLATION, count_queues)
    failing, paused = counts["failing"], counts["paused"]
    if not failing and not paused:
        return ok("webhooks", f"deliveries to none fail; {sum(counts.values()):,} in all")
    return warning(
        "webhooks",
        f"Deliveries to {failing:,} fail, and to {paused:,} they are paused.",
        "Look for webhook_failing in the log. GET /webhooks/{webhookId}/deliveries has reasons.",
    )

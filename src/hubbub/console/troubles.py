"""What is wrong, since when, and what to do: the checks of the doctor that a running node can make.

Each source of troubles is a function of a visit; an operator sees those of their apps.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass

from hubbub.console.page import ADMINS, DEVELOPERS, MODERATORS, fill_path
from hubbub.console.visit import Visit
from hubbub.doctor.certificate import check_certificate
from hubbub.doctor.disk import check_disks
from hubbub.doctor.finding import Finding, Severity
from hubbub.domain.moderated.queue import find_oldest, list_late
from hubbub.domain.webhooks.manage import list_webhooks
from hubbub.kernel.pages import PageRequest
from hubbub.outbox.set_aside import count_all_set_aside, list_set_aside
from hubbub.records.notifications.sending.store import list_failing_queues as list_failing_providers
from hubbub.records.operators.model import ALL_APPS
from hubbub.records.webhooks.queues import list_failing_queues
from hubbub.storage.interface import INSTALLATION

MOST = 50
LATE_SECONDS = 3600
"""Messages that wait longer for their review are a trouble."""
"""So many of a kind are looked at."""
BUS_AWAY = "The bus is not reached: events of other nodes arrive late, by the database."
START_BUS = "Start it, or correct HUBBUB_BUS_URL."


@dataclass(frozen=True, slots=True)
class SeenTrouble:
    """Something that an operator should look at."""

    is_wrong: bool
    """Whether it does not work, or data is in danger; else it does, but not for all or for ever."""
    sentence: str
    remedy: str
    app: str = ""
    since: float | None = None
    """In seconds."""
    address: str = ""
    """The page where it is mended."""


async def find_troubles(visit: Visit) -> Sequence[SeenTrouble]:
    """Return what is wrong of what the operator looks after, the worst first."""
    found = [trouble for source in SOURCES async for trouble in source(visit)]
    return sorted(found, key=lambda each: not each.is_wrong)


async def _of_the_machine(visit: Visit) -> AsyncIterator[SeenTrouble]:
    if visit.operator.app != ALL_APPS or visit.operator.role not in ADMINS:
        return
    runtime = visit.runtime
    if runtime.measures.fault is not None:
        remedy = "Make room on its disk, or mend it: until then no change is stored."
        yield SeenTrouble(True, str(runtime.measures.fault), remedy)
    if runtime.bus.is_configured and not runtime.bus.is_connected:
        yield SeenTrouble(False, BUS_AWAY, START_BUS)
    for finding in await asyncio.to_thread(lambda: list(_findings(visit))):
        if finding.state is not Severity.OK:
            yield SeenTrouble(finding.state is Severity.WRONG, finding.sentence, finding.remedy)


def _findings(visit: Visit) -> Iterator[Finding]:
    settings = visit.runtime.settings
    yield from check_disks(settings)
    yield check_certificate(settings, visit.runtime.clock.now())


async def _of_webhooks(visit: Visit) -> AsyncIterator[SeenTrouble]:
    if visit.operator.role not in DEVELOPERS:
        return
    found = await visit.runtime.database.read(
        INSTALLATION, lambda snapshot: list_failing_queues(snapshot, limit=MOST)
    )
    names = {
        (app, each.number): each.id
        for app in {queue.app_id for queue in found if visit.operator.may_see(queue.app_id)}
        for each in await list_webhooks(visit.runtime, app, "")
    }
    for queue in found:
        webhook_id = names.get((queue.app_id, queue.webhook))
        if webhook_id is not None:
            yield SeenTrouble(
                queue.is_paused,
                f"Nothing that is sent to the webhook {webhook_id} arrives"
                + (", so it is paused." if queue.is_paused else "; it is tried again and again."),
                "See what its server answers. When that is mended, "
                + ("enable the webhook, and replay." if queue.is_paused else "replay."),
                queue.app_id,
                queue.since,
                fill_path("/apps/{app}/webhooks/{id}", {"app": queue.app_id, "id": webhook_id}),
            )


async def _of_providers(visit: Visit) -> AsyncIterator[SeenTrouble]:
    if visit.operator.role not in DEVELOPERS:
        return
    found = await visit.runtime.database.read(
        INSTALLATION, lambda snapshot: list_failing_providers(snapshot, limit=MOST)
    )
    for each in found:
        if visit.operator.may_see(each.app_id):
            yield SeenTrouble(
                False,
                f"Notifications wait: the provider {each.kind} fails.",
                "The log has the reason under provider_failing. Correct the provider, or wait:"
                " what is not sent yet is tried again for a day.",
                each.app_id,
                each.since / 1000,
            )


async def _of_events(visit: Visit) -> AsyncIterator[SeenTrouble]:
    if visit.operator.role not in DEVELOPERS:
        return
    runtime = visit.runtime
    found = await runtime.database.read(INSTALLATION, count_all_set_aside)
    for each in found[:MOST]:
        if visit.operator.may_see(each.app_id):
            newest, _ = await runtime.database.read(
                each.app_id, lambda snapshot: list_set_aside(snapshot, PageRequest(1, 1))
            )
            yield SeenTrouble(
                False,
                f"{each.events:,} events could not be processed by {each.consumer}, and were set"
                " aside.",
                "Report the defect: the log has the reason under event_set_aside.",
                each.app_id,
                newest[0].at if newest else None,
            )


async def _of_moderation(visit: Visit) -> AsyncIterator[SeenTrouble]:
    """Say in which apps messages wait long for their review."""
    if visit.operator.role not in MODERATORS:
        return
    before = visit.runtime.clock.now() - LATE_SECONDS
    for app, since in await _list_late(visit, before):
        yield SeenTrouble(
            False,
            "Messages wait for a review.",
            "Approve or refuse them, the oldest first.",
            app,
            since,
            fill_path("/apps/{app}/moderation", {"app": app}),
        )


async def _list_late(visit: Visit, before: int) -> Sequence[tuple[str, int]]:
    app = visit.operator.app
    if app == ALL_APPS:
        return await list_late(visit.runtime, before, limit=MOST)
    since = await find_oldest(visit.runtime, app)
    return [] if since is None or since > before else [(app, since)]


SOURCES: Sequence[Callable[[Visit], AsyncIterator[SeenTrouble]]] = (
    _of_the_machine,
    _of_webhooks,
    _of_providers,
    _of_events,
    _of_moderation,
)

"""Run all checks."""

from collections.abc import AsyncIterator, Mapping

from hubbub.config import Settings
from hubbub.doctor.bus import check_bus
from hubbub.doctor.certificate import check_certificate
from hubbub.doctor.configuration import check_configuration
from hubbub.doctor.disk import check_disks
from hubbub.doctor.finding import Finding
from hubbub.doctor.store import check_store
from hubbub.kernel.clock import Clock


async def examine(
    settings: Settings, environment: Mapping[str, str], clock: Clock
) -> AsyncIterator[Finding]:
    """Yield the result of each check, as soon as it is there."""
    for finding in check_configuration(settings, environment):
        yield finding
    yield check_certificate(settings, clock.now())
    for finding in check_disks(settings):
        yield finding
    yield await check_bus(settings)
    async for finding in check_store(settings, clock):
        yield finding

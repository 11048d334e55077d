"""A provider that fails shows to the operator."""

import json
from typing import Any

from tests.doctor.conftest import findings_of
from tests.notices.engine.office import Office

from hubbub.doctor.finding import State

SINCE = "2027-01-15 08:00 UTC"


async def ready(office: Office) -> dict[str, Any]:
    """Return what the health check says."""
    answer: dict[str, Any] = json.loads(await office.page("GET", "/health/ready"))
    return answer


async def test_the_doctor_says_since_when(office: Office) -> None:
    """The check names the kind, the app and the time; it is ok again when the provider is back."""
    await office.add_fcm()
    await office.register("ben")
    office.gateways.fcm.faults.answer_always("UNAVAILABLE")
    await office.say("Hello")
    await office.work()
    await office.work(after=100)
    [failing] = [
        each for each in await findings_of(office.runtime.settings) if each.check == "providers"
    ]
    office.gateways.fcm.faults.answer_always("")
    await office.work(after=100)
    [working] = [
        each for each in await findings_of(office.runtime.settings) if each.check == "providers"
    ]

    shown = f"fcm of app {office.world.app_id} since {SINCE}"
    assert failing.state == State.WARNING
    assert failing.sentence == f"Notifications wait for providers that fail: {shown}."
    assert working.state == State.OK


async def test_the_health_check_warns(office: Office) -> None:
    """The node is ready, with a warning that names the kind and no app."""
    await office.add_fcm()
    await office.register("ben")
    before = await ready(office)
    office.gateways.fcm.faults.answer_always("UNAVAILABLE")
    await office.say("Hello")
    await office.work()
    during = await ready(office)
    office.gateways.fcm.faults.answer_always("")
    await office.work(after=100)

    [warning] = [each for each in during["warnings"] if "fcm" in each]
    assert during["status"] == "ready"
    assert office.world.app_id not in warning
    assert await ready(office) == before

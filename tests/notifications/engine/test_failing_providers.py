"""A provider that fails shows to the operator."""

import json
from typing import Any

from structlog.testing import capture_logs
from tests.doctor.conftest import findings_of
from tests.notifications.engine.conftest import RETRIES
from tests.notifications.engine.office import Office

from hubbub.doctor.finding import Severity

ASKED = 7
"""The pause that FCM asks for, in seconds."""
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
    assert failing.state == Severity.WARNING
    assert failing.sentence == f"Notifications wait for providers that fail: {shown}."
    assert working.state == Severity.OK


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


async def test_a_push_that_waits_is_in_the_log(office: Office) -> None:
    """One entry says what the provider said and when it is asked again, then gives way."""
    await office.add_fcm()
    await office.register("ben")
    office.gateways.fcm.faults.answer_always("UNAVAILABLE")
    message = await office.say("Hello")
    for tries in range(3):
        await office.work(after=100 if tries else 0)
        [entry] = await office.logs(messageId=message)
        assert entry["state"] == "waiting"
        assert entry["nextAttemptAtMS"] == office.clock.milliseconds() + 1000 * max(
            ASKED, RETRIES[tries]
        )
        assert "UNAVAILABLE" in entry["error"]
        assert "success" not in entry
        assert "Hello" not in str(entry)
    office.gateways.fcm.faults.answer_always("")
    await office.work(after=100)
    [entry] = await office.logs(messageId=message)

    assert entry["success"] is True
    assert not {"state", "nextAttemptAtMS", "error"} & set(entry)


async def test_a_push_that_waits_and_is_dropped(office: Office) -> None:
    """The reason takes the place of the entry that says that it waits."""
    await office.add_fcm()
    await office.register("ben")
    office.gateways.fcm.faults.answer_always("UNAVAILABLE")
    await office.say("Hello")
    await office.work()
    await office.world.patch(
        "/notifications/v1/preferences?uid=ben", {"mutePreferences": {"dnd": 2}}
    )
    await office.work(after=100)

    assert [each.get("reason") for each in await office.logs()] == ["DND_PREFERENCE"]


async def test_a_mail_that_waits_is_in_the_log(office: Office) -> None:
    """An e-mail has one entry while it waits, and one with the outcome."""
    await office.add_sendgrid()
    details = {"email": "ben@example.com"}
    await office.world.patch("/notifications/v1/contact-details", details, as_="ben")
    office.gateways.sendgrid.faults.answer_always("500")
    await office.say("Hello")
    await office.work()
    await office.work(after=7_200)
    await office.work(after=100)
    waiting = await office.logs()
    office.gateways.sendgrid.faults.answer_always("")
    await office.work(after=100)
    done = await office.logs()

    assert [(each["channel"], each["state"]) for each in waiting] == [("email", "waiting")]
    assert [each["success"] for each in done] == [True]


async def test_the_operator_sees_more_than_the_app(office: Office) -> None:
    """Details of a connection that fails are in the operator's log, and not in the app's."""
    await office.add_custom("push")
    await office.gateways.custom.stop()
    await office.say("Hello")
    with capture_logs() as logged:
        await office.work()

    [line] = [each for each in logged if each["event"] == "provider_failing"]
    assert "Connect call failed" in line["reason"]
    [entry] = await office.logs()
    assert entry["error"].startswith("It can't be connected to")
    assert "HUBBUB_OUTBOUND_ALLOW" in entry["error"]
    assert "Connect call failed" not in str(entry)

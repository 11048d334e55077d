"""A clock that is set back costs a notification at most the pause that it had to wait anyway."""

from dataclasses import replace

import pytest
from tests.notifications.engine.conftest import RETRIES
from tests.notifications.engine.office import Office

from hubbub.domain.notifications.planning.plan import notification_consumer
from hubbub.domain.notifications.sending.send import LEASE_SECONDS
from hubbub.kernel.clock import LONGEST_STEP_MS
from hubbub.records.notifications.sending import store
from hubbub.records.notifications.sending.model import UNREAD, push_queue
from hubbub.storage.interface import Transaction

HOUR = 3600
DAY = 24 * HOUR
INTERVAL = 7_200
FCM = push_queue("fcm", "fcm-1")


async def wait_for_fcm(office: Office) -> None:
    """Have a push wait for FCM, which is back afterwards."""
    await office.add_fcm()
    await office.register("ben")
    office.gateways.fcm.faults.answer_always("UNAVAILABLE")
    await office.say("One")
    await office.work()
    office.gateways.fcm.faults.answer_always("")


def texts(office: Office) -> list[str]:
    """Return the texts of the pushes that FCM has accepted."""
    return [push["data"]["body"] for push in office.pushed]


@pytest.mark.parametrize("seconds", [HOUR, 365 * 24 * HOUR])
@pytest.mark.parametrize("is_told_meanwhile", [True, False])
async def test_a_push_that_waits_for_its_provider(
    office: Office, seconds: float, is_told_meanwhile: bool
) -> None:
    """A push is tried again after its own pause, and the provider is left alone no longer."""
    await wait_for_fcm(office)
    office.clock.set_back(seconds)
    if is_told_meanwhile:
        await office.say("Two")
    await office.work(after=RETRIES[0])

    assert sorted(texts(office)) == (["One", "Two"] if is_told_meanwhile else ["One"])


@pytest.mark.parametrize("seconds", [DAY, 365 * DAY])
async def test_a_push_waits_while_the_clock_is_set_ahead(office: Office, seconds: float) -> None:
    """A push that waits is worth as long as it would be without the step, at its gateway too."""
    await wait_for_fcm(office)
    office.clock.set_ahead(seconds)
    await office.work(after=RETRIES[0])

    [push] = office.pushed
    assert push["data"]["body"] == "One"
    assert push["android"]["ttl"] == f"{DAY - int(RETRIES[0])}s"


async def test_a_push_of_before_a_step_gets_too_old(office: Office) -> None:
    """A push ends a day after its event, of the time that has really passed."""
    await wait_for_fcm(office)
    office.clock.set_ahead(DAY)
    await office.work(after=DAY)

    assert office.pushed == []
    assert [each["reason"] for each in await office.logs()] == ["TIMED_OUT"]


async def test_a_mail_waits_while_the_clock_is_set_ahead(office: Office) -> None:
    """An e-mail that its provider has put off is sent, though the clock says that a day passed."""
    await office.add_sendgrid()
    details = {"email": "ben@example.com"}
    await office.world.patch("/notifications/v1/contact-details", details, as_="ben")
    office.gateways.sendgrid.faults.answer_next("503")
    await office.say("One")
    await office.work()
    await office.work(after=INTERVAL)
    office.clock.set_ahead(DAY)
    await office.work(after=HOUR)

    assert len(office.gateways.sendgrid.received) == 1


async def test_a_push_that_was_planned_before_the_step(office: Office) -> None:
    """A push that was due at once is sent at once."""
    await office.add_fcm()
    await office.register("ben")
    await office.say("One")
    await notification_consumer(office.runtime).consume_all()
    office.clock.set_back(HOUR)
    await office.work()

    assert texts(office) == ["One"]


async def test_a_pause_holds_when_the_clock_is_right(office: Office) -> None:
    """A step that clocks of nodes may differ by ends no pause."""
    await wait_for_fcm(office)
    office.clock.set_back(LONGEST_STEP_MS / 1000)
    await office.work(after=RETRIES[0])

    assert texts(office) == []


@pytest.mark.parametrize("seconds", [HOUR, 365 * 24 * HOUR])
async def test_a_mail_that_waits_for_its_interval(office: Office, seconds: float) -> None:
    """An e-mail is written once the interval has passed since the step, and not earlier."""
    await office.add_sendgrid()
    details = {"email": "ben@example.com"}
    await office.world.patch("/notifications/v1/contact-details", details, as_="ben")
    await office.say("One")
    await office.work()
    office.clock.set_back(seconds)
    await office.work()
    await office.work(after=INTERVAL - 1)
    early = len(office.gateways.sendgrid.received)
    await office.work(after=2)
    await office.say("Two")
    await office.work()
    await office.work(after=INTERVAL + 1)

    assert early == 0
    assert len(office.gateways.sendgrid.received) == 2


@pytest.mark.parametrize("provider", [FCM, UNREAD])
async def test_the_lease_of_a_node_that_died(office: Office, provider: str) -> None:
    """Another node goes on after the time that a lease lasts, not after that of the step."""
    await office.add_fcm()
    await office.add_sendgrid()
    await office.register("ben")
    details = {"email": "ben@example.com"}
    await office.world.patch("/notifications/v1/contact-details", details, as_="ben")
    await office.say("One")
    await notification_consumer(office.runtime).consume_all()
    office.clock.advance(INTERVAL)
    now = office.clock.milliseconds()

    async def lease(tx: Transaction) -> None:
        queue = await store.lock_queue(tx, provider)
        assert queue is not None
        until = now + round(1000 * LEASE_SECONDS)
        await store.store_queue(tx, replace(queue, lease="dead", leased_until=until, stored_at=now))

    await office.runtime.database.write(office.world.app_id, lease)
    await office.work()
    before = len(office.pushed), len(office.gateways.sendgrid.received)
    office.clock.set_back(HOUR)
    await office.work(after=LEASE_SECONDS)
    await office.work(after=INTERVAL if provider == UNREAD else 0)

    assert before == ((0, 1) if provider == FCM else (1, 0)), "it may still live"
    assert (len(office.pushed), len(office.gateways.sendgrid.received)) == (1, 1)

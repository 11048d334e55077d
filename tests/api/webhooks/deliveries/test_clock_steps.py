"""A clock that is set back costs a webhook no more than the pause that it had to wait anyway."""

import asyncio
from dataclasses import replace
from functools import partial

import pytest
from tests.api.webhooks.deliveries.conftest import RETRIES, Teller
from tests.api.webhooks.deliveries.test_delivering import attach, say
from tests.receiver import Receiver
from tests.world import World

from hubbub.domain.deliveries.deliver import LEASE_SECONDS
from hubbub.kernel.clock import LONGEST_STEP_MS, is_set_back
from hubbub.records.webhooks import queues
from hubbub.storage.interface import Transaction

HOUR = 3600
DAY = 24 * HOUR


@pytest.mark.parametrize("seconds", [HOUR, 365 * 24 * HOUR])
@pytest.mark.parametrize("is_told_meanwhile", [True, False])
async def test_a_retry_after_the_clock_was_set_back(
    town: World, teller: Teller, receiver: Receiver, seconds: float, is_told_meanwhile: bool
) -> None:
    """A delivery that waits is told after its own pause, and so is what follows it."""
    receiver.reply = lambda _: 500
    await attach(town, receiver.url(), retryOnFailure=True)
    await say(town, "one")
    await teller.tell()
    receiver.reply = lambda _: 204
    teller.clock.set_back(seconds)
    if is_told_meanwhile:
        await say(town, "two")
        await say(town, "elsewhere", receiver="cora")
    await teller.tell(after=RETRIES[0])

    in_order = [text for text in receiver.texts if text != "elsewhere"]
    assert in_order == (["one", "two"] if is_told_meanwhile else ["one"])


@pytest.mark.parametrize("seconds", [HOUR, 365 * 24 * HOUR])
async def test_the_clock_is_set_back_after_a_queue_was_woken(
    town: World, teller: Teller, receiver: Receiver, seconds: float
) -> None:
    """A delivery that was planned before the step is made at once."""
    await attach(town, receiver.url())
    await say(town, "one")
    await teller.plan()
    teller.clock.set_back(seconds)
    await teller.deliver()

    assert receiver.texts == ["one"]


@pytest.mark.parametrize("retries", [True, False])
async def test_a_clock_that_is_set_ahead_pauses_no_webhook(
    town: World, teller: Teller, receiver: Receiver, *, retries: bool
) -> None:
    """A webhook is paused after a day of failures, not because the clock says that one passed."""
    receiver.reply = lambda _: 500
    await attach(town, receiver.url(), retryOnFailure=retries)
    await say(town, "one")
    await teller.tell()
    teller.clock.set_ahead(DAY)
    await say(town, "two")
    await teller.tell(after=HOUR)
    early = await town.get("/webhooks/hook")
    await say(town, "three")
    await teller.tell(after=DAY - HOUR)

    assert "pausedAt" not in early
    assert "pausedAt" in await town.get("/webhooks/hook")


async def test_a_webhook_that_fails_since_the_step(
    town: World, teller: Teller, receiver: Receiver
) -> None:
    """Time after a step is as long as the clock says, also if it was set back again."""
    teller.clock.set_ahead(DAY)
    teller.runtime.steps.note()
    teller.clock.set_back(DAY)
    teller.runtime.steps.note()
    teller.clock.set_ahead(DAY)
    teller.runtime.steps.note()
    receiver.reply = lambda _: 500
    await attach(town, receiver.url(), retryOnFailure=True)
    await say(town, "one")
    await teller.tell(after=1)
    await teller.tell(after=DAY)

    assert "pausedAt" in await town.get("/webhooks/hook")


async def test_a_run_during_which_the_clock_is_set_back(
    town: World, teller: Teller, receiver: Receiver
) -> None:
    """A pause that began before the step does not last longer for it."""
    receiver.reply = lambda call: 500 if call.text == "stuck" else 204
    await attach(town, receiver.url(), retryOnFailure=True)
    await say(town, "stuck")
    await teller.tell()
    await say(town, "under way", receiver="cora")
    await teller.plan()
    receiver.gate = asyncio.Event()
    receiver.called.clear()
    delivering = asyncio.create_task(teller.deliver())
    await receiver.called.wait()
    teller.clock.set_back(HOUR)
    receiver.reply = lambda _: 204
    receiver.gate.set()
    await delivering
    await teller.tell(after=RETRIES[0])

    assert receiver.texts == ["under way", "stuck"]


async def test_the_lease_of_a_node_that_died_before_the_clock_was_set_back(
    town: World, teller: Teller, receiver: Receiver
) -> None:
    """Another node goes on after the time that a lease lasts, not after that of the step."""
    await attach(town, receiver.url())
    await say(town, "Hello")
    await teller.plan()
    now = teller.clock.milliseconds()
    lease_seconds = teller.runtime.settings.webhook_timeout + LEASE_SECONDS

    async def lease(tx: Transaction) -> None:
        [webhook] = await queues.lock_queues(tx)
        queue = await queues.lock_queue(tx, webhook)
        assert queue is not None
        until = now + round(1000 * lease_seconds)
        await queues.store_queue(
            tx, replace(queue, lease="dead", leased_until=until, stored_at=now)
        )

    await teller.runtime.database.write(town.app_id, lease)
    await teller.tell()
    assert receiver.texts == [], "it may still live"
    teller.clock.set_back(HOUR)
    await teller.tell(after=lease_seconds)

    assert receiver.texts == ["Hello"]


async def test_pauses_hold_when_the_clock_is_right(
    town: World, teller: Teller, receiver: Receiver
) -> None:
    """A step that clocks of nodes may differ by ends no pause."""
    receiver.reply = lambda _: 500
    await attach(town, receiver.url(), retryOnFailure=True)
    await say(town, "one")
    await teller.tell()
    teller.clock.set_back(LONGEST_STEP_MS / 1000)
    await teller.tell(after=RETRIES[0])

    assert len(receiver.received) == 1


def test_what_is_a_step() -> None:
    """A time that was stored is ahead of the clock only if the clock was set back."""
    ahead = partial(is_set_back, now_ms=1_000_000)
    assert [ahead(each) for each in (0, 1_000_000, 1_005_000, 1_005_001)] == [False] * 3 + [True]

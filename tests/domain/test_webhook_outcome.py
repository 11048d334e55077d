"""What follows from an attempt to make a delivery."""

from dataclasses import replace

import pytest

from hubbub.domain.deliveries.outcome import MOST_ATTEMPTS, Attempt, decide, read_attempts
from hubbub.records.webhooks.model import Delivery, State

PAUSES = (10.0, 30.0, 100.0)
NEW = Delivery(
    webhook=1,
    event=7,
    part=1,
    epoch=1,
    trigger_id="message_sent",
    conversation=5,
    partition=5,
    state=State.PENDING,
    tries=0,
    attempts="[]",
    created_at=1_700_000_000,
)
REFUSED = Attempt(at=1_700_000_001, duration=3, status=500)
LOST = Attempt(at=1_700_000_001, duration=2000, error="It took more than 2 seconds.")


def after(tries: int) -> Delivery:
    """Return the delivery after some failures."""
    delivery = NEW
    for _ in range(tries):
        delivery = decide(delivery, REFUSED, PAUSES).delivery
    return delivery


@pytest.mark.parametrize("status", [200, 201, 204, 299])
def test_any_2xx_is_success(status: int) -> None:
    """A delivery that is answered with 2xx is done, and holds up nothing."""
    outcome = decide(NEW, Attempt(1_700_000_001, 3, status), PAUSES)

    assert outcome.has_succeeded
    assert outcome.delivery.state == State.DELIVERED
    assert not outcome.holds_up


@pytest.mark.parametrize("attempt", [REFUSED, LOST])
def test_without_retries_one_failure_is_final(attempt: Attempt) -> None:
    """A webhook that does not retry loses a delivery that fails, and its partition goes on."""
    outcome = decide(NEW, attempt, ())

    assert outcome.delivery.state == State.FAILED
    assert not outcome.holds_up


@pytest.mark.parametrize("status", [100, 301, 302, 400, 404, 410, 429, 500, 503])
def test_any_other_status_is_a_failure(status: int) -> None:
    """A delivery that is answered with another status is tried again."""
    outcome = decide(NEW, Attempt(1_700_000_001, 3, status), PAUSES)

    assert (outcome.delivery.state, outcome.delivery.tries) == (State.PENDING, 1)


def test_first_two_failures_hold_up_the_conversation() -> None:
    """After the first and the second failure the rest of the conversation waits so long."""
    first = decide(NEW, REFUSED, PAUSES)
    second = decide(first.delivery, REFUSED, PAUSES)

    assert [(each.pause, each.holds_up) for each in (first, second)] == [(10, True), (30, True)]
    assert second.delivery.partition == NEW.partition


def test_third_failure_steps_aside() -> None:
    """After the third failure the delivery waits in a partition of its own, a little longer."""
    outcome = decide(after(2), REFUSED, PAUSES)

    assert outcome.delivery.partition == NEW.own_partition
    assert not outcome.holds_up
    assert outcome.pause is not None
    assert 100 <= outcome.pause <= 110


def test_own_partitions_differ() -> None:
    """No two deliveries of a webhook have the same partition of their own, nor a conversation's."""
    deliveries = [
        replace(NEW, event=event, part=part) for event in range(1, 30) for part in range(100)
    ]

    partitions = {each.own_partition for each in deliveries}

    assert len(partitions) == len(deliveries)
    assert max(partitions) < 0


def test_last_failure_is_final() -> None:
    """With three pauses the fourth failure is the last."""
    outcome = decide(after(3), REFUSED, PAUSES)

    assert (outcome.delivery.state, outcome.delivery.tries) == (State.FAILED, 4)
    assert outcome.pause is None


@pytest.mark.parametrize(("asked", "pause"), [(0, 10), (5, 10), (60, 60), (10**8, 86400)])
def test_a_receiver_may_ask_for_a_longer_pause(asked: float, pause: float) -> None:
    """`Retry-After` makes a pause longer, up to a day, but not shorter."""
    assert decide(NEW, REFUSED, PAUSES, retry_after=asked).pause == pause


def test_attempts_are_recorded() -> None:
    """Every attempt is recorded with its answer or its error, the last ones of very many."""
    delivery = decide(decide(NEW, REFUSED, PAUSES).delivery, LOST, PAUSES).delivery
    assert read_attempts(delivery.attempts) == [REFUSED, LOST]

    for _ in range(2 * MOST_ATTEMPTS):
        delivery = decide(delivery, REFUSED, (1.0,) * 1000).delivery
    assert read_attempts(delivery.attempts) == [REFUSED] * MOST_ATTEMPTS

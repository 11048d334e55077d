"""What apps may use of the event loop for calls that are answered as they arrive."""

import asyncio

import pytest
from tests.clock import ManualClock
from tests.rests import GivenRests
from tests.soon import until

from hubbub.kernel.allowances import MOST_SAVED_SECONDS, SHARE, Allowances

CALL = MOST_SAVED_SECONDS / 4


@pytest.fixture
def rests() -> GivenRests:
    """One app that has others beside it; all others are alone."""
    return GivenRests(loud=0.0)


@pytest.fixture
def allowances(rests: GivenRests, clock: ManualClock) -> Allowances:
    """Allowances by a clock that a test moves."""
    return Allowances(rests, clock.monotonic)


def take_all(allowances: Allowances, app_id: str, most: int = 100) -> int:
    """Return how many calls of an app are answered at once."""
    for taken in range(most):
        if not allowances.take(app_id, CALL):
            return taken
    return most


async def test_an_app_that_is_alone_never_waits(allowances: Allowances) -> None:
    """While no other app asks for anything, all calls are answered as they arrive."""
    assert take_all(allowances, "quiet") == 100


async def test_beside_others_an_app_has_a_part_of_the_time(
    allowances: Allowances, clock: ManualClock
) -> None:
    """In a second an app has its share for such calls, in small parts, and no more."""
    take_all(allowances, "loud")
    taken = 0
    for _ in range(1_000):
        clock.advance(0.001)
        taken += take_all(allowances, "loud")

    assert taken * CALL == pytest.approx(SHARE, rel=0.1)


async def test_what_is_saved_has_a_bound(allowances: Allowances, clock: ManualClock) -> None:
    """An app that has asked for nothing for long takes no more at once than one that has not."""
    first = take_all(allowances, "loud")
    clock.advance(60)

    assert take_all(allowances, "loud") == first == 4


async def test_calls_beyond_it_wait_in_order(allowances: Allowances, clock: ManualClock) -> None:
    """Calls that wait begin in order, before later ones, once there is time for them."""
    take_all(allowances, "loud")
    begun: list[int] = []

    async def call(number: int) -> None:
        await allowances.wait("loud", CALL)
        begun.append(number)

    tasks = [asyncio.create_task(call(number)) for number in range(10)]
    await asyncio.sleep(0)
    assert not begun
    clock.advance(0.001)
    assert not allowances.take("loud", CALL)  # others were there before
    await until(lambda: begun == [0])
    tasks[1].cancel()
    clock.advance(60)
    await until(lambda: begun == [0, 2, 3, 4, 5])
    clock.advance(60)
    await until(lambda: begun == [0, *range(2, 10)])


async def test_all_begin_once_the_app_is_alone(allowances: Allowances, rests: GivenRests) -> None:
    """Calls that wait begin when other apps ask for nothing any more."""
    take_all(allowances, "loud")
    tasks = [asyncio.create_task(allowances.wait("loud", CALL)) for _ in range(100)]
    await asyncio.sleep(0)
    rests.seconds.clear()

    await asyncio.wait_for(asyncio.gather(*tasks), 60)
    assert allowances.take("loud", CALL)

"""Places that nobody gives back."""

import asyncio

import pytest

from hubbub.kernel.places import NothingEnds, Places

PATIENCE = 0.02


async def test_nobody_waits_for_what_hangs() -> None:
    """Who waits is told so when no place was given back for long, and the places stay right."""
    places = Places(2, patience=PATIENCE)
    held = await places.take("one")
    other = await places.take("two")
    for _ in range(2):
        with pytest.raises(NothingEnds):
            await places.take("one")
    assert places.turns.waiting == 0
    places.give_back(held)
    places.give_back(other)
    await places.wait_idle()

    places.give_back(await places.take("one"))


async def test_who_waits_while_others_end() -> None:
    """While places are given back, a turn is waited for, however long it takes."""
    now = 0.0
    places = Places(1, patience=PATIENCE, now=lambda: now)
    held = await places.take("one")
    places.give_back(held)
    held = await places.take("one")
    waiting = asyncio.create_task(places.take("two"))
    await asyncio.wait([waiting], timeout=5 * PATIENCE)
    assert not waiting.done()
    places.give_back(held)

    places.give_back(await waiting)


async def test_a_caller_who_leaves_as_they_are_refused() -> None:
    """No place is given back that was never given."""
    places = Places(1, patience=PATIENCE)
    held = await places.take("one")
    waiting = asyncio.create_task(places.take("two"))
    await asyncio.sleep(0)
    while places.turns.waiting:  # noqa: ASYNC110  # until the moment of the refusal
        await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    places.give_back(held)
    await places.wait_idle()

    assert places.turns.waiting == 0


async def test_all_who_wait_until_nothing_is_under_way_go_on() -> None:
    """Several may wait for the end of all work, each from another moment."""
    places = Places(1)
    held = await places.take("one")
    waiting = [asyncio.create_task(places.wait_idle()) for _ in range(2)]
    await asyncio.sleep(0)
    places.give_back(held)

    await asyncio.wait_for(asyncio.gather(*waiting), timeout=60.0)

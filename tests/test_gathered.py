"""Look-ups that are made together."""

import asyncio
from collections.abc import Sequence

import pytest

from hubbub.kernel.errors import Unavailable
from hubbub.kernel.gathered import Gathered

MOST = 3


class LookUps:
    """Doubles numbers. Each look-up waits until it is let go on, and is noted when it begins."""

    def __init__(self) -> None:
        self.begun: asyncio.Queue[Sequence[int]] = asyncio.Queue()
        self.is_away = False
        self.broken: int | None = None
        """What can't be doubled."""
        self._may_go_on: asyncio.Queue[None] = asyncio.Queue()

    async def let_pass(self, count: int) -> list[list[int]]:
        """Have some look-ups go on, each once it has begun; return what they are for."""
        passed = []
        for _ in range(count):
            passed.append(list(await self.begun.get()))
            self._may_go_on.put_nowait(None)
        return passed

    async def __call__(self, wanted: Sequence[int]) -> list[int]:
        self.begun.put_nowait(wanted)
        await self._may_go_on.get()
        if self.is_away:
            raise Unavailable("The store is away.")
        if self.broken in wanted:
            raise ValueError(self.broken)
        return [2 * number for number in wanted]


@pytest.fixture
def look_ups() -> LookUps:
    """The look-ups that are made."""
    return LookUps()


@pytest.fixture
def doubles(look_ups: LookUps) -> Gathered[int, int]:
    """The one that gathers them."""
    return Gathered(look_ups, MOST)


def start(doubles: Gathered[int, int], *numbers: int) -> list[asyncio.Task[int]]:
    """Look up numbers concurrently."""
    return [asyncio.create_task(doubles.find(number)) for number in numbers]


async def test_those_that_come_meanwhile_are_looked_up_together(
    doubles: Gathered[int, int], look_ups: LookUps
) -> None:
    """The first goes alone, the others in few look-ups; each gets what was found for it."""
    tasks = start(doubles, 1, 2, 3, 4, 5)
    assert await look_ups.let_pass(3) == [[1], [2, 3, 4], [5]]
    assert await asyncio.gather(*tasks) == [2, 4, 6, 8, 10]

    [later] = start(doubles, 6)
    assert await look_ups.let_pass(1) == [[6]]
    assert await later == 12


async def test_the_same_thing_is_found_for_each(
    doubles: Gathered[int, int], look_ups: LookUps
) -> None:
    """Callers who want the same thing at once all get it."""
    tasks = start(doubles, 1, 7, 7)
    await look_ups.let_pass(2)
    assert await asyncio.gather(*tasks) == [2, 14, 14]


async def test_none_can_fail_another(doubles: Gathered[int, int], look_ups: LookUps) -> None:
    """A look-up that fails is repeated one by one; only the broken one gets the error."""
    look_ups.broken = 3
    tasks = start(doubles, 1, 2, 3, 4)
    assert await look_ups.let_pass(5) == [[1], [2, 3, 4], [2], [3], [4]]
    found = await asyncio.gather(*tasks, return_exceptions=True)
    assert [*found[:2], found[3]] == [2, 4, 8]
    assert isinstance(found[2], ValueError)


async def test_all_are_told_that_the_store_is_away(
    doubles: Gathered[int, int], look_ups: LookUps
) -> None:
    """It is not asked again for each of them; the next ones are looked up again."""
    tasks = start(doubles, 1, 2, 3)
    look_ups.is_away = True
    await look_ups.let_pass(2)
    failures = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(each) for each in failures] == [Unavailable] * 3

    look_ups.is_away = False
    [later] = start(doubles, 4)
    await look_ups.let_pass(1)
    assert await later == 8


async def test_a_caller_who_leaves_is_no_loss_to_others(
    doubles: Gathered[int, int], look_ups: LookUps
) -> None:
    """If callers are cancelled, during their look-up or before it, others are answered."""
    first, second, third = start(doubles, 1, 2, 3)
    await look_ups.begun.get()
    first.cancel()
    second.cancel()
    await look_ups.let_pass(1)
    assert await third == 6

"""Long work on the event loop."""

import asyncio
from collections.abc import Callable, Sequence

import pytest
from tests.clock import ManualClock
from tests.rests import GivenRests

from hubbub.kernel.pieces import Pieces


async def test_work_is_done_in_pieces() -> None:
    """Make things in order, from pieces of the size that was asked for."""
    sizes: list[int] = []

    def double(some: Sequence[int]) -> list[int]:
        sizes.append(len(some))
        return [2 * each for each in some]

    assert await Pieces().make("app", range(25), double, size=10) == list(range(0, 50, 2))
    assert sizes == [10, 10, 5]


async def most_in_a_turn(
    pieces: Pieces, work: Callable[[], None], after: Callable[[], None]
) -> int:
    """Return the most pieces that a turn of the loop has, of calls of many apps.

    `work` is done in each piece, `after` by others in each turn.
    """
    done, most = 0, 0

    def note(some: Sequence[int]) -> Sequence[int]:
        nonlocal done
        done += 1
        work()
        return some

    async def watch() -> None:
        nonlocal most
        while done < 200:
            before = done
            after()
            await asyncio.sleep(0)
            most = max(most, done - before)

    calls = [pieces.make(f"app-{number}", range(10), note, size=1) for number in range(20)]
    await asyncio.gather(watch(), *calls)
    return most


async def test_one_piece_at_a_time_of_all_calls(clock: ManualClock) -> None:
    """However many calls have long work, an idle loop does what waits after each piece."""
    pieces = Pieces(now=clock.monotonic)

    assert await most_in_a_turn(pieces, lambda: clock.advance(0.001), lambda: None) == 1


@pytest.mark.parametrize(("others", "pieces_of_1_ms"), [(0.003, 1), (0.007, 2), (0.100, 3)])
async def test_pieces_have_a_share_of_a_busy_loop(
    clock: ManualClock, others: float, pieces_of_1_ms: int
) -> None:
    """Pieces have a quarter of what others take of a turn of the loop, but hardly over 2 ms."""
    most = await most_in_a_turn(
        Pieces(now=clock.monotonic), lambda: clock.advance(0.001), lambda: clock.advance(others)
    )

    assert 1 <= most <= pieces_of_1_ms
    assert others < 0.007 or most >= 2


async def test_apps_take_turns_at_pieces() -> None:
    """An app with little work does not wait for all the work of another one."""
    pieces, order = Pieces(), list[str]()

    def noting(app: str, count: int) -> "asyncio.Task[list[int]]":
        def work(some: Sequence[int]) -> Sequence[int]:
            order.append(app)
            return some

        return asyncio.create_task(pieces.make(app, range(count), work, size=1))

    await asyncio.gather(*(noting("loud", 20) for _ in range(20)), noting("quiet", 2))

    assert len(order) == 402
    assert [at for at, app in enumerate(order) if app == "quiet"][-1] <= 10


async def test_a_piece_that_fails() -> None:
    """The call gets the error, and others go on."""
    pieces = Pieces()

    def fail(some: Sequence[int]) -> Sequence[int]:
        raise ValueError(len(some))

    failing = pieces.make("app", range(4), fail, size=2)
    [failure, made] = await asyncio.gather(
        failing, pieces.make("app", range(4), list, size=2), return_exceptions=True
    )

    assert isinstance(failure, ValueError)
    assert made == [0, 1, 2, 3]


async def test_an_app_rests_after_a_piece() -> None:
    """While an app rests the pieces of others are done, all of them; then it goes on."""
    pieces, order = Pieces(GivenRests(loud=0.05)), list[str]()

    async def do_three(app: str) -> None:
        for _ in range(3):
            await pieces.do(app, lambda: order.append(app))

    await asyncio.gather(do_three("loud"), do_three("quiet"))

    assert order == ["loud", *["quiet"] * 3, "loud", "loud"]


async def test_a_piece_that_fails_gives_the_loop_to_the_others() -> None:
    """After work that raises, others have their turn."""
    pieces = Pieces()

    def fail() -> None:
        raise ZeroDivisionError

    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            await pieces.do("loud", fail)

    assert await pieces.do("quiet", lambda: 1) == 1

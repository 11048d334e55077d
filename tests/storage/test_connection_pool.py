"""The pool of connections to PostgreSQL: which ones are used again, and which are closed."""

from dataclasses import dataclass

import pytest

from hubbub.storage.postgres.pool import IDLE_SECONDS, LONGEST_SECONDS, ConnectionPool, Plans


@dataclass(eq=False)
class FakeConnection:
    """A connection that only opens and closes."""

    plans: Plans
    is_over: bool = False

    def is_closed(self) -> bool:
        return self.is_over

    def terminate(self) -> None:
        self.is_over = True

    async def close(self, *, timeout: float) -> None:  # noqa: ASYNC109  # as the driver has it
        self.is_over = timeout > 0


@dataclass
class Time:
    """A clock that a test sets."""

    now: float = 0.0


@pytest.fixture
def time() -> Time:
    """The clock of the pool."""
    return Time()


@pytest.fixture
def pool(time: Time) -> ConnectionPool:
    """A pool of at most three connections."""

    async def connect(plans: Plans) -> FakeConnection:
        return FakeConnection(plans)

    return ConnectionPool(connect, 3, now=lambda: time.now)


async def test_the_last_one_is_used_again(pool: ConnectionPool) -> None:
    """A connection of the same kind is used again; one for pages plans differently."""
    first, second = await pool.take(Plans.USUAL), await pool.take(Plans.USUAL)
    pool.give_back(first)
    pool.give_back(second)

    assert await pool.take(Plans.USUAL) is second
    assert (await pool.take(Plans.ONCE)).connection.plans is Plans.ONCE
    assert (pool.size, pool.idle) == (3, 1)


async def test_no_more_than_the_most_are_open(pool: ConnectionPool) -> None:
    """One of another kind that is idle is closed to make room."""
    taken = [await pool.take(Plans.USUAL) for _ in range(3)]
    pool.give_back(taken[0])
    await pool.take(Plans.ONCE)
    await pool.close()

    assert [each.connection.is_closed() for each in taken] == [True, False, False]
    assert pool.size == 3


async def test_old_and_idle_connections_are_closed(pool: ConnectionPool, time: Time) -> None:
    """A connection that nobody has wanted for long is closed, and one that is old."""
    idle, busy = await pool.take(Plans.USUAL), await pool.take(Plans.USUAL)
    pool.give_back(idle)
    time.now = IDLE_SECONDS + 1
    pool.give_back(busy)
    assert (pool.size, pool.idle) == (1, 1)

    assert await pool.take(Plans.USUAL) is busy
    time.now = LONGEST_SECONDS + 1
    pool.give_back(busy)
    await pool.close()
    assert (pool.size, idle.connection.is_closed(), busy.connection.is_closed()) == (0, True, True)


async def test_connections_that_are_lost(pool: ConnectionPool) -> None:
    """One that has ended is not used again; after `expire` none is, once it is given back."""
    broken, taken = await pool.take(Plans.USUAL), await pool.take(Plans.USUAL)
    pool.give_back(broken)
    broken.connection.terminate()
    other = await pool.take(Plans.USUAL)
    assert other is not broken
    pool.give_back(other)
    pool.expire()
    pool.give_back(taken)
    await pool.close()

    assert (pool.size, taken.connection.is_closed(), other.connection.is_closed()) == (
        0,
        True,
        True,
    )

"""Time requests: compared ones in turn, after a warm-up that does not count."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence

WARM_UP = 7
"""Calls that don't count: PostgreSQL settles on a plan after five."""
LEAST_CALLS, MOST_CALLS = 11, 101
CLIENTS, REQUESTS_OF_CLIENT = 16, 5
REQUESTS_OF_CLIENTS = CLIENTS * REQUESTS_OF_CLIENT

Ask = Callable[[], Awaitable[object]]


async def time_in_turn(asks: Sequence[Ask], seconds: float) -> list[list[float]]:
    """Return the seconds of each request, each time, for about this many seconds in total.

    The requests run in turn, so that a disturbance does not affect one of them alone.
    """
    took: list[list[float]] = [[] for _ in asks]
    for call in range(WARM_UP + MOST_CALLS):
        if call == WARM_UP:
            deadline = time.perf_counter() + seconds
        for ask, seconds_of_ask in zip(asks, took, strict=True):
            started = time.perf_counter()
            await ask()
            if call >= WARM_UP:
                seconds_of_ask.append(time.perf_counter() - started)
        if call >= WARM_UP + LEAST_CALLS - 1 and time.perf_counter() > deadline:
            break
    return took


def at_once(ask: Ask) -> Ask:
    """Return the seconds of concurrent requests of many clients, each several times."""

    async def client() -> None:
        for _ in range(REQUESTS_OF_CLIENT):
            await ask()

    async def clients() -> None:
        await asyncio.gather(*(client() for _ in range(CLIENTS)))

    return clients

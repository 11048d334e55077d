"""Threads for slow work: apps take turns, none has all of them, and each has its own queue."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable

import pytest
from tests.soon import until

from hubbub.kernel.threads import Threads
from hubbub.kernel.turns import QueueFull


class Gate:
    """Work that stays on its thread until the test lets it go; notes what began, in order."""

    def __init__(self) -> None:
        self.began: list[str] = []
        self._opened: dict[str, threading.Event] = {}

    def work(self, name: str) -> Callable[[], str]:
        opened = self._opened[name] = threading.Event()

        def stay() -> str:
            self.began.append(name)
            assert opened.wait(30.0), "the test never let it go"
            return name

        return stay

    def let_go(self, *names: str) -> None:
        for name in names or [*self._opened]:
            self._opened[name].set()


@pytest.fixture
async def threads() -> AsyncIterator[Threads]:
    """Two threads, with room for four of an app to wait."""
    threads = Threads(threads=2, most_waiting=4)
    yield threads
    await threads.drain()
    threads.close()


async def test_an_app_leaves_a_thread_to_others(threads: Threads) -> None:
    """While one app has much to do, another's work begins at once."""
    gate = Gate()
    loud = [asyncio.create_task(threads.run("loud", gate.work(f"loud-{n}"))) for n in range(3)]
    await until(lambda: gate.began)
    quiet = asyncio.create_task(threads.run("quiet", gate.work("quiet")))
    await until(lambda: "quiet" in gate.began)

    assert gate.began == ["loud-0", "quiet"]
    gate.let_go()
    assert await asyncio.gather(*loud, quiet) == ["loud-0", "loud-1", "loud-2", "quiet"]


async def test_who_fills_their_queue_is_refused(threads: Threads) -> None:
    """The app that has too much waiting is told to come back; no other is."""
    gate = Gate()
    loud = [asyncio.create_task(threads.run("loud", gate.work(f"loud-{n}"))) for n in range(6)]
    await asyncio.sleep(0)
    quiet = asyncio.create_task(threads.run("quiet", gate.work("quiet")))
    await until(loud[5].done)
    gate.let_go()

    with pytest.raises(QueueFull) as refused:
        await loud[5]
    assert refused.value.retry_after_seconds == 1
    assert await asyncio.gather(*loud[:5], quiet) == [*(f"loud-{n}" for n in range(5)), "quiet"]


async def test_who_leaves_does_not_wait(threads: Threads) -> None:
    """Work whose caller has left is not begun; that which is under way keeps its thread."""
    gate = Gate()
    calls = [asyncio.create_task(threads.run("app", gate.work(f"{n}"))) for n in range(3)]
    await until(lambda: gate.began)
    calls[0].cancel()
    calls[1].cancel()
    await asyncio.wait(calls[:2])
    assert threads.places.turns.depths() == {"app": 1}
    gate.let_go()

    assert await calls[2] == "2"
    assert gate.began == ["0", "2"]


async def test_errors_are_for_the_caller(threads: Threads) -> None:
    """Work that fails gives its thread back."""

    def fail() -> None:
        raise ZeroDivisionError

    for _ in range(5):
        with pytest.raises(ZeroDivisionError):
            await threads.run("app", fail)
    assert await threads.run("app", lambda: "done") == "done"

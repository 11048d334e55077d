"""Worker processes: when they are started again, and how they are stopped."""

import asyncio
import os
import sys

import psutil
import pytest
from structlog.testing import capture_logs
from tests.soon import until

from hubbub.cli.supervise import WorkerFailed, Workers

READY = "print('ready', flush=True);"
WAITS = f"import signal; {READY} signal.pause()"
DIES = f"import os; {READY} os._exit(3)"
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {READY} signal.pause()"


def workers(program: str, count: int = 2, **limits: float) -> Workers:
    """Return workers that run a program of Python."""
    return Workers(count, (sys.executable, "-c", program), {"HUBBUB_PORT": "1"}, **limits)


def children() -> list[psutil.Process]:
    """Return the processes that this one has started and that run."""
    return [
        child
        for child in psutil.Process(os.getpid()).children()
        if child.cmdline()[:2] == [sys.executable, "-c"]
    ]


async def test_workers_that_die_again_and_again() -> None:
    """They are started again for ever, after pauses that grow."""
    running = workers(DIES, 1)
    with capture_logs() as lines:
        async with running.running():
            await until(lambda: len(lines) == 3)

    assert [line["code"] for line in lines[:3]] == [3, 3, 3]
    assert [line["again_in_seconds"] for line in lines[:3]] == [0.4, 0.8, 1.6]


async def test_a_worker_that_never_was_ready() -> None:
    """A start fails if a worker ends before it is ready, and the others are stopped."""
    with pytest.raises(WorkerFailed):
        async with workers("import sys; sys.exit(1)").running():
            pytest.fail("the block must not begin")

    assert not children()


async def test_the_block_begins_when_all_are_ready() -> None:
    """Inside the block all workers run; after it, none does."""
    running = workers(WAITS, 3)
    async with running.running():
        assert len(children()) == 3

    assert not children()


async def test_a_stop_while_the_workers_start() -> None:
    """A signal that comes before the workers are ready stops them, too."""
    running = workers("import time; time.sleep(1000)", 2)
    asyncio.get_running_loop().call_later(0.05, running.stop)
    async with asyncio.timeout(30):
        async with running.running():
            await running.wait_stopping()

    assert not children()


async def test_a_worker_that_does_not_stop() -> None:
    """It is killed after some time, and the log says so."""
    with capture_logs() as lines:
        async with workers(STUBBORN, 1, stop_seconds=0.2).running():
            pass

    assert [line["event"] for line in lines] == ["worker_killed"]
    assert not children()

"""Run worker processes: start them, start again those that end, and stop them together."""

import asyncio
import os
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress

import structlog

log = structlog.get_logger()

FIRST_PAUSE_SECONDS = 0.2
LONGEST_PAUSE_SECONDS = 10.0
STABLE_SECONDS = 30.0
"""A worker that has run for so long is started again after the first pause."""
STOP_SECONDS = 38.0
"""The longest that workers may take to finish what they have accepted."""


class WorkerFailed(Exception):
    """A worker ended before it was ready; it has printed the reason."""

    def __init__(self) -> None:
        super().__init__("A node did not start, for the reason above.")


class Workers:
    """Processes that say a line on stdout when they are ready, and stop on SIGTERM.

    Their stdin is a pipe that ends with this process: then they stop, too.
    """

    def __init__(
        self,
        count: int,
        command: Sequence[str],
        environment: Mapping[str, str],
        *,
        stop_seconds: float = STOP_SECONDS,
    ) -> None:
        self._count = count
        self._stop_seconds = stop_seconds
        self._command = command
        self._environment = {**os.environ, **environment}
        self._processes: dict[int, Process] = {}
        self._ready: set[int] = set()
        self._changed = asyncio.Event()
        self._stopping = asyncio.Event()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run the workers inside the block, which begins when all are ready, or are to stop.

        Raises:
            WorkerFailed: one ended before it was ready for the first time.
        """
        keepers = [asyncio.create_task(self._keep(number)) for number in range(self._count)]
        try:
            await self._wait_ready(keepers)
            yield
        finally:
            self.stop()
            await self._end(keepers)

    def stop(self) -> None:
        """Have all workers finish, and start none any more."""
        self._stopping.set()
        self._changed.set()
        for process in self._processes.values():
            with suppress(ProcessLookupError):
                process.terminate()

    async def wait_stopping(self) -> None:
        """Wait until the workers are to stop."""
        await self._stopping.wait()

    async def _wait_ready(self, keepers: Sequence[asyncio.Task[None]]) -> None:
        while len(self._ready) < self._count and not self._stopping.is_set():
            self._changed.clear()
            await self._changed.wait()
            if any(keeper.done() for keeper in keepers):
                raise WorkerFailed

    async def _end(self, keepers: Sequence[asyncio.Task[None]]) -> None:
        _, late = await asyncio.wait(keepers, timeout=self._stop_seconds)
        for process in self._processes.values():
            log.error("worker_killed", pid=process.pid)
            process.kill()
        if late:
            await asyncio.wait(late)

    async def _keep(self, number: int) -> None:
        """Run a worker, again and again; give up if it is not ready the first time."""
        pause = FIRST_PAUSE_SECONDS
        while True:
            began = time.monotonic()
            code = await self._run(number)
            if self._stopping.is_set() or number not in self._ready:
                self._changed.set()
                return
            is_stable = time.monotonic() - began > STABLE_SECONDS
            pause = FIRST_PAUSE_SECONDS if is_stable else min(2 * pause, LONGEST_PAUSE_SECONDS)
            log.error("worker_ended", code=code, again_in_seconds=pause)
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._stopping.wait()
                return

    async def _run(self, number: int) -> int:
        process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=PIPE,
            stdout=PIPE,
            env=self._environment,
            start_new_session=True,  # Ctrl+C is for this process, which passes it on
        )
        self._processes[number] = process
        if self._stopping.is_set():
            self.stop()
        assert process.stdout is not None
        if await process.stdout.readline():
            self._ready.add(number)
            self._changed.set()
        code = await process.wait()
        del self._processes[number]
        return code

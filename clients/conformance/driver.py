"""The driver's process, and the lines that pass between it and the suite."""

import asyncio
import json
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from conformance.verdict import NoDriver

Line = dict[str, Any]
LONGEST_LINE = 1_000_000
LEAVE_SECONDS = 5.0
"""How long a driver may take to end once its input has ended."""


class Driver:
    """A process of the author's command."""

    def __init__(self, process: asyncio.subprocess.Process, hear: Callable[[Line], None]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._hear = process, hear
        self._stdin, self._stdout = process.stdin, process.stdout
        self._reading: asyncio.Task[None] | None = None
        self.fault = ""
        """Why nothing more comes from it."""

    @classmethod
    async def start(cls, command: Sequence[str], hear: Callable[[Line], None]) -> "Driver":
        """Start the command; `hear` gets each line that it says, and `{}` when no more comes.

        Raises:
            NoDriver: it can't be started.
        """
        pipe = asyncio.subprocess.PIPE
        try:
            process = await asyncio.create_subprocess_exec(
                *command, stdin=pipe, stdout=pipe, limit=LONGEST_LINE, start_new_session=True
            )
        except OSError as failure:
            raise NoDriver(f"{command[0]} can't be started: {failure}") from None
        driver = cls(process, hear)
        driver._reading = asyncio.create_task(driver._read())
        return driver

    async def _read(self) -> None:
        try:
            while text := await self._stdout.readline():
                self._hear(_decode(text))
            self.fault = "The driver has ended."
        except (NoDriver, ValueError) as failure:
            self.fault = str(failure)
        self._hear({})

    async def say(self, line: Line) -> None:
        """Write a line, unless the driver is gone."""
        with suppress(ConnectionError):
            self._stdin.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
            await self._stdin.drain()

    async def stop(self) -> None:
        """End its input, and then the process with all that it has started."""
        self._stdin.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(LEAVE_SECONDS):
                await self._process.wait()
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        await self._process.wait()
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait([self._reading])


def _decode(text: bytes) -> Line:
    try:
        line = json.loads(text)
    except ValueError:
        line = None
    if not isinstance(line, dict) or not isinstance(line.get("saw"), str):
        raise NoDriver(f"The driver has printed {text[:200]!r}, which is no line of the protocol.")
    return line

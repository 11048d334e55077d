"""Two people in two terminals, run as the examples' README says, with lines on their input."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.conftest import NewSettings
from tests.documents.blocks import ROOT, take
from tests.live import LiveNode, environment

HEADING = "## `live.py`: two people in a terminal"
_BEGINNING = """\
KEY=$(cat hubbub-data/demo-key.txt)
TOKEN=$(curl -X POST http://127.0.0.1:8080/v3/users/"""
ANNA = take("examples/README.md", HEADING, beginning=f"{_BEGINNING}anna")
BEN = take("examples/README.md", HEADING, beginning=f"{_BEGINNING}ben")
PATIENCE_SECONDS = 60


class Terminal:
    """A person's terminal."""

    def __init__(self, process: Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process, self._typed, self._shown = process, process.stdin, process.stdout

    def type(self, line: str) -> None:
        """Type a line."""
        self._typed.write(f"{line}\n".encode())

    async def see(self, text: str) -> list[str]:
        """Read lines until one is `text`, and return those before it."""
        before: list[str] = []
        async with asyncio.timeout(PATIENCE_SECONDS):
            while (line := (await self._shown.readline()).decode().rstrip("\n")) != text:
                assert line, (before, text)
                before.append(line)
        return before

    async def end(self) -> None:
        """End the input; the program ends when all was answered."""
        self._typed.close()
        async with asyncio.timeout(PATIENCE_SECONDS):
            assert await self.process.wait() == 0


@asynccontextmanager
async def terminal(lines: str, node: LiveNode) -> AsyncIterator[Terminal]:
    """Yield a terminal in which the lines of the README run, with the node's address."""
    for shown, here in (
        ("127.0.0.1:8080", f"127.0.0.1:{node.port}"),
        (".venv/bin/python", sys.executable),
        ("hubbub-data", str(node.data)),
    ):
        lines = lines.replace(shown, here)
    process = await asyncio.create_subprocess_exec(
        *("bash", "-euc", lines),
        cwd=ROOT,
        stdin=PIPE,
        stdout=PIPE,
        env=environment(PATH=os.environ["PATH"]),
        start_new_session=True,
    )
    try:
        yield Terminal(process)
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()


async def test_two_people_talk_through_a_restart(new_settings: NewSettings) -> None:
    """Each sees what the other types and sends; after a restart too, and nothing comes twice."""
    with LiveNode(new_settings(), "--demo") as node:
        async with terminal(ANNA, node) as anna, terminal(BEN, node) as ben:
            await anna.see("* connected as Anna Keller")
            await ben.see("* connected as Ben Osei")
            anna.type("Hello, Ben!")
            assert await ben.see("anna: Hello, Ben!") == []
            assert await anna.see("anna: Hello, Ben!") == []
            ben.type("")
            assert await anna.see("* ben is typing …") == []

            await asyncio.to_thread(node.stop)
            await anna.see("* cut: The server restarts.")
            anna.type("Said in between")
            await asyncio.to_thread(node.start)
            await ben.see("* connected as Ben Osei, nothing missed")
            await ben.see("anna: Said in between")
            ben.type("Heard")
            assert "anna: Hello, Ben!" not in await anna.see("ben: Heard")
            await anna.end()
            await ben.end()


async def test_a_refused_token_ends_the_program(new_settings: NewSettings) -> None:
    """Who has no valid token is told so, and the program does not try again."""
    with LiveNode(new_settings(), "--demo") as node:
        lines = ANNA.replace("$TOKEN ben", "unknown ben")
        async with terminal(lines, node) as anna:
            await anna.see("* cut: The auth token is not known.")
            await anna.end()

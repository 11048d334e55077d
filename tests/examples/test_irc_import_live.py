"""The IRC import against a node in its own process, run as by a user of the example."""

import asyncio
import sys
from asyncio.subprocess import PIPE, STDOUT
from pathlib import Path

from tests.live import LiveNode

HERE = Path(__file__).parent
SCRIPT = HERE.parents[1] / "examples" / "irc_import.py"
LOGS = HERE / "ubuntu_irc_excerpt"


async def run_import(*arguments: str | Path) -> tuple[int | None, str]:
    """Run the script; return its exit code and output."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, SCRIPT, *arguments, "--logs", LOGS, stdout=PIPE, stderr=STDOUT
    )
    output, _ = await asyncio.wait_for(process.communicate(), 120)
    return process.returncode, output.decode()


async def test_real_logs_come_back_as_they_went_in(live: LiveNode) -> None:
    """An import of real logs ends without differences, and so does the same import once more."""
    world = await live.world(name="IRC")

    for _ in range(2):
        code, said = await run_import(
            "--url", live.address, "--app", world.app_id, "--key", world.key
        )

        assert (code, said.splitlines()[-1]) == (0, "0 differences"), said

"""The IRC import against a node in its own process, run as by a user of the example."""

import asyncio
from pathlib import Path

from tests.documents.blocks import ROOT, take
from tests.documents.shell import run
from tests.live import LiveNode

LOGS = Path(__file__).parent / "ubuntu_irc_excerpt"
HEADING = "## `irc_import.py`: import real chat logs, read them back, compare"
COMMAND = take("examples/README.md", HEADING, "")


async def test_real_logs_come_back_as_they_went_in(live: LiveNode) -> None:
    """An import of real logs ends without differences, and so does the same import once more."""
    world = await live.world(name="IRC")
    command = (
        COMMAND.replace("http://127.0.0.1:8080", live.address)
        .replace("APP", world.app_id)
        .replace("KEY", world.key)
        .replace("LOGS", str(LOGS))
    )

    for _ in range(2):
        said = await asyncio.to_thread(run, command, ROOT)

        assert said.splitlines()[-1] == "0 differences", said

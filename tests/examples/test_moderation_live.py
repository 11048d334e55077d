"""The moderation case against a node in its own process, run as by a user of the script."""

import asyncio
import sys
from asyncio.subprocess import PIPE, STDOUT

from tests.documents.blocks import ROOT, take
from tests.documents.shell import run
from tests.live import LiveNode

SCRIPT = ROOT / "examples" / "moderation.py"
HEADING = "## `moderation.py`: a moderation case, with the users' own tokens"
COMMAND = take("examples/README.md", HEADING, "")


async def play(*arguments: str) -> tuple[int | None, str]:
    """Run the script; return its exit code and output."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, SCRIPT, *arguments, stdout=PIPE, stderr=STDOUT
    )
    output, _ = await asyncio.wait_for(process.communicate(), 60)
    return process.returncode, output.decode()


async def test_a_case_of_moderation_is_played(live: LiveNode) -> None:
    """The case runs as expected, also again in the same app."""
    world = await live.world(name="Moderation")
    command = (
        COMMAND.replace("http://127.0.0.1:8080", live.address)
        .replace("APP", world.app_id)
        .replace("KEY", world.key)
    )

    for _ in range(2):
        said = await asyncio.to_thread(run, command, ROOT)

        assert said.splitlines()[-1] == "Everything went as expected.", said


async def test_a_failed_call_is_reported(live: LiveNode) -> None:
    """With a key of narrow scope the script reports the call that failed, and exits with 1."""
    world = await live.world(name="Moderation")

    code, said = await play("--url", live.address, "--app", world.app_id, "--key", "0" * 40)

    assert code == 1
    assert "That was not expected. POST /users" in said

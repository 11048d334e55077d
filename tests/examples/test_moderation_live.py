"""The case of moderation against a node in a process of its own, as a user runs the script."""

import asyncio
import sys
from asyncio.subprocess import PIPE, STDOUT
from pathlib import Path

from tests.live import LiveNode

SCRIPT = Path(__file__).parents[2] / "examples" / "moderation.py"


async def play(*arguments: str) -> tuple[int | None, str]:
    """The exit code and the output of the script."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, SCRIPT, *arguments, stdout=PIPE, stderr=STDOUT
    )
    output, _ = await asyncio.wait_for(process.communicate(), 60)
    return process.returncode, output.decode()


async def test_a_case_of_moderation_is_played(live: LiveNode) -> None:
    """The case goes as it is told, and may be played again in the same app."""
    world = await live.world(name="Moderation")

    for _ in range(2):
        code, said = await play("--url", live.address, "--app", world.app_id, "--key", world.key)

        assert (code, said.splitlines()[-1]) == (0, "Everything went as it should."), said


async def test_a_story_that_goes_wrong_is_told(live: LiveNode) -> None:
    """With a key that may not do it the script says which call failed, and ends with 1."""
    world = await live.world(name="Moderation")

    code, said = await play("--url", live.address, "--app", world.app_id, "--key", "0" * 40)

    assert code == 1
    assert "That was not expected. POST /users" in said

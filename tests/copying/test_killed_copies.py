"""Copies that are killed at any moment: the same command goes on, and nothing is lost or twice."""

import random
import signal
import subprocess
import sys
from dataclasses import replace

import pytest
from tests.conftest import NewSettings
from tests.copying.filled import checksums
from tests.copying.installation import Installation
from tests.live import environment

from hubbub.bootstrap import open_tables
from hubbub.config import Settings

LONGEST_SECONDS = 60
KILLED_AT = """
import os, signal, sys
import hubbub.domain.search.rebuild
from hubbub import cli
from hubbub.moving.copying import rows
from hubbub.storage.postgres.tables import PostgresTables
from hubbub.storage.sqlite.tables import SqliteTables

left = int(sys.argv.pop(1))  # a copy of the story has 286 steps
rows.MOST_ROWS = 3

def killing(call):
    def note():
        global left
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

    async def killed(*args, **more):
        note()
        await call(*args, **more)
        note()
    return killed

for engine in (PostgresTables, SqliteTables):
    for name in ("begin", "insert", "note", "finish"):
        setattr(engine, name, killing(getattr(engine, name)))
module = sys.modules["hubbub.domain.search.rebuild"]
module.store_piece = killing(module.store_piece)
module.MOST_MESSAGES = 3
cli.main()
"""


def copy(step: int, source: Settings, to: str) -> int:
    """Copy a store, killed at a step, and return the exit code."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED_AT, str(step), "copy", "--data", source.data, "--to", to],
        env=environment(),
        capture_output=True,
        timeout=LONGEST_SECONDS,
        check=False,
    )
    assert done.returncode in (0, -signal.SIGKILL), done
    return done.returncode


@pytest.fixture(scope="module")
async def original(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """An installation that is not served, with its answers."""
    made = Installation(Settings(data=tmp_path_factory.mktemp("killed")))
    await made.fill()
    return made


async def check_killed(original: Installation, target: Settings, steps: list[int]) -> None:
    """Kill a copy at steps, one command after the other, and complete it; check the result."""
    to = target.database_url or str(target.data)
    for step in steps:
        if copy(step, original.settings, to) == 0:
            break
    else:
        assert copy(-1, original.settings, to) == 0
    source, copied = await open_tables(original.settings), await open_tables(target)
    expected, found = await checksums(source), await checksums(copied)
    assert await copied.find_progress() is None
    await source.close()
    await copied.close()
    different = {name for name in expected if expected[name] != found[name]}
    assert different <= {"counters", "search_positions", "consumer_positions"}  # what is new in it

    data = original.settings.data if target.database_url else target.data
    moved = original.at(replace(target, data=data))  # with the file of the master key
    assert await moved.answers() == original.before
    assert await moved.why_cursor_refused() == "ERR_CURSOR_EXPIRED"


@pytest.mark.parametrize("steps", [[1, 2, 5], [60, 80], [276, 1, 4]], ids=str)
async def test_a_copy_that_is_killed(
    original: Installation, empty_settings: NewSettings, steps: list[int]
) -> None:
    """Killed before and after any commit, several times, the same command completes the copy."""
    await check_killed(original, empty_settings(), steps)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(20))
async def test_copies_that_are_killed_at_random(
    original: Installation, empty_settings: NewSettings, seed: int
) -> None:
    """Killed at random moments, three times, the same command completes the copy."""
    chosen = random.Random(seed)
    await check_killed(original, empty_settings(), [chosen.randrange(1, 286) for _ in range(3)])

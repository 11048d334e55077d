"""An import that is told to stop leaves nothing behind but what the same command goes on with."""

import asyncio
import io
import tarfile
from pathlib import Path
from subprocess import DEVNULL, PIPE

import pytest
from tests.cli.command import LONGEST_SECONDS, options_of
from tests.conftest import NewSettings
from tests.live import HUBBUB, environment
from tests.moving.killed import APP, make_app
from tests.soon import until

from hubbub.cli.exits import INTERRUPTED

MANY_LINES = 200_000


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """A tar archive with many users."""
    lines = "".join(
        f'{{"type": "user", "uid": "u{number}", "name": "Anna"}}\n' for number in range(MANY_LINES)
    ).encode()
    path = tmp_path / "town.tar"
    with tarfile.open(path, "w") as file:
        entry = tarfile.TarInfo("town.jsonl")
        entry.size = len(lines)
        file.addfile(entry, io.BytesIO(lines))
    return path


async def test_an_archive_that_was_unpacked_is_removed(
    archive: Path, tmp_path: Path, new_settings: NewSettings
) -> None:
    """A command that a service manager ends exits as with Ctrl-C, and its unpacked files go."""
    settings = new_settings()
    await make_app(settings)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    command = [*HUBBUB, "import", str(archive), "--app", APP, *options_of(settings)]
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=DEVNULL,
        stdout=DEVNULL,
        stderr=PIPE,
        env={**environment(), "TMPDIR": str(scratch)},
    )
    await until(lambda: any(scratch.glob("*/town.jsonl")), LONGEST_SECONDS)
    process.terminate()
    _, said = await asyncio.wait_for(process.communicate(), LONGEST_SECONDS)
    assert process.returncode == INTERRUPTED, said
    assert b"Interrupted. The same command goes on." in said
    assert not any(scratch.iterdir())

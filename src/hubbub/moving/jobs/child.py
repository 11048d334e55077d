"""Run a command beside the node, for as long as it is wanted."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from hubbub.config import Settings
from hubbub.kernel.errors import Refusal
from hubbub.runtime import Runtime

LEFT_SECONDS = 60
"""A job that nobody has touched for so long was left by a node that died."""
BEAT_SECONDS = 5.0
NICE = 10
LONGEST_ERROR = 1000
IT_FAILED = "It failed; the log of the node may say more."


class Ended(msgspec.Struct, frozen=True):
    """How a command has ended: its exit code, what it printed, and its last complaint."""

    code: int
    printed: bytes
    complaint: str


def staging_folder(settings: Settings) -> Path:
    """Return where staged sources are, in the data folder."""
    return settings.data / "imports"


def job_folder(settings: Settings, job_id: str) -> Path:
    """Return where all is that a node needs for a job, and that ends with it."""
    return staging_folder(settings) / f"job-{job_id}"


async def while_wanted(
    work: Coroutine[Any, Any, None], touch: Callable[[], Awaitable[bool]]
) -> None:
    """Do some work, and `touch` its row meanwhile; end the work when that says it is not wanted."""
    beating = asyncio.create_task(_beat(touch))
    working = asyncio.create_task(work)
    try:
        await asyncio.wait([beating, working], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (beating, working):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def _beat(touch: Callable[[], Awaitable[bool]]) -> None:
    is_wanted = True
    while is_wanted:
        await asyncio.sleep(BEAT_SECONDS)
        with suppress(Refusal):
            is_wanted = await touch()


async def run_command(runtime: Runtime, arguments: Sequence[str], folder: Path) -> Ended:
    """Run `hubbub` with arguments to its end, on the store of the node, at a lower priority.

    What it needs for a while is in the folder. If the caller is cancelled, the command ends first.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "hubbub", *arguments),
        *("--data", str(runtime.settings.data), "--json"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**_environment(runtime), "TMPDIR": str(folder)},
    )
    _put_behind(process.pid)
    try:
        printed, complained = await process.communicate()
    except asyncio.CancelledError:
        with suppress(ProcessLookupError):
            process.terminate()
        await process.wait()
        raise
    lines = complained.decode("utf-8", "replace").splitlines()
    said = [line.removeprefix("hubbub: ") for line in lines if line.startswith("hubbub: ")]
    return Ended(process.returncode or 0, printed, said[-1] if said else "")


def _put_behind(process_id: int) -> None:
    """Give a process what the node leaves; short of memory, the kernel ends it first."""
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, process_id, NICE)
        Path(f"/proc/{process_id}/oom_score_adj").write_text("1000", encoding="ascii")


def _environment(runtime: Runtime) -> Mapping[str, str]:
    """Return the environment of the node, with the settings that were given as options."""
    settings = runtime.settings
    given = {"HUBBUB_DATABASE_URL": settings.database_url, "HUBBUB_FILES_URL": settings.files}
    return {**os.environ, **{name: text for name, text in given.items() if text}}

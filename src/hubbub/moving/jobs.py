"""Run the imports that were asked for by REST, one at a time on a node, in a process of its own.

The process is the command `hubbub import`: it takes no time of the event loop, and a source that
fills its memory ends that process alone. If the node dies, another one goes on after a minute.
"""

import asyncio
import os
import shutil
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO

import msgspec
import structlog

from hubbub.config import make_folder
from hubbub.domain.imports.jobs import read_source, source_path
from hubbub.kernel.errors import Refusal
from hubbub.outbound.errors import NotReached
from hubbub.records.imports import store
from hubbub.records.imports.model import FAILED, ImportJob, ImportRun, encode_job
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION

log = structlog.get_logger()
FOLDER = "imports"
COMPARE = "compare"
"""What is done with stored rows unless something else was asked for."""
LEFT_SECONDS = 60
"""A run that nobody has touched for so long was left by a node that died."""
BEAT_SECONDS = 5.0
FETCH_SECONDS = 6 * 3600.0
NICE = 10
LONGEST_ERROR = 1000


async def run_due_imports(runtime: Runtime) -> None:
    """Run the imports that wait, one after the other."""
    before = runtime.clock.now() - LEFT_SECONDS
    due = await runtime.database.read(
        INSTALLATION, lambda snapshot: store.list_due(snapshot, before, limit=1)
    )
    for app_id, run in due:
        now, job = runtime.clock.now(), run.asked()
        claim = partial(store.claim_run, run=run, now=now)
        if await runtime.database.write(app_id, claim) and job is not None:
            await _carry_out(runtime, app_id, run, job)


async def _carry_out(runtime: Runtime, app_id: str, run: ImportRun, job: ImportJob) -> None:
    folder = runtime.settings.data / FOLDER / f"job-{run.id}"
    beating = asyncio.create_task(_beat(runtime, app_id, run))
    working = asyncio.create_task(_import(runtime, app_id, run, job, folder))
    try:
        # The beat ends when the run was cancelled.
        await asyncio.wait([beating, working], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (beating, working):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        await runtime.threads.run(app_id, lambda: shutil.rmtree(folder, ignore_errors=True))
    await runtime.files.delete([source_path(app_id, run.id)])


async def _beat(runtime: Runtime, app_id: str, run: ImportRun) -> None:
    """Store that this node is at the run, until it is not to be run any more."""
    is_wanted = True
    while is_wanted:
        await asyncio.sleep(BEAT_SECONDS)
        touch = partial(store.touch_run, import_id=run.id, now=runtime.clock.now())
        with suppress(Refusal):
            is_wanted = await runtime.database.write(app_id, touch)


async def _import(
    runtime: Runtime, app_id: str, run: ImportRun, job: ImportJob, folder: Path
) -> None:
    try:
        if job.path is None:
            job = await _fetch(runtime, app_id, run, job)
        source = await _copy(runtime, app_id, job, folder)
        said = await _run_command(runtime, app_id, run, job, source)
    except (NotReached, Refusal, OSError) as fault:
        said = str(fault)
    now = runtime.clock.now()
    has_failed = await runtime.database.write(  # unless the command has stored its end
        app_id,
        lambda tx: store.end_run(
            tx, run.id, state=FAILED, now=now, error=said[-LONGEST_ERROR:] or "It failed."
        ),
    )
    if has_failed:
        log.warning("import_failed", app=app_id, run=run.id, reason=said)


async def _fetch(runtime: Runtime, app_id: str, run: ImportRun, job: ImportJob) -> ImportJob:
    """Store what the URL has, so that it is the same however often the import goes on."""
    path = source_path(app_id, run.id)
    runtime.outbound.call_for(app_id)
    async with runtime.outbound.download(job.url or "", seconds=FETCH_SECONDS) as pieces:
        size = await runtime.files.write(path, pieces)
    name = Path(job.url or "").name.partition("?")[0]
    job = msgspec.structs.replace(job, name=name, path=path, size=size)
    text = encode_job(job)
    await runtime.database.write(app_id, lambda tx: store.set_job(tx, run.id, text))
    return job


async def _copy(runtime: Runtime, app_id: str, job: ImportJob, folder: Path) -> Path:
    """Copy the source from the file store into a folder; return its path."""
    name = "".join(each for each in job.name if each.isalnum() or each in ".-_") or "source"
    path = folder / name.lstrip(".")
    make_folder(folder.parent)
    file = await runtime.threads.run(app_id, lambda: _open(path))
    with file:
        async for piece in await read_source(runtime, job):
            await runtime.threads.run(app_id, partial(file.write, piece))
    return path


def _open(path: Path) -> IO[bytes]:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    return path.open("wb")


async def _run_command(
    runtime: Runtime, app_id: str, run: ImportRun, job: ImportJob, source: Path
) -> str:
    """Run `hubbub import` to its end; return its last complaint."""
    settings = runtime.settings
    options = ["--app", app_id, "--run", run.id, "--data", str(settings.data), "--json"]
    options += ["--from", job.origin] if job.origin else []
    options += ["--on-conflict", run.settings] if run.settings != COMPARE else []
    options += ["--dry-run"] if job.dry_run else []
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "hubbub", "import", str(source), *options),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        env=_environment(runtime),
    )
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, process.pid, NICE)
    try:
        _, complained = await process.communicate()
    except asyncio.CancelledError:
        with suppress(ProcessLookupError):
            process.terminate()
        await process.wait()
        raise
    lines = complained.decode("utf-8", "replace").splitlines()
    said = [line.removeprefix("hubbub: ") for line in lines if line.startswith("hubbub: ")]
    return said[-1] if said else ""


def _environment(runtime: Runtime) -> Mapping[str, str]:
    """Return the environment of the node, with the settings that were given as options."""
    settings = runtime.settings
    given = {"HUBBUB_DATABASE_URL": settings.database_url, "HUBBUB_FILES_URL": settings.files}
    return {**os.environ, **{name: text for name, text in given.items() if text}}

"""Run the imports that wait, one at a time on a node; if it dies, another node goes on later."""

import shutil
import time
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import IO

import msgspec
import structlog

from hubbub.config import make_folder
from hubbub.domain.imports.jobs import read_source, source_path
from hubbub.kernel.errors import Refusal
from hubbub.moving.jobs.child import (
    IT_FAILED,
    LEFT_SECONDS,
    LONGEST_ERROR,
    job_folder,
    run_command,
    while_wanted,
)
from hubbub.outbound.errors import NotReached
from hubbub.records.imports import store
from hubbub.records.imports.model import FAILED, ImportJob, ImportRun, encode_job
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION

log = structlog.get_logger()
COMPARE = "compare"
"""What is done with stored rows unless something else was asked for."""
FETCH_SECONDS = 6 * 3600.0
LARGEST_SOURCE = 64 * 1024**3
SLOW_AFTER_SECONDS = 60.0
LEAST_BYTES_A_SECOND = 100_000
LONGEST_NAME = 100


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
    folder = job_folder(runtime.settings, run.id)

    async def touch() -> bool:
        now = runtime.clock.now()
        return await runtime.database.write(
            app_id, partial(store.touch_run, import_id=run.id, now=now)
        )

    try:
        await while_wanted(_import(runtime, app_id, run, job, folder), touch)
    finally:
        await runtime.threads.run(app_id, lambda: shutil.rmtree(folder, ignore_errors=True))
    await runtime.files.delete([source_path(app_id, run.id)])


async def _import(
    runtime: Runtime, app_id: str, run: ImportRun, job: ImportJob, folder: Path
) -> None:
    try:
        if job.path is None:
            job = await _fetch(runtime, app_id, run, job)
        source = await _copy(runtime, app_id, job, folder)
        arguments = _arguments(app_id, run, job, source)
        said = (await run_command(runtime, arguments, folder)).complaint
    except (NotReached, Refusal, OSError) as fault:
        said = str(fault)
    now = runtime.clock.now()
    has_failed = await runtime.database.write(  # unless the command has stored its end
        app_id,
        lambda tx: store.end_run(
            tx, run.id, state=FAILED, now=now, error=said[-LONGEST_ERROR:] or IT_FAILED
        ),
    )
    if has_failed:
        log.warning("import_failed", app=app_id, run=run.id, reason=said)


async def _fetch(runtime: Runtime, app_id: str, run: ImportRun, job: ImportJob) -> ImportJob:
    """Store what the URL has, so that it is the same however often the import goes on."""
    path = source_path(app_id, run.id)
    runtime.outbound.call_for(app_id)
    async with runtime.outbound.download(job.url or "", seconds=FETCH_SECONDS) as pieces:
        size = await runtime.files.write(path, limit_source(pieces, time.monotonic))
    name = Path(job.url or "").name.partition("?")[0]
    job = msgspec.structs.replace(job, name=name, path=path, size=size)
    text = encode_job(job)
    await runtime.database.write(app_id, lambda tx: store.set_job(tx, run.id, text))
    return job


async def limit_source(
    pieces: AsyncIterator[bytes], clock: Callable[[], float]
) -> AsyncIterator[bytes]:
    """Yield the pieces of a source: it must end, and other apps wait for it.

    Raises:
        NotReached: it is too large, or comes too slowly.
    """
    began, size = clock(), 0
    async for piece in pieces:
        size += len(piece)
        if size > LARGEST_SOURCE:
            raise NotReached(f"It has more than {LARGEST_SOURCE:,} bytes.")
        elapsed = clock() - began
        if elapsed > SLOW_AFTER_SECONDS and size < elapsed * LEAST_BYTES_A_SECOND:
            raise NotReached(f"It sends less than {LEAST_BYTES_A_SECOND:,} bytes a second.")
        yield piece


async def _copy(runtime: Runtime, app_id: str, job: ImportJob, folder: Path) -> Path:
    """Copy the source from the file store into a folder; return its path."""
    name = "".join(
        each for each in job.name if each.isascii() and (each.isalnum() or each in ".-_")
    )
    # In a folder of its own: attachments name files beside it.
    path = folder / "source" / (name[-LONGEST_NAME:].lstrip(".") or "source")
    make_folder(folder.parent)
    make_folder(folder)
    file = await runtime.threads.run(app_id, lambda: _open(path))
    with file:
        async for piece in await read_source(runtime, job):
            await runtime.threads.run(app_id, partial(file.write, piece))
    return path


def _open(path: Path) -> IO[bytes]:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    return path.open("wb")


def _arguments(app_id: str, run: ImportRun, job: ImportJob, source: Path) -> list[str]:
    arguments = ["import", str(source), "--app", app_id, "--run", run.id]
    arguments += ["--from", job.origin] if job.origin else []
    arguments += ["--on-conflict", run.settings] if run.settings != COMPARE else []
    arguments += ["--dry-run"] if job.dry_run else []
    return arguments

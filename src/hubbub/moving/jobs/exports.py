"""Make the exports that wait, one at a time on a node; if it dies, another node makes them."""

import shutil
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import IO

import structlog

from hubbub.config import make_folder
from hubbub.kernel.errors import Refusal
from hubbub.moving.jobs.child import (
    IT_FAILED,
    LEFT_SECONDS,
    LONGEST_ERROR,
    job_folder,
    run_command,
    while_wanted,
)
from hubbub.records.attachments.model import path_of
from hubbub.records.exports import store
from hubbub.records.exports.model import ExportOrder, StoredExport
from hubbub.records.imports.model import CANCELLED, DONE, FAILED
from hubbub.runtime import Runtime
from hubbub.storage.interface import INSTALLATION

log = structlog.get_logger()
GOOD = (0, 1)
"""The exit codes of an export that is there; 1: files are missing, as its report says."""
PIECE = 256 * 1024


async def make_due_exports(runtime: Runtime) -> None:
    """Make the exports that wait, one after the other."""
    before = runtime.clock.now() - LEFT_SECONDS
    due = await runtime.database.read(
        INSTALLATION, lambda snapshot: store.list_due(snapshot, before, limit=1)
    )
    for app_id, export in due:
        claim = partial(store.claim_export, export=export, now=runtime.clock.now())
        if await runtime.database.write(app_id, claim):
            await _carry_out(runtime, app_id, export)


async def _carry_out(runtime: Runtime, app_id: str, export: StoredExport) -> None:
    folder = job_folder(runtime.settings, export.id)

    async def touch() -> bool:
        now = runtime.clock.now()
        return await runtime.database.write(
            app_id, partial(store.touch_export, export_id=export.id, now=now)
        )

    try:
        await while_wanted(_make(runtime, app_id, export, folder), touch)
    finally:
        await runtime.threads.run(app_id, lambda: shutil.rmtree(folder, ignore_errors=True))


async def _make(runtime: Runtime, app_id: str, export: StoredExport, folder: Path) -> None:
    target = folder / "export.zip"
    size, report, said = 0, "", ""
    try:
        await runtime.threads.run(app_id, partial(_make_folder, folder))
        arguments = _arguments(app_id, export.order(), target)
        ended = await run_command(runtime, arguments, folder)
        report, said = ended.printed.decode(), ended.complaint
        if ended.code in GOOD and report:
            pieces = _pieces(runtime, app_id, target)
            size = await runtime.files.write(path_of(app_id, export.id), pieces)
    except (Refusal, OSError) as fault:
        said = str(fault)
    await _end(runtime, app_id, export, size, report, said)


async def _end(
    runtime: Runtime, app_id: str, export: StoredExport, size: int, report: str, said: str
) -> None:
    end = partial(
        store.end_export,
        export_id=export.id,
        state=DONE if size else FAILED,
        now=runtime.clock.now(),
        size=size,
        report=report if size else None,
        error=None if size else said[-LONGEST_ERROR:] or IT_FAILED,
    )
    has_ended = await runtime.database.write(app_id, end)
    if has_ended and not size:
        log.warning("export_failed", app=app_id, export=export.id, reason=said)
    find = partial(store.find_export, export_id=export.id)
    left = None if has_ended else await runtime.database.read(app_id, find)
    if left is not None and left.state == CANCELLED:
        await runtime.files.delete([path_of(app_id, export.id)])


def _arguments(app_id: str, order: ExportOrder, target: Path) -> list[str]:
    given = {
        "--user": order.user,
        "--group": order.group,
        "--since": order.since,
        "--until": order.until,
    }
    options = [each for name, value in given.items() if value is not None for each in (name, value)]
    return ["export", str(target), "--app", app_id, *map(str, options)]


def _make_folder(folder: Path) -> None:
    make_folder(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)


async def _pieces(runtime: Runtime, app_id: str, path: Path) -> AsyncIterator[bytes]:
    file: IO[bytes] = await runtime.threads.run(app_id, lambda: path.open("rb"))
    with file:
        while piece := await runtime.threads.run(app_id, partial(file.read, PIECE)):
            yield piece

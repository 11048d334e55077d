"""Imports that nodes run: ask for one, follow it, cancel it."""

import re
from collections.abc import AsyncIterator, Sequence

from hubbub.domain.attachments.upload import Upload
from hubbub.kernel.errors import BadInput
from hubbub.records.attachments.model import path_of
from hubbub.records.imports import store
from hubbub.records.imports.model import (
    CANCELLED,
    WAITING,
    ImportJob,
    ImportNotFound,
    ImportRun,
    RefusedRow,
    encode_counts,
    encode_job,
)
from hubbub.runtime import Runtime

MOST_LISTED = 100
"""An app's list has its latest imports."""
_CREDENTIALS = re.compile(r"(?<=://)[^/?#\\]*@")
"""The name and password that an address may have: they are used, and never shown."""


async def ask_for_import(
    runtime: Runtime, app_id: str, job: ImportJob, conflicts: str, upload: Upload | None
) -> ImportRun:
    """Store that a source is to be imported: an uploaded file, or what a URL has.

    Raises:
        BadInput: there is neither, or both, or several files.
        Unavailable: the file can't be stored.
    """
    files = upload.files if upload is not None else []
    if len(files) + (job.url is not None) != 1:
        raise BadInput.field("url", "Give a url, or one file.")
    import_id = runtime.ids.hexadecimal(16)
    if files:
        path = source_path(app_id, import_id)
        given = await runtime.files.read(path_of(app_id, files[0].id), 0, files[0].size)
        size = await runtime.files.write(path, given)
        job = ImportJob(job.origin, job.dry_run, name=files[0].name, path=path, size=size)
    now = runtime.clock.now()
    run = ImportRun(
        id=import_id,
        source=_CREDENTIALS.sub("", job.url, count=1) if job.url else job.name,
        origin=job.origin or "",
        settings=conflicts,
        fingerprint="",
        state=WAITING,
        position=0,
        total=0,
        counts=encode_counts({}),
        dropped="{}",
        report=None,
        job=encode_job(job),
        started_at=now,
        updated_at=now,
    )
    await runtime.database.write(app_id, lambda tx: store.insert_run(tx, run))
    return run


def source_path(app_id: str, import_id: str) -> str:
    """Return where the source of an import is in the file store: among the files of its app."""
    return f"{app_id}/imports/{import_id}"


async def find_import(runtime: Runtime, app_id: str, import_id: str) -> ImportRun:
    """Return an import.

    Raises:
        ImportNotFound: the app has none with this id.
    """
    run = await runtime.database.read(app_id, lambda snapshot: store.find_run(snapshot, import_id))
    if run is None:
        raise ImportNotFound(import_id)
    return run


async def list_imports(runtime: Runtime, app_id: str) -> list[ImportRun]:
    """Return the latest imports of an app, newest first, also those of the command line."""
    return await runtime.database.read(
        app_id, lambda snapshot: store.list_runs(snapshot, limit=MOST_LISTED)
    )


async def list_refused(
    runtime: Runtime, app_id: str, import_id: str, *, after: int, limit: int
) -> Sequence[RefusedRow]:
    """Return rows that an import refused, after a place.

    Raises:
        ImportNotFound: the app has no such import.
    """
    await find_import(runtime, app_id, import_id)
    return await runtime.database.read(
        app_id,
        lambda snapshot: store.list_refusals(snapshot, import_id, after=after, limit=limit),
    )


async def cancel_import(runtime: Runtime, app_id: str, import_id: str) -> ImportRun:
    """End an import where it is: what is stored of it stays. One that has ended does not change.

    Raises:
        ImportNotFound: the app has no such import.
    """
    run = await find_import(runtime, app_id, import_id)
    now = runtime.clock.now()
    has_ended = await runtime.database.write(
        app_id, lambda tx: store.end_run(tx, import_id, state=CANCELLED, now=now)
    )
    if has_ended and run.asked() is not None:  # the node that is at it does so only if there is one
        await runtime.files.delete([source_path(app_id, import_id)])
    return await find_import(runtime, app_id, import_id)


async def read_source(runtime: Runtime, job: ImportJob) -> AsyncIterator[bytes]:
    """Return the content of the source that lies in the file store.

    Raises:
        FileNotStored: it is not there any more.
        Unavailable: the file store can't be reached.
    """
    return await runtime.files.read(job.path or "", 0, job.size)

"""`/imports`: imports of whole files, which nodes run beside their other work."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from hubbub.domain.imports import jobs
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import Envelope
from hubbub.records.imports.model import (
    FAILED,
    ImportJob,
    ImportNotFound,
    ImportRun,
    RefusedRow,
)
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import Json, Link, Shape

TAG = operation.Tag(
    "Imports",
    "Import of whole files: JSON Lines, or what another chat system exports.",
)
State = Literal["waiting", "running", "done", "failed", "cancelled"]
Origin = Annotated[
    str,
    Meta(
        max_length=40,
        description="What the source is, such as `slack`; without it that is found out.",
    ),
]


class AskForImport(Shape, kw_only=True):
    """What to import: the part `file` of a form, or what a URL has."""

    url: Annotated[
        Link | None, Meta(description="An address from which the source is fetched.")
    ] = None
    from_: Origin | None = msgspec.field(default=None, name="from")
    on_conflict: Annotated[
        Literal["skip", "update", "error"] | None,
        Meta(
            description="What is done with rows that are stored already. Without it, equal ones are"
            " skipped and others are refused."
        ),
    ] = None
    dry_run: Annotated[
        bool, Meta(description="Whether nothing is stored, and only reported what would be.")
    ] = False


class ImportProgress(Shape):
    """How many rows have had their outcomes, of how many."""

    read: int
    total: int | None = None


class ImportJobShape(Shape, kw_only=True):
    """An import."""

    id: str
    state: State
    source: str
    from_: str | None = msgspec.field(default=None, name="from")
    dry_run: bool = False
    started_at: int
    updated_at: int
    progress: ImportProgress
    error: str | None = None
    report: Json | None = None


class RefusedRowShape(Shape):
    """A row that an import refused: its fields in `row`, or in `text` what stood there."""

    place: Annotated[int, Meta(description="Its place; `after` continues the list behind it.")]
    source: str
    line: int
    error: str
    row: Json | None = None
    text: str | None = None


class ImportListing(Envelope):
    """The latest imports."""

    data: list[ImportJobShape]


class RefusedListing(Envelope):
    """Refused rows."""

    data: list[RefusedRowShape]


class RefusedQuery(Shape):
    """A part of the refused rows."""

    after: Annotated[int, Meta(ge=0, description="The place of the last row before the list.")] = 0
    per_page: Annotated[int, Meta(ge=1, le=100, description="The most rows of a page.")] = 100


@operation.post("/imports", tag=TAG, takes_files=True, is_own=True)
async def ask_for_import(call: Call, body: AskForImport) -> ImportJobShape:
    """Import a file: JSON Lines, or what another chat system exports.

    Send it as the part `file` of a form, of at most 104,857,600 bytes, or give the `url` of a
    larger one. The answer comes at once; follow the import by its id. One import runs after the
    other. Users are not notified; connected clients are told that their conversations changed.
    """
    job = ImportJob(body.from_, body.dry_run, url=body.url)
    run = await jobs.ask_for_import(
        call.runtime, call.app_id, job, body.on_conflict or "compare", call.upload
    )
    return _shape(run)


@operation.get("/imports", tag=TAG, is_own=True)
async def list_imports(call: Call) -> ImportListing:
    """List the latest 100 imports, newest first.

    Those of the command `hubbub import` are in the list, too.
    """
    runs = await jobs.list_imports(call.runtime, call.app_id)
    return ImportListing([_shape(run) for run in runs])


@operation.get("/imports/{importId}", tag=TAG, is_own=True, errors=(ImportNotFound,))
async def get_import(call: Call, import_id: path.ImportId) -> ImportJobShape:
    """Get an import: how far it is, and at its end the report.

    The `report` counts the rows of each kind, says what of the source was left out, and compares
    the store with the source, row by row and by a checksum.
    """
    return _shape(await jobs.find_import(call.runtime, call.app_id, import_id), has_report=True)


@operation.get("/imports/{importId}/refused", tag=TAG, is_own=True, errors=(ImportNotFound,))
async def list_refused_rows(
    call: Call, import_id: path.ImportId, query: RefusedQuery
) -> RefusedListing:
    """List the rows that an import refused, with the reasons.

    They can be mended and imported again.
    """
    rows = await jobs.list_refused(
        call.runtime, call.app_id, import_id, after=query.after, limit=query.per_page
    )
    return RefusedListing([_refused(row) for row in rows])


@operation.delete("/imports/{importId}", tag=TAG, is_own=True, errors=(ImportNotFound,))
async def cancel_import(call: Call, import_id: path.ImportId) -> ImportJobShape:
    """Cancel an import.

    What it has stored stays. An import that has ended does not change.
    """
    return _shape(await jobs.cancel_import(call.runtime, call.app_id, import_id))


def _shape(run: ImportRun, *, has_report: bool = False) -> ImportJobShape:
    job = run.asked()
    report: Any = msgspec.json.decode(run.report) if has_report and run.report else None
    return ImportJobShape(
        id=run.id,
        state=run.state,  # type: ignore[arg-type]  # one of these, as stored
        source=run.source,
        from_=run.origin or None,
        dry_run=job is not None and job.dry_run,
        started_at=run.started_at,
        updated_at=run.updated_at,
        progress=ImportProgress(read=run.position, total=run.total or None),
        error=run.error if run.state == FAILED else None,
        report=report,
    )


def _refused(row: RefusedRow) -> RefusedRowShape:
    fields = row.row
    return RefusedRowShape(
        place=row.place,
        source=row.source,
        line=row.line,
        error=row.error,
        row=fields,
        text=row.fields if fields is None else None,
    )

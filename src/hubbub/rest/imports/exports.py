"""`/exports`: files with the chats of an app, which nodes make beside their other work."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from hubbub.domain.exports import jobs
from hubbub.files.links import mark_export
from hubbub.http import operation
from hubbub.http.call import Call
from hubbub.http.operation import Envelope
from hubbub.records.exports.model import (
    ExportNotFound,
    ExportOrder,
    StoredExport,
    TooManyExports,
)
from hubbub.records.groups.model import GuidNotFound
from hubbub.records.users.model import UidNotFound
from hubbub.rest.wire import path
from hubbub.rest.wire.shapes import Id, Json, Shape, Timestamp

TAG = operation.Tag(
    "Exports",
    "Files with the chats of an app, of a group or of a person, as JSON Lines with attachments.",
)
State = Literal["waiting", "running", "done", "failed", "cancelled"]


class AskForExport(Shape, kw_only=True):
    """What to export; without a user or group all of the app."""

    user: Annotated[Id | None, Meta(description="Only what is stored about this person.")] = None
    group: Annotated[
        Id | None, Meta(description="Only this group, with the users whom it names.")
    ] = None
    since: Annotated[
        Timestamp | None, Meta(description="Only messages from this time on, in seconds.")
    ] = None
    until: Annotated[
        Timestamp | None, Meta(description="Only messages before this time, in seconds.")
    ] = None


class ExportFile(Shape):
    """The file of an export."""

    url: str
    size: int


class ExportJobShape(Shape, kw_only=True):
    """An export."""

    id: str
    state: State
    user: str | None = None
    group: str | None = None
    since: int | None = None
    until: int | None = None
    started_at: int
    updated_at: int
    error: str | None = None
    file: ExportFile | None = None
    report: Json | None = None


class ExportListing(Envelope):
    """The exports of an app."""

    data: list[ExportJobShape]


@operation.post(
    "/exports", tag=TAG, is_own=True, errors=(UidNotFound, GuidNotFound, TooManyExports)
)
async def ask_for_export(call: Call, body: AskForExport) -> ExportJobShape:
    """Export the chats of the app, of a group, or what is stored about a person.

    The answer comes at once; follow the export by its id. It ends with a `file`, a zip of JSON
    Lines and attachments that `POST /imports` reads, and is kept for a week.
    """
    order = ExportOrder(
        body.user.lower() if body.user else None,
        body.group.lower() if body.group else None,
        body.since,
        body.until,
    )
    return _shape(await jobs.ask_for_export(call.runtime, call.app_id, order))


@operation.get("/exports", tag=TAG, is_own=True)
async def list_exports(call: Call) -> ExportListing:
    """List the exports of the app, newest first.

    Those that the command `hubbub export` has made are not in the list.
    """
    found = await jobs.list_exports(call.runtime, call.app_id)
    return ExportListing([_shape(export) for export in found])


@operation.get("/exports/{exportId}", tag=TAG, is_own=True, errors=(ExportNotFound,))
async def get_export(call: Call, export_id: path.ExportId) -> ExportJobShape:
    """Get an export: how it stands, and at its end the file and the report.

    The `url` of the file is a signed link; get the export again for a new one.
    """
    return _shape(await jobs.find_export(call.runtime, call.app_id, export_id), has_report=True)


@operation.delete("/exports/{exportId}", tag=TAG, is_own=True, errors=(ExportNotFound,))
async def delete_export(call: Call, export_id: path.ExportId) -> ExportJobShape:
    """Cancel an export that waits or runs, or delete one that has ended.

    The answer is the export as it is then, or as it was. With an export its file is deleted.
    """
    return _shape(await jobs.delete_export(call.runtime, call.app_id, export_id))


def _shape(export: StoredExport, *, has_report: bool = False) -> ExportJobShape:
    order = export.order()
    file = ExportFile(url=mark_export(export.id), size=export.size) if export.size else None
    return ExportJobShape(
        id=export.id,
        state=export.state,  # type: ignore[arg-type]  # one of these, as stored
        user=order.user,
        group=order.group,
        since=order.since,
        until=order.until,
        started_at=export.started_at,
        updated_at=export.updated_at,
        error=export.error,
        file=file,
        report=msgspec.json.decode(export.report) if has_report and export.report else None,
    )

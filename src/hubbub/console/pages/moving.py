"""Imports and exports of an app: ask for them, follow them while they run, end them."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import msgspec

from hubbub.console import page
from hubbub.console.page import (
    ADMINS,
    ChangeMade,
    LinkToFollow,
    PageForm,
    PageShown,
    show,
)
from hubbub.console.visit import Visit
from hubbub.domain.exports import jobs as exports
from hubbub.domain.imports import jobs as imports
from hubbub.files.links import Links, mark_export
from hubbub.kernel.errors import BadInput
from hubbub.kernel.text import normalise_id
from hubbub.moving.sources.known import SOURCES
from hubbub.records.attachments.model import LARGEST_FILES
from hubbub.records.exports.model import ExportNotFound, ExportOrder
from hubbub.records.imports.model import CANCELLED, RUNNING, WAITING, ImportJob
from hubbub.rest.wire.shapes import Link

MOVING = "/apps/{app}/moving"
IMPORTS = MOVING + "/imports"
IMPORT = IMPORTS + "/{run}"
EXPORTS = MOVING + "/exports"
EXPORT = EXPORTS + "/{export}"
UNENDED = (WAITING, RUNNING)
MOST_SHOWN = 20
MOST_REFUSED = 100
CONFLICTS = (
    ("compare", "skip equal ones, refuse others"),
    ("skip", "skip them"),
    ("update", "update them"),
    ("error", "refuse them"),
)
Id = Annotated[str, msgspec.Meta(max_length=100)]
Day = Annotated[str, msgspec.Meta(max_length=10)]


class NewImport(PageForm):
    """What is to be imported: what an address has, or a file."""

    url: Link | None = None
    origin: Id = ""
    conflicts: Literal["compare", "skip", "update", "error"] = "compare"
    rehearses: bool = False


class NewExport(PageForm):
    """What is to be exported; without conditions all of the app."""

    user: Id = ""
    group: Id = ""
    since: Day = ""
    until: Day = ""


class RefusedRowsQuery(PageForm):
    """Which refused rows are wanted: those after a place."""

    after: Annotated[int, msgspec.Meta(ge=0)] = 0


@page.get(MOVING, title="Imports and exports", roles=ADMINS)
async def show_moving(visit: Visit, app: str) -> PageShown:
    """Show the latest imports and all exports, and the forms to ask for others."""
    origins = [("", "found out"), *((name, each.title) for name, each in SOURCES.items())]
    return show(
        "moving.html",
        origins=origins,
        conflicts=CONFLICTS,
        largest=LARGEST_FILES,
        **await _jobs(visit, app),
    )


@page.get(MOVING + "/progress", title="Imports and exports", roles=ADMINS, is_live=True)
async def show_progress(visit: Visit, app: str) -> PageShown:
    """Show how imports and exports stand, as a part that an open page asks for."""
    return show("moving_progress.html", **await _jobs(visit, app))


async def _jobs(visit: Visit, app: str) -> Mapping[str, Any]:
    runs = await imports.list_imports(visit.runtime, app)
    return {
        "runs": runs[:MOST_SHOWN],
        "exports": await exports.list_exports(visit.runtime, app),
        "unended": UNENDED,
    }


@page.get(IMPORT, title="Import", roles=ADMINS)
async def show_import(visit: Visit, app: str, run: str, query: RefusedRowsQuery) -> PageShown:
    """Show an import with its report, and the rows that it refused."""
    found = await imports.find_import(visit.runtime, app, run)
    await visit.look("import.read", run)
    refused = await imports.list_refused(
        visit.runtime, app, run, after=query.after, limit=MOST_REFUSED
    )
    return show(
        "import.html",
        title=f"Import of {found.source}",
        run=found,
        counts=found.counted(),
        report=msgspec.json.decode(found.report) if found.report else None,
        refused=refused,
        next_after=refused[-1].place if len(refused) == MOST_REFUSED else 0,
        unended=UNENDED,
    )


@page.post(IMPORTS, roles=ADMINS, back=MOVING, takes_upload=True)
async def ask_for_import(visit: Visit, app: str, form: NewImport) -> ChangeMade:
    """Import what an address has, or a file; of an address only the host is recorded."""
    if form.origin and form.origin not in SOURCES:
        raise BadInput.field("origin", f"The origin must be one of {', '.join(SOURCES)}.")
    job = ImportJob(form.origin or None, form.rehearses, url=form.url)
    await visit.change(
        "import.ask",
        _host_of(form.url) if form.url else "file",
        lambda runtime: imports.ask_for_import(runtime, app, job, form.conflicts, visit.upload),
        after={"conflicts": form.conflicts, "rehearses": form.rehearses},
    )
    return ChangeMade("The import waits for its turn. This page shows how it goes on.")


@page.post(IMPORT + "/cancel", roles=ADMINS, back=MOVING)
async def cancel_import(visit: Visit, app: str, run: str) -> ChangeMade:
    """End an import; what is stored of it stays."""
    asked = await imports.find_import(visit.runtime, app, run)
    await visit.look("import.cancel", run, after={"wasIn": asked.state})
    found = await imports.cancel_import(visit.runtime, app, run)
    if found.state != CANCELLED:
        return ChangeMade(f"The import had ended before: it is {found.state}.")
    return ChangeMade("The import is cancelled. What it has stored stays.")


@page.post(EXPORTS, roles=ADMINS, back=MOVING)
async def ask_for_export(visit: Visit, app: str, form: NewExport) -> ChangeMade:
    """Have the app, a group, or what is stored about a person exported."""
    order = ExportOrder(
        normalise_id(form.user, "user") if form.user else None,
        normalise_id(form.group, "group") if form.group else None,
        _parse_day(form.since, "since"),
        _parse_day(form.until, "until"),
    )
    await visit.change(
        "export.ask",
        order.user or order.group or app,
        lambda runtime: exports.ask_for_export(runtime, app, order),
        after=msgspec.to_builtins(order),
    )
    return ChangeMade("The export waits for its turn. This page shows how it goes on.")


@page.post(EXPORT + "/delete", roles=ADMINS, back=MOVING)
async def delete_export(visit: Visit, app: str, export: str) -> ChangeMade:
    """Cancel an export that has not ended, or delete one that has, with its file."""
    asked = await exports.find_export(visit.runtime, app, export)
    is_unended = asked.state in UNENDED
    await visit.look("export.cancel" if is_unended else "export.delete", export)
    found = await exports.delete_export(visit.runtime, app, export)
    is_cancelled = is_unended and found.state == CANCELLED
    return ChangeMade("The export is cancelled." if is_cancelled else "The export is deleted.")


@page.post(EXPORT + "/open", roles=ADMINS, back=MOVING)
async def open_export(visit: Visit, app: str, export: str) -> LinkToFollow:
    """Open the file of an export by a signed link."""
    found = await exports.find_export(visit.runtime, app, export)
    if not found.size:
        raise ExportNotFound(export)
    await visit.look("export.open", export)
    links = Links(visit.runtime.sealer, app, "", visit.runtime.clock.now())
    return LinkToFollow(links.link(f'"{mark_export(export)}"'.encode()).decode().strip('"'))


def _host_of(url: str) -> str:
    """Return the host of an address; the rest of it may have a password, or be one.

    Raises:
        BadInput: it has none.
    """
    try:
        host = urlsplit(url).hostname
    except ValueError:
        host = None
    if not host:
        raise BadInput.field("url", "The address has no host.")
    return host


def _parse_day(text: str, name: str) -> int | None:
    """Return the beginning of a day in UTC, in seconds.

    Raises:
        BadInput: the text is no day.
    """
    if not text:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise BadInput.field(name, f"The {name} must be a day such as 2026-11-22.") from None
    return max(int(datetime.combine(day, time(), UTC).timestamp()), 0)

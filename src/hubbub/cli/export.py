"""`hubbub export`: write the chats of an app, of a group, or what is stored about one person."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from hubbub.bootstrap import open_still
from hubbub.cli.columns import print_columns, printable
from hubbub.cli.exits import AWAY, DIFFERS, USAGE, ending_with
from hubbub.cli.options import AsJson, Data, DatabaseUrl, Files
from hubbub.cli.progress import progress_bar
from hubbub.config import Settings, load_settings, make_folder
from hubbub.files.hold import keeping_files
from hubbub.files.store import open_store
from hubbub.files.unfinished import TargetTaken, unfinished_folder
from hubbub.kernel.errors import NotFound, Unavailable
from hubbub.moving.export.output import (
    ARCHIVE,
    FILES,
    FURTHER,
    LINES,
    PAGE,
    FolderOutput,
    ZipOutput,
)
from hubbub.moving.export.report import ExportReport
from hubbub.moving.export.run import write_export
from hubbub.moving.export.selection import LATEST, Selection
from hubbub.moving.export.writing import Show
from hubbub.storage.errors import StoreUnusable

CODES = {NotFound: USAGE, TargetTaken: USAGE, StoreUnusable: AWAY, Unavailable: AWAY}
SCRATCH = "scratch"
"""What is needed only while an export is made: a copy of the store, sorted lines."""
PARTS = {ARCHIVE, FILES, FURTHER, LINES, PAGE, SCRATCH}
SHOWN = 10
_encode = msgspec.json.Encoder().encode


def export(  # these are its options
    target: Annotated[
        Path,
        typer.Argument(metavar="DEST", help="A new folder or .zip file, made by the export."),
    ],
    app: Annotated[str, typer.Option("--app", help="The id of the app.")],
    user: Annotated[
        str | None,
        typer.Option("--user", metavar="UID", help="Only what is stored about this person."),
    ] = None,
    group: Annotated[
        str | None,
        typer.Option("--group", metavar="GUID", help="Only this group, and whom it names."),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", help="Only messages from here on: seconds, or a date in UTC."),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option("--until", help="Only messages before: seconds, or a date in UTC."),
    ] = None,
    data: Data = None,
    database: DatabaseUrl = None,
    files: Files = None,
    as_json: AsJson = False,
) -> None:
    """Write an app as JSON Lines with its files, as hubbub import reads them. A node may serve.

    All is as it was at one moment. DEST appears only once all of it is on disk. With --user it also
    has a page to read, index.html, and further.json with what lines do not carry.

    \b
    Exit codes: 0 all is well, 1 files are missing, 2 wrong usage, 4 the store can't be read,
    130 interrupted.

    \b
    Examples:
      hubbub export --app my-app /backups/my-app.zip
      hubbub export --app my-app --user anna /tmp/anna
      hubbub export --app my-app --since 2026-01-01 --until 2026-02-01 /backups/january
    """  # noqa: D301
    if user is not None and group is not None:
        raise typer.BadParameter("name a user or a group, not both", param_hint="--group")
    selection = Selection(
        user.lower() if user is not None else None,
        group.lower() if group is not None else None,
        _time(since, "--since", 0),
        _time(until, "--until", LATEST),
    )
    settings = load_settings(data=data, database_url=database, files=files)
    with ending_with(CODES, then="Nothing was kept."):
        report = asyncio.run(_export(settings, app, selection, target.absolute()))
    if as_json:
        print(_encode(report).decode())
    else:
        _print(report)
    raise typer.Exit(0 if report.is_complete else DIFFERS)


def _time(text: str | None, option: str, default: int) -> int:
    if text is None:
        return default
    if text.isdecimal() and text.isascii():
        return min(int(text), LATEST)
    try:
        given = datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is neither seconds since 1970 nor a date such as 2026-01-31",
            param_hint=option,
        ) from None
    at = given if given.tzinfo is not None else given.replace(tzinfo=UTC)
    return max(0, int(at.timestamp()))


async def _export(settings: Settings, app: str, selection: Selection, target: Path) -> ExportReport:
    make_folder(settings.data)
    output_of = ZipOutput if target.suffix == ".zip" else FolderOutput
    with unfinished_folder(target, PARTS, what="export") as folder:
        scratch = folder / SCRATCH
        scratch.mkdir(mode=0o700)
        output = output_of(folder)
        try:
            with progress_bar(is_plain=True) as show:
                report = await _write(settings, app, selection, output, scratch, show)
            for path in scratch.iterdir():
                path.unlink()
            scratch.rmdir()
            output.complete(target)
        finally:
            output.close()
    report.target = str(target)
    return report


async def _write(
    settings: Settings,
    app: str,
    selection: Selection,
    output: FolderOutput | ZipOutput,
    scratch: Path,
    show: Show,
) -> ExportReport:
    store = open_store(settings.files, settings.data)
    try:
        with keeping_files(settings.data):
            copied = lambda done, total: show("copy", done, total)  # noqa: E731
            async with open_still(settings, scratch, copied) as still:
                return await write_export(
                    still, app, store, output, selection, scratch=scratch, show=show
                )
    finally:
        store.close()


def _print(report: ExportReport) -> None:
    print_columns(("", "LINES"), *((kind, f"{n:,}") for kind, n in report.kinds.items()))
    for what, times in sorted(report.dropped.items(), key=lambda each: -each[1]):
        print(f"Left out: {what} ({times:,})")
    if report.missing_files:
        print(
            f"Not in it: files that messages hold, but that are missing ({report.missing_files:,}):"
        )
    for path in report.missing[:SHOWN]:
        print(f"  {printable(path)}")
    print(f"Exported to {report.target}.")

"""`hubbub import`: move chats of another system in."""

import asyncio
import enum
import gc
import hashlib
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import IO, Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
import typer

from hubbub.admin.client import NodeNotReached
from hubbub.admin.lock import FolderLock, FolderLocked
from hubbub.admin.nodes_store import NodesStore
from hubbub.bootstrap import open_runtime
from hubbub.cli.columns import print_columns, printable
from hubbub.cli.exits import AWAY, DIFFERS, SOURCE, ending_with
from hubbub.cli.options import AsJson, Data, DatabaseUrl, Files
from hubbub.cli.progress import progress_bar
from hubbub.config import Settings, load_settings, make_folder
from hubbub.domain.apps.manage import create_app
from hubbub.kernel.errors import Unavailable
from hubbub.moving.apply.outcome import Conflicts
from hubbub.moving.jobs.child import job_folder, staging_folder
from hubbub.moving.pace import SharedPace
from hubbub.moving.rehearse import Rehearsal
from hubbub.moving.report import Report
from hubbub.moving.run import ImportOrder, compare_only, run_import
from hubbub.moving.sources.interface import SourceUnreadable
from hubbub.moving.sources.known import SOURCES, detect
from hubbub.moving.target import ImportTarget, OwnStore, SharedStore
from hubbub.moving.tree import UnsafeArchive, open_tree
from hubbub.records.imports.model import ImportRun, RefusedRow
from hubbub.storage.errors import NoStore

ALONE_STEP = 2000
"""Rows of a transaction, in a store that nobody else uses."""
STDIN = "-"
SHOWN = 10
CODES = {
    SourceUnreadable: SOURCE,
    UnsafeArchive: SOURCE,
    OSError: SOURCE,
    Unavailable: AWAY,
    NodeNotReached: AWAY,
}
Keep = Callable[[Sequence[RefusedRow]], None]
"""Keeps refused rows, some at a time."""
_encode = msgspec.json.Encoder().encode


class Mode(enum.Enum):
    """What is done with a source."""

    IMPORT = "import"
    REHEARSE = "dry-run"
    VERIFY = "verify"


def import_(  # these are its options
    sources: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="SOURCE…",
            help="Files, folders or archives; - for standard input.",
            show_default=False,
        ),
    ] = None,
    app: Annotated[str, typer.Option("--app", help="The id of the app.", show_default=False)] = "",
    from_: Annotated[
        str | None,
        typer.Option("--from", help="What the source is.", show_default="found out"),
    ] = None,
    on_conflict: Annotated[
        str | None,
        typer.Option(
            "--on-conflict",
            help="What to do with rows that are stored already: skip, update or error.",
            show_default="skip equal ones, refuse others",
        ),
    ] = None,
    timezone: Annotated[
        str, typer.Option("--timezone", help="The zone of local times in the source.")
    ] = "UTC",
    refused: Annotated[
        Path | None,
        typer.Option("--refused", help="Write refused rows here, to be mended and fed in again."),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option("--report", help="Write the report here, as .html or .json."),
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Only compare the source with the store.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Store nothing; report what would be.")
    ] = False,
    list_: Annotated[bool, typer.Option("--list", help="List the imports into the app.")] = False,
    run: Annotated[str, typer.Option("--run", hidden=True)] = "",
    data: Data = None,
    database: DatabaseUrl = None,
    files: Files = None,
    as_json: AsJson = False,
) -> None:
    """Import chats: JSON Lines, or what another system exports. A node may serve meanwhile.

    Killed at any moment, the same command goes on. The same command again takes what is new since:
    rows that are stored already are compared and skipped. At the end all rows are compared with
    the store, and the sums over their content are printed.

    \b
    Exit codes: 0 all is well, 1 rows were refused or differ, 2 wrong usage, 3 the source can't be
    read, 4 the store is away (go on with the same command), 130 interrupted.

    \b
    Examples:
      hubbub import export.zip --app my-app
      hubbub import slack.zip --app my-app --refused refused.jsonl --report report.html
      hubbub import slack.zip --app my-app --verify
    """  # noqa: D301
    if not app:
        raise typer.BadParameter(
            "name the app that chats are imported into; hubbub app list shows them",
            param_hint="--app",
        )
    settings = load_settings(data=data, database_url=database, files=files)
    if list_:
        _print_runs(asyncio.run(_list_runs(settings, app)), as_json=as_json)
        return
    if not sources:
        raise typer.BadParameter("name a file, a folder or an archive", param_hint="SOURCE…")
    _check_written({"--refused": refused, "--report": report})
    if report is not None and len(sources) > 1:
        raise typer.BadParameter("a report is of one source", param_hint="--report")
    # Rows have no cycles: looking for some took a fifth of the time.
    gc.freeze()
    gc.set_threshold(100_000)
    conflicts = _conflicts(on_conflict)
    zone = _zone(timezone)
    mode = Mode.VERIFY if verify else Mode.REHEARSE if dry_run else Mode.IMPORT
    code = 0
    for place, source in enumerate(sources):
        with ending_with(CODES), _kept_rows(refused, is_first=place == 0) as keep:
            order = _order(settings, source, from_, conflicts, zone, run)
            found, rows = asyncio.run(_import(settings, app, order, mode, keep))
        if str(source) == STDIN:
            order.path.unlink()
        if report is not None:
            _write_report(report, found)
        _print_report(found, rows, refused, as_json=as_json, is_rehearsed=dry_run)
        code = max(code, 0 if found.is_clean else DIFFERS)
    raise typer.Exit(code)


def _check_written(paths: Mapping[str, Path | None]) -> None:
    """Refuse files that can't be written, by their options: an import may take hours."""
    for option, path in paths.items():
        if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
            raise typer.BadParameter(f"no file can be written as {path}", param_hint=option)


def _order(
    settings: Settings, given: Path, kind: str | None, conflicts: Conflicts, zone: tzinfo, run: str
) -> ImportOrder:
    folder = job_folder(settings, run) if run else staging_folder(settings)
    make_folder(folder)
    path = _keep_input(folder) if str(given) == STDIN else given.absolute()
    source = SOURCES.get(kind) if kind else detect(open_tree(path))
    if source is None:
        raise typer.BadParameter(f"it must be one of {', '.join(SOURCES)}", param_hint="--from")
    return ImportOrder(path, source, folder, conflicts, zone, run)


def _conflicts(given: str | None) -> Conflicts:
    if given is None:
        return Conflicts.COMPARE
    allowed = (Conflicts.SKIP, Conflicts.UPDATE, Conflicts.ERROR)
    for each in allowed:
        if each.value == given:
            return each
    raise typer.BadParameter(
        f"it must be skip, update or error, not {given!r}", param_hint="--on-conflict"
    )


def _zone(name: str) -> tzinfo:
    try:
        return UTC if name == "UTC" else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise typer.BadParameter(
            f"there is no zone {name!r}; an example is Europe/Berlin", param_hint="--timezone"
        ) from None


@asynccontextmanager
async def opened(settings: Settings, app: str) -> AsyncIterator[ImportTarget]:
    """Yield the store of an app: that of the node which runs on the data folder, or opened here.

    Raises:
        NoStore: there is none.
    """
    if not settings.database_url and not settings.sqlite_path.exists():
        raise NoStore(settings.data)
    if settings.database_url:
        async with open_runtime(settings, makes_store=False) as runtime:
            yield SharedStore(runtime, app, SharedPace())
        return
    try:
        lock = FolderLock(settings.data)
    except FolderLocked:
        yield NodesStore(settings.data, app)
        return
    with lock:
        async with open_runtime(settings, makes_store=False) as runtime:
            yield OwnStore(runtime, app, step=ALONE_STEP)


async def _list_runs(settings: Settings, app: str) -> Sequence[ImportRun]:
    async with opened(settings, app) as target:
        return await target.list_runs()


async def _import(
    settings: Settings, app: str, order: ImportOrder, mode: Mode, keep: Keep
) -> tuple[Report, list[RefusedRow]]:
    """Import, rehearse or compare; return the report and the first refused rows."""
    async with AsyncExitStack() as stack:
        target = await stack.enter_async_context(opened(settings, app))
        show = stack.enter_context(progress_bar(is_plain=True))
        if mode is Mode.VERIFY:
            return await compare_only(order, target, show), []
        if mode is Mode.REHEARSE:  # nobody goes on with it: what is staged ends with it
            scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=order.folder)))
            order = replace(order, folder=scratch)
            target = await stack.enter_async_context(_rehearsing(scratch, app, target))
        run, report = await run_import(order, target, show)
        keep([])  # the file is there, even if no row was refused
        shown: list[RefusedRow] = []
        after = 0
        while some := await target.list_refusals(run.id, after):
            keep(some)
            shown += some[: SHOWN - len(shown)]
            after = some[-1].place
    return report, shown


@asynccontextmanager
async def _rehearsing(scratch: Path, app: str, real: ImportTarget) -> AsyncIterator[ImportTarget]:
    """Yield a store that is thrown away, into which an import for another one is rehearsed."""
    await real.list_runs()  # refuses an app that does not exist
    async with open_runtime(Settings(data=scratch)) as runtime:
        await create_app(runtime, name="Rehearsal", region="us", app_id=app)
        yield Rehearsal(runtime, app, real, step=ALONE_STEP)


def _keep_input(folder: Path) -> Path:
    """Copy standard input into a file, which is named after its content: so it is found again.

    It lies in a folder of its own, since lines name files beside them.
    """
    folder /= "standard-input"
    make_folder(folder)
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    with Path(file.name).open("rb") as content:
        digest = hashlib.file_digest(content, "blake2b").hexdigest()
    path = folder / f"standard-input-{digest[:16]}.jsonl"
    Path(file.name).rename(path)
    return path


@contextmanager
def _kept_rows(path: Path | None, *, is_first: bool) -> Iterator[Keep]:
    """Yield what writes refused rows into a file, behind those of earlier sources."""
    kept: IO[bytes] | None = None

    def keep(rows: Sequence[RefusedRow]) -> None:
        nonlocal kept
        if path is None:
            return
        kept = kept or path.open("wb" if is_first else "ab")
        for row in rows:
            kept.write(_encode(_refused_line(row)) + b"\n")

    try:
        yield keep
    finally:
        if kept is not None:
            kept.close()


def _refused_line(row: RefusedRow) -> dict[str, object]:
    content = {"text": row.fields} if row.row is None else {"row": row.row}
    return {"source": row.source, "line": row.line, "error": row.error, **content}


def _write_report(path: Path, report: Report) -> None:
    if path.suffix == ".html":
        from hubbub.moving.report_page import render  # noqa: PLC0415

        path.write_text(render(report), encoding="utf-8")
    else:
        path.write_bytes(msgspec.json.format(_encode(report)) + b"\n")


def _print_report(
    report: Report,
    rows: Sequence[RefusedRow],
    refused: Path | None,
    *,
    as_json: bool,
    is_rehearsed: bool,
) -> None:
    if as_json:
        print(_encode(report).decode())
        return
    if report.kinds:
        table = (
            (kind, *(f"{n:,}" for n in (c.read, c.imported, c.skipped, c.updated, c.refused)))
            for kind, c in report.kinds.items()
        )
        print_columns(("", "READ", "IMPORTED", "SKIPPED", "UPDATED", "REFUSED"), *table)
    for what, times in sorted(report.dropped.items(), key=lambda each: -each[1]):
        print(f"Left out: {printable(what)} ({times:,})")
    print(f"Content of the source {report.checksum.source}, of the store {report.checksum.store}.")
    said = [f"{row.source}, line {row.line}: {row.error}" for row in rows]
    reported = {each.partition(": ")[0] for each in said}
    differences = report.comparison.differences
    said += [each for each in differences if each.partition(": ")[0] not in reported]
    for each in said[:SHOWN]:
        print(f"  {printable(each)}")
    if report.comparison.different > SHOWN:
        print(f"  and {report.comparison.different - SHOWN:,} more: see --report and --refused")
    if is_rehearsed:
        print("Nothing was stored: this is what an import would do.")
    elif report.is_clean:
        print("The store has all that the source has.")
    elif report.refused and refused is not None:
        print(f"Mend the rows in {refused}, and import that file.")
    else:
        different = report.comparison.different
        print(f"The store lacks {different:,} of the rows, or has them otherwise.")
        if report.refused:
            print(
                "With --refused refused.jsonl the same command writes the refused rows into a file."
            )


def _print_runs(runs: Sequence[ImportRun], *, as_json: bool) -> None:
    if as_json:
        print(_encode(runs).decode())
        return
    rows = []
    for run in runs:
        counts = run.counted().values()
        rows.append(
            (
                f"{datetime.fromtimestamp(run.started_at, UTC):%Y-%m-%d %H:%M}",
                run.state,
                f"{run.position:,} of {run.total:,}",
                f"{sum(each.imported for each in counts):,}",
                f"{sum(each.skipped for each in counts):,}",
                f"{sum(each.refused for each in counts):,}",
                run.origin,
                run.source,
            )
        )
    heading = ("BEGUN (UTC)", "STATE", "ROWS", "IMPORTED", "SKIPPED", "REFUSED", "FROM", "SOURCE")
    print_columns(heading, *rows)

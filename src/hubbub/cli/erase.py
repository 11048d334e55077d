"""`hubbub erase`: delete a person with all that they wrote, and report what was removed."""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from hubbub.admin.client import ask_node
from hubbub.admin.lock import FolderLock, FolderLocked
from hubbub.admin.socket import run_command
from hubbub.bootstrap import open_runtime
from hubbub.cli.columns import print_columns
from hubbub.cli.options import AsJson, Data, DatabaseUrl, Files
from hubbub.cli.progress import progress_bar
from hubbub.config import Settings, load_settings
from hubbub.domain.attachments.remove import remove_leftovers
from hubbub.domain.erasure.erase import erase_all
from hubbub.storage.errors import NoStore

UNFINISHED = 1
MOST_ROUNDS = 3600
"""So often, once a second, is looked whether an erasure is complete; it goes on without that."""
DAY_SECONDS = 86_400
SQLITE = "sqlite"


class Remaining(msgspec.Struct):
    """A place where something of the person may remain, what it is, and until when."""

    where: str
    what: str
    until: str


class ErasureReport(msgspec.Struct, rename="camel"):
    """What an erasure removed, and where more may be that no command can know of."""

    app: str
    uid: str
    requested_at: int
    removed: dict[str, int]
    left: dict[str, int]
    is_complete: bool
    remains: list[Remaining]


Ask = Callable[..., Awaitable[dict[str, Any]]]
GoOn = Callable[[], Awaitable[None]]


def erase(
    uid: Annotated[str, typer.Argument(metavar="UID", help="The uid of the person.")],
    app: Annotated[str, typer.Option("--app", help="The id of the app.")],
    report: Annotated[
        Path | None, typer.Option("--report", help="Write the report here, as JSON.")
    ] = None,
    data: Data = None,
    database: DatabaseUrl = None,
    files: Files = None,
    as_json: AsJson = False,
) -> None:
    """Delete a user permanently, with all messages that they sent or were sent alone.

    It can't be undone. The command waits until nothing is left in the store, and says what was
    removed, and where else to look: backups, dumps, logs. A node may serve meanwhile.

    \b
    Exit codes: 0 all is removed, 1 the user does not exist, or the erasure still goes on.

    \b
    Example:
      hubbub erase --app my-app anna --report anna-erased.json
    """  # noqa: D301
    settings = load_settings(data=data, database_url=database, files=files)
    found = asyncio.run(_erase(settings, app, uid))
    encoded = msgspec.json.format(msgspec.json.encode(found))
    if report is not None:
        report.write_bytes(encoded + b"\n")
    if as_json:
        print(encoded.decode())
    else:
        _print(found)
    raise typer.Exit(0 if found.is_complete else UNFINISHED)


async def _erase(settings: Settings, app: str, uid: str) -> ErasureReport:
    async with _asking(settings) as (ask, go_on):
        requested = await ask("erase request", app=app, uid=uid)
        before, at = requested["counts"], requested["at"]
        total = sum(before.values())
        with progress_bar() as show:
            for _ in range(MOST_ROUNDS):
                await go_on()
                state = await ask("erase state", app=app, uid=uid, at=at)
                show("erase", total - min(total, sum(state["counts"].values())), total)
                if not state["pending"]:
                    break
                await asyncio.sleep(1)
    left = state["counts"]
    return ErasureReport(
        app=app,
        uid=uid.lower(),
        requested_at=at,
        removed={what: n - left[what] for what, n in before.items() if n > left[what]},
        left={what: n for what, n in left.items() if n},
        is_complete=not state["pending"],
        remains=_remaining(requested),
    )


@asynccontextmanager
async def _asking(settings: Settings) -> AsyncIterator[tuple[Ask, GoOn]]:
    """Yield what runs a command, and what erases the next rows: here, or in the node on the folder.

    Raises:
        NoStore: there is none.
    """
    if not settings.database_url and not settings.sqlite_path.exists():
        raise NoStore(settings.data)
    lock: FolderLock | None = None
    if not settings.database_url:
        try:
            lock = FolderLock(settings.data)
        except FolderLocked:
            yield _of_node(settings), _leave_it_to_the_node
            return
    try:
        async with open_runtime(settings, makes_store=False) as runtime:

            async def ask(command: str, **arguments: Any) -> dict[str, Any]:
                return await run_command(runtime, command, arguments)

            async def go_on() -> None:
                await erase_all(runtime)
                await remove_leftovers(runtime)

            yield ask, go_on
    finally:
        if lock is not None:
            lock.__exit__(None, None, None)


def _of_node(settings: Settings) -> Ask:
    async def ask(command: str, **arguments: Any) -> dict[str, Any]:
        return await ask_node(settings.data, command, arguments)

    return ask


async def _leave_it_to_the_node() -> None:
    pass


def _remaining(requested: dict[str, Any]) -> list[Remaining]:
    """Return where more may be, with the times that the settings allow."""
    at = requested["at"]
    in_store = [
        Remaining(
            "the log of events", "the uid, in events", _day(at, requested["eventsKeepSeconds"])
        ),
        Remaining(
            "the log of webhooks",
            "attempts, with what was answered",
            _day(at, requested["webhookKeepSeconds"]),
        ),
        Remaining("the audit log", "the uid, where an operator dealt with it", "it is kept"),
        Remaining("answers for Idempotency-Key", "sealed, given to nobody", _day(at, DAY_SECONDS)),
        Remaining("messages of others", "what they wrote, quoted or named", "others delete it"),
    ]
    engines = {
        SQLITE: Remaining("the search index", "words of deleted messages", _day(at, DAY_SECONDS)),
    }
    of_engine = engines.get(
        requested["engine"],
        Remaining("PostgreSQL", "dead rows, its log and archives", "vacuum; you delete archives"),
    )
    backup = "hubbub backup" if requested["engine"] == SQLITE else "pg_dump"
    outside = [
        Remaining(f"folders or files of {backup}", "all, if made before", "you delete them"),
        Remaining("what hubbub export wrote", "all, if made before", "you delete it"),
        Remaining("snapshots of disks, and copies of the files", "all", "you delete them"),
        Remaining("logs of nodes and of proxies", "addresses and uids", "as you rotate them"),
        Remaining("providers of push, e-mail and SMS", "what they were sent", "their own rules"),
        Remaining("servers that webhooks call", "what they were sent", "their own rules"),
    ]
    return [*in_store, of_engine, *outside]


def _day(at: int, seconds: int) -> str:
    return f"{datetime.fromtimestamp(at + seconds, UTC):%Y-%m-%d}"


def _print(report: ErasureReport) -> None:
    if report.removed:
        print_columns(("REMOVED", "ROWS"), *((w, f"{n:,}") for w, n in report.removed.items()))
    for what, n in report.left.items():
        print(f"Still there: {what} ({n:,})")
    print_columns(
        ("MAY REMAIN IN", "WHAT", "UNTIL"),
        *((each.where, each.what, each.until) for each in report.remains),
    )
    if report.is_complete:
        print(f"{report.uid} is erased.")
    else:
        print("The erasure goes on in the background.", file=sys.stderr)

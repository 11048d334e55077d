"""`hubbub audit`: what operators did."""

import asyncio
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Annotated, Any

import msgspec
import typer

from hubbub.cli.ask import asking
from hubbub.cli.columns import printable
from hubbub.cli.options import AsJson, Data, DatabaseUrl, settings_of
from hubbub.cli.times import parse_time
from hubbub.config import Settings

COLUMNS = ("operator", "app", "action", "subject", "before", "after", "address", "events")


def audit(
    app: Annotated[
        str | None, typer.Option("--app", help="Only what concerns this app.", show_default="all")
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(
            "--since",
            metavar="TIME",
            help="The first time, such as 2026-11-22T04:00; UTC if it has no offset.",
            show_default="the beginning",
        ),
    ] = None,
    data: Data = None,
    database: DatabaseUrl = None,
    as_json: AsJson = False,
) -> None:
    """Print the audit log, the oldest entry first: what operators changed and looked at.

    Each line is an entry: with --json an object, else its fields with tabs between them.
    """
    asyncio.run(_print(settings_of(data, database), app, parse_time(since, "--since"), as_json))


async def _print(
    settings: Settings, app: str | None, since: datetime | None, as_json: bool
) -> None:
    first = None if since is None else int(since.timestamp() * 1000)
    async for entry in _entries(settings, app, first):
        at = datetime.fromtimestamp(entry["at"] / 1000, UTC).isoformat(timespec="milliseconds")
        shown = {"at": at, **{name: entry[name] for name in COLUMNS}}
        if as_json:
            facts = {n: msgspec.Raw((shown[n] or "null").encode()) for n in ("before", "after")}
            sys.stdout.write(msgspec.json.encode(shown | facts).decode() + "\n")
        else:
            print("\t".join(printable(text or "") for text in shown.values()))


async def _entries(
    settings: Settings, app: str | None, since: int | None
) -> AsyncIterator[dict[str, Any]]:
    async with asking(settings) as call:
        after: list[Any] | None = None
        while True:
            found = await call("audit read", app=app, since=since, after=after)
            for entry in found["entries"]:
                yield entry
            after = found["next"]
            if after is None:
                return

"""`hubbub secrets`: the master key of the installation."""

import asyncio
from dataclasses import dataclass

import typer

from hubbub.admin.client import CommandRefused, NodeNotReached
from hubbub.backup.copying import Progress
from hubbub.cli.ask import Call, asking
from hubbub.cli.exits import AWAY, DIFFERS, SOURCE, USAGE, CommandEnded, ending_with
from hubbub.cli.options import Data, DatabaseUrl, settings_of
from hubbub.cli.progress import progress_bar
from hubbub.config import BadSetting, Settings
from hubbub.kernel.errors import Unavailable
from hubbub.kernel.sealing import BadMasterKey, MasterKeyMissing, NotOurSecret
from hubbub.storage.errors import NoStore, StoreUnusable

commands = typer.Typer(help="Change the master key.", no_args_is_help=True)
CODES = {
    BadSetting: USAGE,
    BadMasterKey: USAGE,
    CommandRefused: DIFFERS,
    NoStore: SOURCE,
    MasterKeyMissing: SOURCE,
    NotOurSecret: SOURCE,
    StoreUnusable: AWAY,
    NodeNotReached: AWAY,
    Unavailable: AWAY,
}
WAIT_SECONDS = 1.0
MOST_WAITS = 60
MOST_PASSES = 3
INSTALLATION = ""


@commands.callback()
def _group() -> None:
    """Keep `rotate` a command of its own while it is the only one."""


@commands.command("rotate")
def rotate(data: Data = None, database: DatabaseUrl = None) -> None:
    """Change the master key, while nodes run, and seal all secrets of the store anew.

    A key in the data folder gets a new file: secret.key, the former one is secret.key.former. A key
    in HUBBUB_SECRET_KEY is replaced by that in HUBBUB_NEW_SECRET_KEY, which all nodes must have
    before. Killed at any moment, the same command goes on; given again, it only checks.

    Exit codes: 0 all secrets are sealed with the new key, 1 refused, or some are not, 2 wrong
    usage, 3 the store can't be read, 4 the store is away (give it again), 130 interrupted.
    """
    settings = settings_of(data, database)
    with ending_with(CODES), progress_bar() as show:
        done = asyncio.run(_rotate(settings, show))
    begun = "All" if done.is_begun else "The new key was that of the store already: all"
    print(f"{begun} {done.secrets:,} secrets are sealed with the new master key.")
    if settings.secret_key:
        print(
            "Keep both keys set for as long as links in mails sent before are to work. Then set"
            " HUBBUB_SECRET_KEY to the new key, at all nodes, and remove HUBBUB_NEW_SECRET_KEY."
        )
        return
    print(
        f"Keep a copy of {settings.key_path} apart. {settings.key_path.name}.former is needed only"
        " for links in mails sent before, and for earlier backups."
    )


@dataclass(frozen=True, slots=True)
class Rotated:
    """What a rotation has done."""

    secrets: int
    is_begun: bool


async def _rotate(settings: Settings, show: Progress) -> Rotated:
    async with asking(settings) as call:
        begun = await call("secrets begin")
        await _wait_for_nodes(call)
        apps = [INSTALLATION, *(await call("repair list"))["ids"]]
        for _ in range(MOST_PASSES):
            await _pass(call, "secrets reseal", apps, begun["columns"], show)
            secrets, stale = await _pass(call, "secrets check", apps, begun["columns"], show)
            if not stale:
                break
        else:
            raise CommandEnded(
                f"{stale:,} secrets are still sealed with the former key. Are there nodes that"
                " don't have the new one?",
                DIFFERS,
            )
        await call("secrets end")
        return Rotated(secrets, begun["isBegun"])


async def _wait_for_nodes(call: Call) -> None:
    """Wait until all running nodes seal with the new key: they look each second."""
    for _ in range(MOST_WAITS):
        if not (await call("secrets waiting"))["nodes"]:
            return
        await asyncio.sleep(WAIT_SECONDS)
    raise CommandEnded("Some nodes do not take up the new key: see their logs.", DIFFERS)


async def _pass(
    call: Call, command: str, apps: list[str], columns: list[str], show: Progress
) -> tuple[int, int]:
    """Go over all sealed values; return how many they are, and how many had the former key."""
    rows = stale = 0
    for done, app in enumerate(apps, 1):
        for column in columns:
            after: str | None = ""
            while after is not None:
                chunk = await call(command, app=app, column=column, after=after)
                after, rows = chunk["last"], rows + chunk["rows"]
                stale += chunk["stale"]
                show(command.removeprefix("secrets "), done, len(apps))
    return rows, stale

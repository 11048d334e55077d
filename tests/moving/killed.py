"""The command `hubbub import`, killed at moments that a seed chooses, and what it leaves."""

import random
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from tests.cli.command import LONGEST_SECONDS, options_of
from tests.eventlog import split_row
from tests.live import LiveNode, environment

from hubbub.bootstrap import open_runtime, open_tables
from hubbub.config import Settings
from hubbub.domain.apps.manage import create_app

APP = "town"
REFUSED, AWAY = 1, 4
"""Exit codes: the town has rows that are refused; the node is gone."""
SHORT_STEPS = """
from hubbub import cli
from hubbub.cli import imports
from hubbub.moving import pace

imports.ALONE_STEP = pace.MOST_ROWS = 100  # a small town has more moments then
cli.main()
"""
OF_THE_STORE = {
    *("apps", "api_keys", "credentials", "installation", "management_keys", "nodes", "roles"),
    *("active_counts", "active_users", "traffic", "consumer_positions", "search_positions"),
    "receipt_merges",
}
"""Tables that an import does not write, of which some differ from store to store."""
OF_THE_RUN = {
    "import_refusals": {"import"},
    "counters": {"epoch", "event", "changed", "version"},
}
"""Columns that differ: random ids, times of the import, the numbers of events and of writes."""
TOLD = "conversations_changed"
Rows = Mapping[str, Sequence[Any]]


@dataclass(slots=True)
class Moving:
    """Imports a source into the app of a store, by processes that may be killed."""

    settings: Settings
    source: Path
    chance: random.Random

    def kill(self, seconds: float, victim: LiveNode | None = None) -> bool:
        """Start the import; within some seconds kill it, or the node that it uses.

        Return whether that was before its end.
        """
        with subprocess.Popen(
            self._command(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
        ) as process:
            with suppress(subprocess.TimeoutExpired):
                process.wait(self.chance.uniform(0, seconds))
            is_before = process.poll() is None
            if victim is not None:
                victim.kill()
            else:
                process.kill()
            said = process.communicate(timeout=LONGEST_SECONDS)
        expected = {REFUSED, AWAY} if victim is not None else {REFUSED, -signal.SIGKILL}
        assert process.returncode in expected, (process.returncode, *said)
        return is_before

    def end(self, *options: str) -> Mapping[str, Any]:
        """Run the command to its end, with the exit code of refused rows; return what it prints."""
        done = subprocess.run(
            self._command(*options),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=environment(),
            timeout=LONGEST_SECONDS,
            check=False,
        )
        assert done.returncode == REFUSED, done
        printed: Mapping[str, Any] = msgspec.json.decode(done.stdout)
        return printed

    def _command(self, *options: str) -> list[str]:
        named = [str(self.source), "--app", APP, "--json", *options, *options_of(self.settings)]
        return [sys.executable, "-c", SHORT_STEPS, "import", *named]


async def make_app(settings: Settings) -> None:
    """Create the app in an empty store."""
    async with open_runtime(settings) as runtime:
        await create_app(runtime, name="Town", region="us", app_id=APP)


@dataclass(frozen=True, slots=True)
class Stored:
    """What is stored after an import."""

    rows: Rows
    """By table, without what differs from run to run."""
    reports: Sequence[Mapping[str, Any]]
    """Of all runs, by the start of the runs."""


async def read_stored(settings: Settings) -> Stored:
    """Return what follows from the import into a store that nobody uses."""
    rows: dict[str, Sequence[Any]] = {}
    reports: list[Mapping[str, Any]] = []
    store = await open_tables(settings)
    try:
        for table in await store.list_tables():
            if table.name in OF_THE_STORE:
                continue
            named = [dict(zip(table.names, row, strict=True)) async for row in store.rows(table)]
            found = [row for row in named if row["app_id"] == APP]
            left_out = OF_THE_RUN.get(table.name, set())
            rows[table.name] = [
                {name: each for name, each in row.items() if name not in left_out} for row in found
            ]
            if table.name == "events":
                rows[table.name] = _events(found)
            if table.name == "imports":
                runs = sorted(found, key=lambda run: (run["started_at"], run["updated_at"]))
                reports = [msgspec.json.decode(run["report"]) for run in runs]
                rows[table.name] = []
            if table.name == "import_refusals":  # another run refuses them again
                rows[table.name] = _distinct(rows[table.name])
    finally:
        await store.close()
    return Stored(rows, reports)


def _distinct(rows: Sequence[Mapping[str, Any]]) -> list[object]:
    return [row for place, row in enumerate(rows) if row not in rows[:place]]


def _events(rows: Sequence[Mapping[str, Any]]) -> list[object]:
    """Return events without times; what clients are told at the end counts once."""
    logged = [
        event
        for row in rows
        for event in split_row(*(row[name] for name in ("number", "id", "name", "at", "body")))
    ]
    assert [event[0] for event in logged] == list(range(1, len(logged) + 1)), "the log has gaps"
    events: list[object] = []
    for _, _, name, _, body in logged:
        event = (name, _timeless(msgspec.json.decode(body)))
        if name != TOLD or event not in events:
            events.append(event)
    return events


def _timeless(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: each for name, each in fields.items() if name not in ("at", "id")}

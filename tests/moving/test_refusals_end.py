"""Rows that an import refused hold what people wrote: they end, too."""

import asyncio
import json
from pathlib import Path

from tests.cli.command import options_of
from tests.clock import ManualClock
from tests.conftest import NewSettings
from tests.moving.moves import import_, make_app, run

from hubbub.bootstrap import open_runtime
from hubbub.config import Settings
from hubbub.domain.imports.prune import prune_refusals
from hubbub.kernel.clock import SystemClock
from hubbub.records.imports.model import REFUSALS_SECONDS
from hubbub.storage.interface import Snapshot
from hubbub.storage.queries import Query

COUNT = Query("count", "SELECT fields FROM import_refusals WHERE app_id = :app_id")


def refuse_rows(settings: Settings, folder: Path) -> str:
    """Import rows of which those of Anna_1 and of Annax1 are refused; return the app."""
    app = make_app(settings, "refusing")
    message = {"type": "message", "muid": "1", "receiverType": "group", "receiver": "none"}
    rows = [
        {"type": "user", "uid": "anna_1", "name": "Anna"},
        {"type": "user", "uid": "annax1", "name": "Another"},
        {**message, "sender": "Anna_1", "sentAt": 1, "data": {"text": "Private"}},
        {**message, "sender": "annax1", "sentAt": 1, "data": {"text": "Other"}},
    ]
    (folder / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert import_(settings, app, folder / "rows.jsonl").json["kinds"]["message"]["refused"] == 2
    return app


async def _kept(settings: Settings, app: str, *, later: int) -> list[str]:
    """Return the refused rows that are left after a time."""
    clock = ManualClock(SystemClock().now() + later)
    async with open_runtime(settings, clock) as runtime:
        await prune_refusals(runtime)

        async def fetch(snapshot: Snapshot) -> list[str]:
            return [fields for (fields,) in await snapshot.fetch(COUNT)]

        return await runtime.database.read(app, fetch)


async def test_refused_rows_are_deleted_after_30_days(
    new_settings: NewSettings, tmp_path: Path
) -> None:
    """They are there until 30 days after the last step of their import."""
    settings = new_settings()
    app = await asyncio.to_thread(refuse_rows, settings, tmp_path)

    assert len(await _kept(settings, app, later=REFUSALS_SECONDS - 600)) == 2
    assert await _kept(settings, app, later=REFUSALS_SECONDS + 600) == []


async def test_refused_rows_end_with_whom_they_name(
    new_settings: NewSettings, tmp_path: Path
) -> None:
    """An erased user's rows are deleted; those of a user with a similar uid are not."""
    settings = new_settings()
    app = await asyncio.to_thread(refuse_rows, settings, tmp_path)
    command = ("erase", "--app", app, "anna_1", *options_of(settings))
    done = await asyncio.to_thread(run, *command)

    assert done.code == 0, done
    [left] = await _kept(settings, app, later=0)
    assert "Other" in left

"""Fill the demo app with people, groups and a history, by the calls that the documents describe.

That is done when its people are listed for the first time: who only calls the interface finds the
four users that the guides name, and the start takes no longer.
"""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

import structlog

from hubbub.cli.demo.calls import DemoCalls
from hubbub.cli.demo.story import BOT, FOLDER, GROUP, Row, Story, read_story
from hubbub.domain.apps.manage import get_app
from hubbub.http.app import HttpApplication
from hubbub.records.groups.store import find_groups
from hubbub.runtime import Runtime

log = structlog.get_logger()

SKIP = "?onConflict=skip"
ROWS = 50
"""The rows of one import."""


class DemoContent:
    """Makes the content once; what is there is left as it is."""

    def __init__(self, runtime: Runtime, app: HttpApplication, app_id: str) -> None:
        self._runtime = runtime
        self._app = app
        self._app_id = app_id
        self._is_complete = asyncio.Event()

    async def wait_complete(self) -> DemoCalls:
        """Return how to call the app, once it has everything."""
        await self._is_complete.wait()
        return await self._calls()

    async def _calls(self) -> DemoCalls:
        _, keys = await get_app(self._runtime, self._app_id)
        key = next(key.api_key for key in keys if key.scope == "fullAccess")
        return DemoCalls(self._app, self._app_id, key)

    async def complete(self) -> None:
        """Make the content, unless it is there."""
        if self._is_complete.is_set():
            return
        groups = await self._runtime.database.read(
            self._app_id, lambda snapshot: find_groups(snapshot, [GROUP])
        )
        if GROUP not in groups:
            await fill(await self._calls(), read_story(self._runtime.clock.now()))
        self._is_complete.set()


async def fill(calls: DemoCalls, story: Story) -> None:
    """Make all that the story has.

    Raises:
        DemoIncomplete: a call is refused.
    """
    await _import(calls, "users", "uid", story.people)
    await calls.call("POST", "/bots", {"uid": BOT, "name": "Sage"})
    for uid, status in story.statuses.items():
        await calls.call("PUT", f"/users/{uid}", {"statusMessage": status})
    await _import(calls, "groups", "guid", story.groups)
    await _import(calls, "members", "memberId", story.members)
    await _import(calls, "messages", "muid", story.read)
    await _mark_all_read(calls, [*story.statuses, *(person["uid"] for person in story.people)])
    for row in story.new:
        if "file" in row:
            await _send_file(calls, row)
        else:
            await _import(calls, "messages", "muid", [row])


async def _import(calls: DemoCalls, kind: str, id_: str, rows: Sequence[Row]) -> None:
    for some in _batches(rows):
        body = {kind: {row[id_]: row for row in some}}
        outcomes = await calls.call("POST", f"/data_import/{kind}{SKIP}", body)
        for key, outcome in outcomes.items():
            if not outcome["success"]:
                log.warning("demo_row_refused", row=key, error=outcome["error"])


def _batches(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    for begin in range(0, len(rows), ROWS):
        yield rows[begin : begin + ROWS]


async def _mark_all_read(calls: DemoCalls, uids: Sequence[str]) -> None:
    for uid in uids:
        conversations: list[Any] = await calls.call("GET", "/conversations?unread=true", by=uid)
        for each in conversations:
            other = each["conversationWith"]
            place = f"users/{other['uid']}" if "uid" in other else f"groups/{other['guid']}"
            await calls.call("POST", f"/{place}/conversation/read", {}, by=uid)


async def _send_file(calls: DemoCalls, row: Row) -> None:
    """Send a message with a file: imports can't bring files of their own."""
    fields = {name: row[name] for name in ("receiver", "receiverType", "type", "muid", "data")}
    content = (FOLDER / row["file"]).read_bytes()
    message = await calls.send_file(fields, row["file"], content, by=row["sender"])
    for each in row["reactions"]:
        path = f"/messages/{message['id']}/reactions/{each['reaction']}"
        await calls.call("POST", path, by=each["uid"])

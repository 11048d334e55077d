"""What was erased permanently is in no table any more, nor in the files of the embedded store."""

import asyncio
from collections.abc import AsyncIterator
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import partial
from pathlib import Path

import asyncpg
import pytest
from tests.api.interactions.forms import form, send, submit
from tests.clock import ManualClock
from tests.conftest import NewSettings
from tests.files.uploads import File, send_files
from tests.wire import InProcess
from tests.world import Node, World

from hubbub.background import running_workers
from hubbub.bootstrap import open_runtime
from hubbub.config import Settings
from hubbub.domain.log.consumers import CONSUMERS
from hubbub.domain.log.prune import prune_log
from hubbub.http.app import make_app
from hubbub.outbox.old import find_deletable
from hubbub.rest.operations import OPERATIONS

WORD = "edelweissblossom"
TRIGRAM = "ቐቑቒ"
"""Three letters that nothing else has: the search index has them as one term."""
MARKS = (WORD.encode(), TRIGRAM.encode())
SECONDS = 60
DAY = 86_400
Traces = AbstractSet[str]
"""Names of files and tables."""
NONE: Traces = frozenset()
SQLITE = {"hubbub.db", "hubbub.db-wal"}


@pytest.fixture
async def marked(new_settings: NewSettings) -> AsyncIterator[Node]:
    """A node at default settings, on a store of its own, with its background work."""
    settings = new_settings(log_requests=False, outbound_allow="127.0.0.0/8")
    clock = ManualClock()
    async with open_runtime(settings, clock) as runtime, running_workers(runtime):
        yield Node(runtime, clock, InProcess(make_app(runtime, OPERATIONS)), {})


async def find_traces(settings: Settings) -> Traces:
    """Return the files of the data folder, and on PostgreSQL the tables, that hold a mark."""
    found = await asyncio.to_thread(_files_with_marks, settings.data)
    if settings.database_url:
        found |= await _tables_with_marks(settings.database_url)
    return found


def _files_with_marks(folder: Path) -> Traces:
    return {
        path.name
        for path in folder.rglob("*")
        if path.is_file() and _has_mark(path.read_bytes().lower())
    }


def _has_mark(content: bytes) -> bool:
    return any(mark in content for mark in MARKS)


async def _tables_with_marks(url: str) -> Traces:
    connection = await asyncpg.connect(url)
    try:
        names = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname='public'")
        return {
            name
            for (name,) in names
            for row in await connection.fetch(f'SELECT CAST(t AS TEXT) FROM "{name}" t')
            if _has_mark(row[0].lower().encode())
        }
    finally:
        await connection.close()


async def leave_marks(world: World) -> None:
    """Have Anna leave every kind of content, marked."""
    await world.users("ben")
    profile = {"metadata": {"note": WORD}, "tags": [WORD], "statusMessage": WORD}
    links = {"link": f"https://x.y/{WORD}", "avatar": f"https://x.y/{WORD}.png"}
    await world.user("anna", name=f"{WORD} {TRIGRAM}", **profile, **links)
    await world.post("/groups", {"guid": "hikers", "name": "Hikers", "type": "public"}, as_="ben")
    await world.post("/groups/hikers/members", {"participants": ["anna"]})
    channel = {
        "isEnabled": True,
        "webhookURL": "http://127.0.0.1:9/closed",
        "useBasicAuth": False,
        "basicAuthUsername": "",
        "basicAuthPassword": "",
    }
    await world.post("/notifications/push/v1/providers/custom", channel)
    mail = {**channel, "useStoredEmailID": True}
    await world.post("/notifications/email/v1/providers/custom", mail)
    details = {"email": f"{WORD}@example.com", "phno": "+14155550123"}
    await world.patch("/notifications/v1/contact-details", details, as_="anna")
    for receiver, kind in (("ben", "user"), ("hikers", "group")):
        for number in range(20):
            text = f"{WORD} {number} {TRIGRAM} " + "and more of it " * 40
            body = {"receiver": receiver, "receiverType": kind, "tags": [WORD]}
            data = {"text": text, "metadata": {"note": WORD}}
            key = {"Idempotency-Key": f"{receiver} {WORD} {number}"}
            sent = await world.post("/messages", {**body, "data": data}, as_="anna", headers=key)
        await world.put(f"/messages/{sent['id']}", {"data": {"text": f"{WORD} new"}}, as_="anna")
    await send_files(world, File(f"{WORD}.txt", WORD.encode()), caption=WORD)
    answer = {"name": WORD, "color": "red", "colors": ["red"], "day": "31.01.2026", "note": WORD}
    path = await send(world, form(), sender="ben", to="hikers", kind="group")
    await submit(world, path, answer, uid="anna")
    await world.get(f"/messages?searchKey={WORD}", as_="ben")


async def wait_until_gone(settings: Settings, *, but: Traces = NONE) -> Traces:
    """Wait until nothing but some traces is left; return what is left after a while."""
    left: Traces = set()
    with suppress(TimeoutError):
        async with asyncio.timeout(SECONDS):
            while (left := await find_traces(settings)) - but:  # noqa: ASYNC110  # not told
                await asyncio.sleep(0.2)
    return left


async def test_an_erased_user_leaves_no_content(marked: Node) -> None:
    """All that a user wrote is gone, at default settings; on SQLite from the files as well."""
    world = await marked.world()
    await leave_marks(world)
    assert await find_traces(marked.runtime.settings)

    await world.delete("/users/anna", {"permanent": True})

    assert await wait_until_gone(marked.runtime.settings) == set()


async def test_a_reaction_stays_in_the_log(marked: Node) -> None:
    """The log of events, and a push that waits, name a reaction until their time is over."""
    world, settings = await marked.world(), marked.runtime.settings
    await world.users("anna", "ben")
    path = await send(world, form(), sender="ben", to="anna")
    await world.post(f"{path}/reactions/{WORD}", as_="anna")
    await world.delete("/users/anna", {"permanent": True})
    kept = {"events", "notice_bundles"} if settings.database_url else SQLITE
    assert await wait_until_gone(settings, but=kept) <= kept

    marked.clock.advance(settings.events_keep + 1)
    await world.users("cora")
    await wait_until_consumed(marked, world)
    await prune_log(marked.runtime)
    marked.clock.advance(DAY)

    assert await wait_until_gone(settings) == set()


async def wait_until_consumed(node: Node, world: World) -> None:
    """Wait until an old event of the app may be deleted."""
    before = node.clock.now() - round(node.runtime.settings.events_keep)
    find = partial(
        find_deletable, before=before, consumers=CONSUMERS, now=node.clock.now(), limit=9
    )
    async with asyncio.timeout(SECONDS):
        while not await node.runtime.database.read(world.app_id, find):  # noqa: ASYNC110  # not told
            await asyncio.sleep(0.1)

"""`hubbub import`, killed again and again: the same command ends as if it had not been."""

import json
import random
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import NewSettings
from tests.live import LiveNode
from tests.moving.killed import Moving, Stored, make_app, read_stored
from tests.moving.mover import AT, message, user
from tests.moving.town import history
from tests.world import Json

SEED = 7
MESSAGES = 2_400
YESTERDAY = int(time.time()) - 86_400
"""The commands' clock is that of the machine; a node merges receipts that are much older."""
KILLS_OF_IMPORT = 3
CAMPAIGN_KILLS = 50
"""Alone, and as many beside a node."""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some 3,000 lines with users, groups, members, threads, quotes, edits, and with faults."""
    town = history(MESSAGES, seed=SEED)
    lines = [
        *town,
        *(_receipt(line) for line in town if line["type"] == "message" and "parentMuid" in line),
        message("orphan", "nobody", "u1"),
        user("u2", name="Another one"),
    ]
    path = tmp_path_factory.mktemp("town") / "town.jsonl"
    texts = [json.dumps(_earlier(line)) for line in lines]
    path.write_text("".join(f"{text}\n" for text in [*texts, "{"]))
    return path


def _receipt(line: Json) -> Json:
    """Return the line of how far the sender of a message has read."""
    place = {name: line[name] for name in ("receiverType", "receiver", "sender")}
    read = {"uid": line["sender"], "readUpTo": line["muid"], "at": line["sentAt"] + 1}
    return {"type": "receipt", **place, **read}


def _earlier(line: Json) -> Json:
    """Return a line whose times are in the past of this machine, not only of the tests' clock."""
    moved = {name: each - AT + YESTERDAY for name, each in line.items() if isinstance(each, int)}
    return {**line, **moved}


@dataclass(slots=True)
class Place:
    """Stores to import into: of nobody else, or of a running node."""

    new_settings: NewSettings
    is_served: bool

    @asynccontextmanager
    async def opened(self, source: Path, chance: random.Random) -> AsyncIterator["Opened"]:
        """Yield an empty store."""
        settings = self.new_settings()
        await make_app(settings)
        with ExitStack() as stack:
            node = stack.enter_context(LiveNode(settings)) if self.is_served else None
            yield Opened(Moving(settings, source, chance), node)


@dataclass(slots=True)
class Opened:
    """A store with an app to import into."""

    moving: Moving
    node: LiveNode | None


@dataclass(frozen=True, slots=True)
class Ended:
    """What an import leaves."""

    stored: Stored
    seconds: float
    verified: Mapping[str, Any]
    refused: str


@pytest.fixture(params=["alone", "served"])
def place(request: pytest.FixtureRequest, new_settings: NewSettings) -> Place:
    """Stores of both kinds."""
    return Place(new_settings, request.param == "served")


Kill = Callable[[Opened], None]


async def import_town(place: Place, source: Path, chance: random.Random, kill: Kill) -> Ended:
    """Import the town after some kills, and compare it with the store."""
    async with place.opened(source, chance) as opened:
        kill(opened)
        began = time.monotonic()
        refused = source.with_name("refused.jsonl")
        opened.moving.end("--refused", str(refused))
        seconds = time.monotonic() - began
        verified = opened.moving.end("--verify")
    stored = await read_stored(opened.moving.settings)
    return Ended(stored, seconds, _told(verified), refused.read_text())


def _told(report: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a report says, but for what differs from run to run."""
    return {name: report[name] for name in report.keys() - {"id", "seconds"}}


async def kill_and_compare(place: Place, source: Path, *, kills: int, of_import: int) -> int:
    """Import one town after the other until so many processes were killed before their end.

    Return how many were.
    """
    chance, killed = random.Random(SEED), 0
    undisturbed = await import_town(place, source, chance, lambda _: None)

    def kill(opened: Opened) -> None:
        nonlocal killed
        for _ in range(of_import):
            killed += opened.moving.kill(undisturbed.seconds)
        if opened.node is not None:
            opened.moving.kill(undisturbed.seconds, opened.node)
            opened.node.start()

    while killed < kills:
        check(await import_town(place, source, chance, kill), undisturbed)
    return killed


def check(ended: Ended, undisturbed: Ended) -> None:
    """Check that an import that was killed has ended as one that was not.

    One that is killed between its end and what it prints is done: the same command begins another
    one then, which skips all that is stored.
    """
    first, *further = ended.stored.reports
    expected = undisturbed.stored.reports[0]
    assert _told(first) == _told(expected)
    for report in further:
        assert report["comparison"] == expected["comparison"]
        assert sum(kind["imported"] + kind["updated"] for kind in report["kinds"].values()) == 0
    assert ended.verified == undisturbed.verified
    assert ended.refused == undisturbed.refused
    for table, rows in undisturbed.stored.rows.items():
        assert ended.stored.rows[table] == rows, table


async def test_an_import_that_is_killed(place: Place, source: Path) -> None:
    """Killed twice alone, or beside a node once with it, the import ends as an undisturbed one."""
    await kill_and_compare(place, source, kills=1, of_import=1 if place.is_served else 2)


@pytest.mark.campaign
async def test_imports_that_are_killed_again_and_again(
    place: Place, source: Path, record_property: Callable[[str, object], None]
) -> None:
    """The same for a hundred kills on each engine, half of them beside a node."""
    kills = await kill_and_compare(place, source, kills=CAMPAIGN_KILLS, of_import=KILLS_OF_IMPORT)
    record_property("kills", kills)

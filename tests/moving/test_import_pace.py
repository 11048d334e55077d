"""An import into a store of several nodes leaves them the counters of the app most of the time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest
from tests.moving.mover import AT, Mover, ignore, message, user
from tests.world import World

from hubbub.moving.apply.outcome import Conflicts
from hubbub.moving.pace import (
    BESIDE_OTHERS_SECONDS,
    FEWEST_ROWS,
    FIRST_ROWS,
    MOST_ROWS,
    RECENT_SECONDS,
    SharedPace,
)
from hubbub.moving.run import run_import
from hubbub.moving.staging import StagedRow
from hubbub.moving.target import SharedStore
from hubbub.records.imports.model import Counts

SECONDS_OF_ROW = 0.00005


@dataclass(slots=True)
class Timed:
    """A pace with a clock of its own, and the rests that were made."""

    at: float = 1000.0
    rests: list[float] = field(default_factory=list)
    version: int = 1

    def pace(self) -> SharedPace:
        return SharedPace(now=lambda: self.at, sleep=self.rest)

    async def rest(self, seconds: float) -> None:
        self.rests.append(seconds)
        self.at += seconds

    async def store(self, pace: SharedPace) -> None:
        """Store as many rows as the pace has."""
        pace.begin(self.version)
        self.at += pace.rows * SECONDS_OF_ROW
        self.version += 1
        await pace.end(pace.rows)


async def test_an_import_goes_at_full_speed_while_nobody_writes() -> None:
    """Transactions become larger, up to a limit, and are followed by no rest."""
    timed = Timed()
    pace = timed.pace()
    found = []
    for _ in range(6):
        await timed.store(pace)
        found.append(pace.rows)

    assert found == [FIRST_ROWS * 2, FIRST_ROWS * 4, FIRST_ROWS * 8, *[MOST_ROWS] * 3]
    assert timed.rests == []


async def test_transactions_are_short_while_others_write() -> None:
    """Once others have written between two, a transaction takes a moment, and a rest as long."""
    timed = Timed()
    pace = timed.pace()
    for _ in range(5):
        await timed.store(pace)
    timed.version += 1
    for _ in range(3):
        await timed.store(pace)

    short = round(BESIDE_OTHERS_SECONDS / SECONDS_OF_ROW)
    assert abs(pace.rows - short) <= 1
    assert timed.rests[0] == pytest.approx(MOST_ROWS * SECONDS_OF_ROW)
    assert timed.rests[1:] == pytest.approx([BESIDE_OTHERS_SECONDS] * 2, rel=0.05)


async def test_a_slow_store_is_given_some_rows_all_the_same() -> None:
    """However long a row takes, an import goes on."""
    timed = Timed()
    pace = timed.pace()
    timed.version += 1
    await timed.store(pace)
    timed.version += 1
    timed.at += 100 * RECENT_SECONDS
    pace.begin(timed.version)
    timed.at += 60
    await pace.end(pace.rows)

    assert pace.rows == FEWEST_ROWS


async def test_it_hastens_again_when_the_others_have_ended() -> None:
    """Some seconds after the last one else has written, it goes at full speed."""
    timed = Timed()
    pace = timed.pace()
    await timed.store(pace)
    timed.version += 1
    await timed.store(pace)
    assert len(timed.rests) == 1
    timed.at += RECENT_SECONDS + 1
    for _ in range(6):
        await timed.store(pace)

    assert pace.rows == MOST_ROWS
    assert len(timed.rests) == 1


class Busy(SharedStore):
    """A store into which a client sends after each transaction of an import."""

    world: World

    async def apply(
        self,
        import_id: str,
        rows: Sequence[StagedRow],
        conflicts: Conflicts,
        paths: Mapping[str, str],
    ) -> Counts:
        counts = await super().apply(import_id, rows, conflicts, paths)
        body = {"receiver": "ben", "receiverType": "user", "data": {"text": "Live"}}
        await self.world.post("/messages", body, as_="anna")
        return counts


@pytest.mark.parametrize("is_busy", [True, False])
async def test_sends_of_others_are_noticed(mover: Mover, world: World, is_busy: bool) -> None:
    """An import rests if clients send meanwhile, and does not if there are none."""
    for uid in ("anna", "ben"):
        await world.post("/users", {"uid": uid, "name": uid})
    timed = Timed()
    kind = Busy if is_busy else SharedStore
    target = kind(mover.node.runtime, world.app_id, timed.pace())
    if isinstance(target, Busy):
        target.world = world
    lines = [message(f"m{n}", "anna", "ben", sentAt=AT + n) for n in range(FIRST_ROWS * 4)]
    path = mover.write([user("anna"), user("ben"), *lines])
    mover_order = mover.order(path)

    _, report = await run_import(mover_order, target, ignore)

    assert report.kinds["message"].imported == FIRST_ROWS * 4
    assert bool(timed.rests) == is_busy

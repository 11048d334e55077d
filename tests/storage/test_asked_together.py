"""The contract of both engines about statements that are asked together, or foreseen."""

import pytest
from tests.storage.notes import SQL, Surprise, writing
from tests.storage.turns import Pause, start

from hubbub.storage.dialect import Of
from hubbub.storage.interface import Database, Row, Snapshot
from hubbub.storage.together import Asked


@pytest.fixture
async def notes(database: Database, app_id: str) -> None:
    """Three notes, each with the name of the next author for a text."""
    for author, text in (("anna", "ben"), ("ben", "carla"), ("carla", "dora")):
        await database.write(app_id, writing(author, text))


async def find_text(snapshot: Snapshot, author: str) -> str | None:
    """Return the text of an author's note."""
    row = await snapshot.fetch_one(SQL.find_note, author=author)
    return str(row[0]) if row else None


async def follow(snapshot: Snapshot, author: str) -> list[str]:
    """Return the texts of an author's note, of the note of whom it names, and so on."""
    found: list[str] = []
    while (text := await find_text(snapshot, found[-1] if found else author)) is not None:
        found.append(text)
    return found


async def list_from(snapshot: Snapshot, *authors: str) -> list[tuple[str, ...]]:
    """Return the first note from each author on."""
    rows = [{"author": each, "limit": 1} for each in authors]
    return [tuple(row) for row in await snapshot.fetch_many(SQL.list_notes_from, rows)]


@pytest.mark.usefixtures("notes")
@pytest.mark.parametrize("is_short", [True, False])
async def test_gathered_look_ups(database: Database, app_id: str, is_short: bool) -> None:
    """Look-ups that are gathered find what they find alone, however many statements each has."""

    async def nested(snapshot: Snapshot) -> list[object]:
        return await snapshot.gather(find_text(snapshot, "carla"), follow(snapshot, "ben"))

    async def within(snapshot: Snapshot) -> list[object]:
        return await snapshot.gather(
            follow(snapshot, "anna"),
            find_text(snapshot, "nobody"),
            list_from(snapshot, "ben", "c", "z"),
            nested(snapshot),
            list_from(snapshot),
        )

    assert await database.read(app_id, within, is_short=is_short) == [
        ["ben", "carla", "dora"],
        None,
        [("ben", "carla"), ("carla", "dora")],
        ["dora", ["carla", "dora"]],
        [],
    ]


@pytest.mark.usefixtures("notes")
async def test_a_gathered_look_up_that_fails(database: Database, app_id: str) -> None:
    """Its error is that of all, and the reading may go on."""

    async def fail(snapshot: Snapshot) -> None:
        await find_text(snapshot, "anna")
        raise Surprise

    async def within(snapshot: Snapshot) -> list[str]:
        with pytest.raises(Surprise):
            await snapshot.gather(fail(snapshot), follow(snapshot, "anna"))
        return await follow(snapshot, "ben")

    assert await database.read(app_id, within) == ["carla", "dora"]


def plan() -> list[Asked]:
    """Return a plan whose statements need what the ones before them find."""
    return [
        Asked(SQL.find_note, {"author": "anna"}),
        Asked(SQL.find_note, {"author": ""}).linked(author=Of(0, "text")),
        Asked(SQL.list_notes_from, {"author": "", "limit": 2}).linked(author=Of(1, "text")),
        Asked(SQL.list_notes, {}),
        Asked(SQL.find_note, {"author": ""}).linked(author=Of(3, "author", "max", rows=2)),
        Asked(SQL.list_notes_of, {"authors": ["ben", "anna"]}),
    ]


@pytest.mark.usefixtures("notes")
@pytest.mark.parametrize("is_all", [True, False])
async def test_foreseen_statements(database: Database, app_id: str, is_all: bool) -> None:
    """Rows that were foreseen, and others, are found as they are without."""

    async def within(snapshot: Snapshot) -> list[object]:
        await snapshot.foresee(plan, is_all=is_all)
        found: list[Row] = await snapshot.fetch(SQL.list_notes_of, authors=["anna", "ben"])
        return [
            await follow(snapshot, "anna"),
            await find_text(snapshot, "nobody"),
            await list_from(snapshot, "carla"),
            [row[0] for row in found],
        ]

    expected = [["ben", "carla", "dora"], None, [("carla", "dora")], ["anna", "ben"]]
    for _ in range(3):
        assert await database.read(app_id, within) == expected


async def test_a_plan_that_finds_nothing(database: Database, app_id: str) -> None:
    """Statements that need what is not there find nothing."""

    async def within(snapshot: Snapshot) -> list[object]:
        await snapshot.foresee(plan, is_all=True)
        return [await find_text(snapshot, "anna"), len(await snapshot.fetch(SQL.list_notes))]

    assert await database.read(app_id, within) == [None, 0]


async def test_more_than_was_foreseen_is_of_one_snapshot(
    database: Database, app_id: str, pause: Pause
) -> None:
    """A reading sees the same rows in all of its statements, also in those it did not foresee."""

    async def within(snapshot: Snapshot) -> tuple[bool, int]:
        await snapshot.foresee(lambda: [Asked(SQL.find_note, {"author": "anna"})], is_all=True)
        is_there = await find_text(snapshot, "anna") is not None
        await pause()
        return is_there, len(await snapshot.fetch(SQL.list_notes))

    [reading] = await start(database.read(app_id, within))
    await pause.reached.wait()
    await database.write(app_id, writing("anna"))
    pause.end()

    assert await reading in [(False, 0), (True, 1)]

"""The contract of both engines about statements: the same text has the same result."""

from dataclasses import dataclass
from typing import Any

import pytest
from tests.storage.notes import SQL, list_authors, list_notes, writing

from hubbub.storage.interface import Database, Snapshot, Transaction
from hubbub.storage.queries import Query


async def write_notes(database: Database, app_id: str, *authors: str) -> None:
    """Store a note of each author in one round trip."""
    rows = [{"author": author, "text": "hello"} for author in authors]
    await database.write(app_id, lambda tx: tx.run_many(SQL.insert_note, rows))


async def fetch(database: Database, app_id: str, query: Query, **args: Any) -> list[Any]:
    """Return the first column of a query's rows."""
    rows = await database.read(app_id, lambda snapshot: snapshot.fetch(query, **args))
    return [row[0] for row in rows]


async def test_run_returns_the_number_of_changed_rows(database: Database, app_id: str) -> None:
    """Inserted, not inserted, changed, not found, deleted: 1, 0, 1, 0, 2."""

    async def within(tx: Transaction) -> list[int]:
        await writing("carla")(tx)
        return [
            await tx.run(SQL.keep_note, author="anna", text="first"),
            await tx.run(SQL.keep_note, author="anna", text="second"),
            await tx.run(SQL.change_note, author="anna", text="third"),
            await tx.run(SQL.change_note, author="ben", text="third"),
            await tx.run(SQL.delete_notes, authors=["anna", "ben", "carla"]),
        ]

    assert await database.write(app_id, within) == [1, 0, 1, 0, 2]


async def test_run_many_with_nothing_does_nothing(database: Database, app_id: str) -> None:
    """An empty list of rows runs no statement."""
    await write_notes(database, app_id)

    assert await list_authors(database, app_id) == []


async def test_run_many_is_all_or_nothing(database: Database, app_id: str) -> None:
    """If one of many rows cannot be stored none is."""
    with pytest.raises(Exception, match=r"(?i)unique"):
        await write_notes(database, app_id, "anna", "ben", "anna")

    assert await list_authors(database, app_id) == []


@pytest.mark.parametrize("name", ["put_note", "append_to_notes"])
async def test_run_many_takes_a_key_twice(database: Database, app_id: str, name: str) -> None:
    """Rows of a batch with the same key have effect one after the other, in their order."""
    await write_notes(database, app_id, "anna", "ben")
    authors = ["anna", "ben", "anna", "anna", "ben"]
    rows = [{"author": author, "text": f" {place}"} for place, author in enumerate(authors, 1)]
    await database.write(app_id, lambda tx: tx.run_many(getattr(SQL, name), rows))

    found = await list_notes(database, app_id)
    assert [row[1].removeprefix("hello") for row in found] == [" 1 3 4", " 2 5"]


async def test_fetch_many_answers_in_order(database: Database, app_id: str) -> None:
    """The rows of several look-ups come in their order; missing rows are left out."""
    await database.write(app_id, writing("anna", "first"))
    await database.write(app_id, writing("carla", "second"))

    async def within(snapshot: Snapshot) -> list[list[str]]:
        found = [
            await snapshot.fetch_many(SQL.find_note, [{"author": author} for author in authors])
            for authors in (["carla", "nobody", "anna", "carla"], ["carla"], ["nobody"], [])
        ]
        return [[text for (text,) in rows] for rows in found]

    expected = [["second", "first", "second"], ["second"], [], []]
    assert await database.read(app_id, within) == expected


async def test_fetch_many_takes_lists(database: Database, app_id: str) -> None:
    """Each of several look-ups may have a list."""
    await write_notes(database, app_id, "anna", "ben", "carla")
    wanted = [{"authors": ["ben", "anna"]}, {"authors": []}, {"authors": ("carla",)}]

    rows = await database.read(
        app_id, lambda snapshot: snapshot.fetch_many(SQL.list_notes_of, wanted)
    )

    assert [row[0] for row in rows] == ["anna", "ben", "carla"]


@dataclass
class Draft:
    """A record with the attributes of a note, and more."""

    text: str
    author: str
    is_new: bool = True


@pytest.mark.parametrize("name", ["insert_note", "add_note"])
async def test_run_many_takes_records(database: Database, app_id: str, name: str) -> None:
    """Rows may be records: their attributes are bound by name, one by one or as a batch."""
    drafts = [Draft("hello", "anna"), Draft("good-bye", "ben")]

    await database.write(app_id, lambda tx: tx.run_many(getattr(SQL, name), drafts))

    assert [tuple(row) for row in await list_notes(database, app_id)] == [
        ("anna", "hello"),
        ("ben", "good-bye"),
    ]


async def test_fetch_one_takes_the_first_row(database: Database, app_id: str) -> None:
    """Of several rows, the first in the query's order is returned."""
    await write_notes(database, app_id, "ben", "anna")

    row = await database.read(app_id, lambda snapshot: snapshot.fetch_one(SQL.list_notes))

    assert row is not None
    assert row[0] == "anna"


async def test_list_parameters(database: Database, app_id: str) -> None:
    """A parameter may be a list of values, also an empty one."""
    await write_notes(database, app_id, "anna", "ben", 'carla "c"')
    listed = ['carla "c"', "anna", "nobody"]

    assert await fetch(database, app_id, SQL.list_notes_of, authors=listed) == ["anna", 'carla "c"']
    assert await fetch(database, app_id, SQL.list_notes_of_others, authors=listed) == ["ben"]
    assert await fetch(database, app_id, SQL.list_notes_of, authors=[]) == []
    assert len(await fetch(database, app_id, SQL.list_notes_of_others, authors=[])) == 3


async def test_text_sorts_by_code_point(database: Database, app_id: str) -> None:
    """Text sorts by code points, whatever the machine's language is."""
    names = ["Z", "_", "a", "ben", "é", "ﬀ", "😀"]
    await write_notes(database, app_id, *reversed(names))

    assert await list_authors(database, app_id) == sorted(names)


async def test_text_comes_back_as_it_was(database: Database, app_id: str) -> None:
    """Quotes, colons, other scripts and line ends come back unchanged."""
    text = 'it\'s ":app_id" $1 ?1 \\ % _ \r\n 안녕 👩‍👩‍👧 ' + "x" * 100_000
    await database.write(app_id, writing("anna", text))

    assert [tuple(row) for row in await list_notes(database, app_id)] == [("anna", text)]


@pytest.mark.parametrize("number", [0, -1, 2**63 - 1, -(2**63)])
async def test_numbers_keep_their_64_bits(database: Database, app_id: str, number: int) -> None:
    """A BIGINT stores 64 bits and returns them."""
    echo = Query("echo", "SELECT CAST(:number AS BIGINT)")

    assert await fetch(database, app_id, echo, number=number) == [number]


async def test_none_is_null(database: Database, app_id: str) -> None:
    """None is stored as NULL and comes back as None."""
    echo = Query("echo", "SELECT CAST(:text AS TEXT)")

    assert await fetch(database, app_id, echo, text=None) == [None]

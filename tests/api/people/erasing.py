"""The stored rows of an app, table by table; and erasures, with or without interruption."""

import re

from tests.api.groups.clubs import change_store
from tests.api.messages.talk import stored
from tests.world import Node, World

from hubbub.bootstrap import open_runtime
from hubbub.domain.erasure.erase import erase_all, erase_chunk, find_erasures
from hubbub.storage.interface import Row
from hubbub.storage.migrations import load_migrations, tenant_tables

Rows = dict[str, list[Row]]
"""Rows by table."""
MARK = "edelweiss"
"""A word in all data that is deleted, and nowhere else."""
WAYS = ("in one go", "interrupted", "on another node")
_TABLE = re.compile(r"^CREATE TABLE (\w+) \((.*?)^\)", re.DOTALL | re.MULTILINE)
_COLUMN = re.compile(r"^    (\w+) (TEXT|BIGINT|BOOLEAN)", re.MULTILINE)
_VALUES = {"TEXT": "x", "BIGINT": 1, "BOOLEAN": False}


def columns() -> dict[str, dict[str, str]]:
    """Return the columns of each table of apps, with their types, in the newest schema."""
    made = {
        name: dict(_COLUMN.findall(text))
        for step in load_migrations()
        for name, text in _TABLE.findall(step.text)
    }
    return {table.name: made[table.name] for table in tenant_tables()}


COLUMNS = columns()


KEPT = {"counters", "webhook_deliveries"}
"""Tables that no erasure is about: deliveries are kept for a while, also those of deletions."""


def tables_with_column(column: str) -> list[str]:
    """Return the tables that have a column of that name, except those that are kept."""
    return [name for name in COLUMNS if column in COLUMNS[name] and name not in KEPT]


async def rows_of(node: Node, world: World, tables: list[str] | None = None, **of: object) -> Rows:
    """Return all rows of an app, sorted; with a value, the rows that have it in that column."""
    which = "".join(f" AND {column} = {value!r}" for column, value in of.items())
    rows = {
        name: await stored(node, world, f"SELECT * FROM {name} WHERE app_id = :app_id{which}")
        for name in tables or COLUMNS
    }
    return {name: sorted(some, key=repr) for name, some in rows.items()}


def tables_with_word(rows: Rows, word: str) -> list[str]:
    """Return the tables that contain a word somewhere, in any case."""
    return [name for name, some in rows.items() if word in str(some).casefold()]


def tables_with_value(rows: Rows, value: object) -> list[str]:
    """Return the tables with a row that has a value in a column, or a text within another.

    References within JSON objects, as in the log, are kept: they belong to others.
    """
    return [
        name
        for name, some in rows.items()
        if any(_has(cell, value) for row in some for cell in row)
    ]


def _has(cell: object, value: object) -> bool:
    if isinstance(cell, str) and isinstance(value, str):
        return value in cell and not cell.startswith(("{", "[{"))
    return cell == value


async def insert_missing_rows(
    node: Node, world: World, column: str, values: dict[str, object]
) -> None:
    """Insert a row into each table with that column where the value is missing.

    So a new table is erased, too, or these tests fail.
    """
    for name in tables_with_column(column):
        if (await rows_of(node, world, [name], **{column: values[column]}))[name]:
            continue
        row = {each: _VALUES[type_] for each, type_ in COLUMNS[name].items()} | {
            each: value for each, value in values.items() if each in COLUMNS[name]
        }
        row.pop("app_id")
        names = ", ".join(row)
        places = ", ".join(f":{each}" for each in row)
        text = f"INSERT INTO {name} (app_id, {names}) VALUES (:app_id, {places})"
        await change_store(node, world, text, **row)


async def erase_by(way: str, node: Node) -> None:
    """Run all erasures, at once or continued after a crash in the middle."""
    if way != "in one go":
        for _ in range(2):
            erasures = await find_erasures(node.runtime)
            mine = [each for each in erasures if each.app_id == erasures[0].app_id]
            await erase_chunk(node.runtime, mine, limit=3)
            await erase_chunk(node.runtime, mine, limit=3)  # as after a crash
        assert await find_erasures(node.runtime), "it was done before it was interrupted"
    if way == "on another node":
        async with open_runtime(node.runtime.settings, node.clock) as other:
            await erase_all(other)
    await erase_all(node.runtime)

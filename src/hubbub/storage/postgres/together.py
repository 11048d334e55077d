"""Several queries as one statement of PostgreSQL: one round trip, and one snapshot."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from hubbub.storage import dialect
from hubbub.storage.dialect import JoinedPart, Of
from hubbub.storage.interface import Row
from hubbub.storage.postgres.pool import Connection
from hubbub.storage.queries import Query
from hubbub.storage.together import Asked

Key = tuple[tuple[Query, bool, tuple[tuple[str, Of], ...]], ...]


@dataclass(frozen=True, slots=True)
class QueryShape:
    """What PostgreSQL infers of a query: the types of its parameters, and its columns."""

    types: dict[str, str]
    columns: tuple[tuple[str, str], ...]
    """The names and types."""


@dataclass(frozen=True, slots=True)
class Joined:
    """A statement for several queries, and how the rows of each are read from its rows."""

    text: str
    readers: Sequence[Callable[[Row], Row]]


_shapes: dict[Query, QueryShape] = {}
_joined: dict[Key, Joined] = {}


async def find_shape(connection: Connection, query: Query) -> QueryShape:
    """Return the shape of a query; the server is asked once."""
    shape = _shapes.get(query)
    if shape is None:
        prepared = await connection.prepare(query.postgres)
        found = zip(query.parameters, prepared.get_parameters(), strict=True)
        shape = _shapes[query] = QueryShape(
            {name: type_.name for name, type_ in found},
            tuple((each.name, each.type.name) for each in prepared.get_attributes()),
        )
    return shape


async def fetch_joined(
    connection: Connection, app_id: str, asked: Sequence[Asked]
) -> list[list[Row]]:
    """Return the rows of each query."""
    key = tuple((each.query, each.rows is not None, each.shape_of_links) for each in asked)
    joined = _joined.get(key)
    if joined is None:
        joined = _joined[key] = await _join(connection, key)
    values: list[Any] = [app_id]
    for each in asked:
        if each.rows is not None:
            values.append(each.query.bind_bulk(each.rows))
            continue
        bound = each.query.bind("", each.args)[each.query.has_app_id :]
        for value in bound:
            if not isinstance(value, Of):
                values.append(value)
            elif value.rows is not None:
                values.append(value.rows)
    found: list[list[Row]] = [[] for _ in asked]
    readers = joined.readers
    for row in await connection.fetch(joined.text, *values):
        number = row[0]
        found[number].append(readers[number](row))
    return found


async def _join(connection: Connection, key: Key) -> Joined:
    parts = []
    for query, is_batch, links in key:
        shape = await find_shape(connection, query)
        parts.append(
            JoinedPart(query.text, query.columns, shape.types, shape.columns, dict(links), is_batch)
        )
    text, places = dialect.join_queries(parts)
    return Joined(text, [_reader(each) for each in places])


def _reader(places: Sequence[int]) -> Callable[[Row], Row]:
    if len(places) == 1:
        [only] = places
        return lambda row: (row[only],)
    return itemgetter(*places)


def resolve(asked: Sequence[Asked], found: Sequence[Sequence[Row]]) -> list[dict[str, Any]]:
    """Return the arguments of each query, now that all that they refer to is known."""
    resolved = []
    for each in asked:
        args = dict(each.args)
        for name, link in each.links:
            columns = [column for column, _ in _shapes[asked[link.place].query].columns]
            args[name] = link.value(found[link.place], columns.index(link.column))
        resolved.append(args)
    return resolved

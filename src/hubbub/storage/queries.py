"""Named SQL: written once in `queries.sql` files, turned into each engine's spelling when loaded.

A file is a row of queries, each under a line `-- name`; comment lines below the name say why. A
comment `-- point` promises a look-up by a unique key, `-- bulk` an insert that
PostgreSQL may do for a whole batch at once, `-- reads: table, …` names the tables.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from operator import itemgetter
from typing import Any, LiteralString

import msgspec

from hubbub.storage import dialect

MARKS = ("point", "bulk")
_NAME = re.compile(r"-- (\w+)\s*")
_ORDER = re.compile(r"\{order: ([^}]+)\}")
_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """One statement in the spelling of both engines, with its parameters in order."""

    name: str
    text: str
    is_point: bool = False
    is_bulk: bool = False
    reads: tuple[str, ...] = ()
    sqlite: str = field(init=False)
    postgres: str = field(init=False)
    parameters: tuple[str, ...] = field(init=False)
    lists: frozenset[str] = field(init=False)
    terms: frozenset[str] = field(init=False)
    """The parameters that are `Terms` of a search."""
    columns: tuple[str, ...] = field(init=False)
    """The parameters that differ from row to row of a batch: all but the app's id."""
    _values: Callable[[Mapping[str, Any]], tuple[Any, ...]] = field(init=False)

    def __post_init__(self) -> None:
        statement = dialect.compile_query(self.text)
        object.__setattr__(self, "sqlite", statement.sqlite)
        object.__setattr__(self, "postgres", statement.postgres)
        object.__setattr__(self, "parameters", statement.parameters)
        object.__setattr__(self, "lists", statement.lists)
        object.__setattr__(self, "terms", statement.terms)
        columns = tuple(name for name in statement.parameters if name != "app_id")
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "_values", _getter(self.columns))

    def bind(self, app_id: str, args: Mapping[str, Any]) -> tuple[Any, ...]:
        """The values of the parameters in order, for PostgreSQL."""
        if self.terms:
            args = {**args, **{name: args[name].for_postgres() for name in self.terms}}
        return self._bind(app_id, args)

    def _bind(self, app_id: str, args: Mapping[str, Any]) -> tuple[Any, ...]:
        if len(self.parameters) > len(self.columns):
            return (app_id, *self._values(args))
        return self._values(args)

    def bind_sqlite(self, app_id: str, args: Mapping[str, Any]) -> tuple[Any, ...]:
        """The values of the parameters in order, lists as JSON text."""
        if self.lists:
            args = {
                name: _encode(list(value)).decode() if name in self.lists else value
                for name, value in args.items()
            }
        if self.terms:
            args = {**args, **{name: args[name].for_sqlite() for name in self.terms}}
        return self._bind(app_id, args)

    def bind_bulk(self, app_id: str, rows: Sequence[Mapping[str, Any]]) -> list[Any]:
        """The values of a whole batch, an array for each parameter but `:app_id`."""
        arrays = [[row[name] for row in rows] for name in self.columns]
        return [app_id, *arrays] if len(self.parameters) > len(self.columns) else arrays


def _getter(names: tuple[str, ...]) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    """What takes the values of `names` out of a mapping, always as a tuple."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda args: tuple(args[name] for name in names)


class Queries:
    """The queries of one file as attributes."""

    def __init__(self, queries: Mapping[str, Query]) -> None:
        self._queries = queries

    def __getattr__(self, name: str) -> Query:
        try:
            return self._queries[name]
        except KeyError:
            raise AttributeError(name) from None

    def __iter__(self) -> Iterator[Query]:
        return iter(self._queries.values())


def load_queries(package: str) -> Queries:
    """The queries of the file `queries.sql` in `package`."""
    return Queries(parse_queries((files(package) / "queries.sql").read_text("utf-8")))


def parse_queries(text: str) -> dict[str, Query]:
    """The queries of a file's text by name."""
    bodies: dict[str, list[str]] = {}
    body: list[str] = []
    for line in text.splitlines():
        name = _NAME.fullmatch(line)
        if name is None or name[1] in MARKS:
            body.append(line)
            continue
        body = bodies.setdefault(name[1], [])
    return {name: _parse(name, lines) for name, lines in bodies.items()}


def _parse(name: str, lines: list[str]) -> Query:
    comments = [line[2:].strip() for line in lines if line.startswith("--")]
    statement = "\n".join(line for line in lines if not line.startswith("--"))
    reads = next((line.removeprefix("reads:") for line in comments if "reads:" in line), "")
    return Query(
        name,
        statement.strip().rstrip(";"),
        is_point="point" in comments,
        is_bulk="bulk" in comments,
        reads=tuple(table.strip() for table in reads.split(",") if table.strip()),
    )


@lru_cache(maxsize=1024)
def _narrowed(query: Query, conditions: str, order: str | None) -> Query:
    text = query.text.replace("{where}", conditions)
    return Query(query.name, _ORDER.sub(lambda usual: order or usual[1], text), reads=query.reads)


class Where:
    """Optional conditions of a list query, as fragments of SQL that both engines understand.

    Nothing else builds SQL from strings; a fragment is a literal of the code, values are arguments.
    """

    def __init__(self) -> None:
        self._fragments: list[LiteralString] = []
        self.args: dict[str, Any] = {}

    def add(self, fragment: LiteralString, **args: Any) -> None:
        """Ask also for `fragment`, whose parameters are `args`."""
        self._fragments.append(fragment)
        self.args.update(args)

    def add_keyset(self, columns: LiteralString, *key: object, is_before: bool) -> None:
        """Keep the rows after the position `key` in the order of `columns`, or those before it."""
        names: list[LiteralString] = [":key_1", ":key_2", ":key_3"][: len(key)]
        sign: LiteralString = "<" if is_before else ">"
        self._fragments.append("(" + columns + ") " + sign + " (" + ", ".join(names) + ")")
        self.args.update({name[1:]: value for name, value in zip(names, key, strict=True)})

    def narrow(self, query: Query, *, order: LiteralString | None = None) -> Query:
        """`query` with the conditions in the place of its `{where}`.

        `order` takes the place of the usual one in `ORDER BY {order: …}`.
        """
        conditions = "".join(f"\n  AND {fragment}" for fragment in self._fragments)
        return _narrowed(query, conditions, order)

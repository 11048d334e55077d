"""Named SQL: written once in `queries.sql` files, turned into the SQL of each engine when loaded.

A file is a list of queries, each under a line `-- name`. Comment lines below the name give reasons;
five of them have a meaning. `-- point` promises a look-up by a unique key. `-- bulk` marks a
statement that PostgreSQL may run for a whole batch at once. `-- reads: table, …` names the tables.
`-- keeps` says that the caller has made the same change in the cached records.
`-- guard` marks the statement that must change a row, or the others of its batch do nothing.

Repeated SQL is a fragment: a block under `-- fragment name(parameter, …)`, in which `{parameter}`
stands for an argument. A query uses it as `{name(argument, …)}`, without parentheses where it has
no parameters. Fragments of a file belong to its queries; those of `fragments.sql` in a folder
above belong to the queries of all areas there. Conditions of `Where` use those of their query.
"""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache, lru_cache
from importlib.resources import files
from itertools import accumulate
from operator import attrgetter, itemgetter
from typing import Any, LiteralString, cast

import msgspec

from hubbub.storage import dialect

MARKS = ("point", "bulk", "keeps", "guard")
_WRITTEN = re.compile(r"(INSERT INTO|UPDATE|DELETE FROM) (\w+)")
_UPSERT = re.compile(
    r"INSERT INTO \w+ \(([^)]*)\)\s+VALUES \(([^)]*)\)\s+ON CONFLICT \(([^)]*)\)\s+DO UPDATE"
)
_EQUAL = re.compile(r"\b\w+ = :(\w+)")
_HEADING = re.compile(r"-- (?:(\w+)|fragment (\w+)(?:\(([\w, ]+)\))?)\s*")
_USE = re.compile(r"\{(?!where\})(\w+)(?:\(([^{}]*)\))?\}")
_ORDER = re.compile(r"\{order: ([^}]+)\}")
_encode = msgspec.json.Encoder().encode

Args = Mapping[str, Any]
Rows = Sequence[Args] | Sequence[object]
"""Either mappings, or records whose attributes have the names of a query's parameters."""
Fragment = Callable[..., str]
"""Returns the SQL of a fragment for its arguments."""
Fragments = Mapping[str, Fragment]


class UnknownFragment(LookupError):
    """A query uses a fragment that is not declared."""


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """One statement in the SQL of both engines, with its parameters in order."""

    name: str
    text: str
    is_point: bool = False
    is_bulk: bool = False
    keeps: bool = False
    is_guard: bool = False
    reads: tuple[str, ...] = ()
    fragments: Fragments = field(default_factory=dict)
    """The fragments that conditions of `Where` may use."""
    table: str = field(init=False)
    """The table that it writes; empty if it only reads."""
    is_insert: bool = field(init=False)
    """Whether it only adds rows, not changing any."""
    is_update: bool = field(init=False)
    is_delete: bool = field(init=False)
    sqlite: str = field(init=False)
    postgres: str = field(init=False)
    parameters: tuple[str, ...] = field(init=False)
    lists: frozenset[str] = field(init=False)
    terms: frozenset[str] = field(init=False)
    """The parameters that are `Terms` of a search."""
    columns: tuple[str, ...] = field(init=False)
    """The parameters that differ from row to row of a batch: all but the app's id."""
    bulk_names: tuple[str, ...] = field(init=False)
    """The names of these in a batch for PostgreSQL."""
    has_app_id: bool = field(init=False)
    key: tuple[str, ...] = field(init=False)
    """The parameters besides the app's id that say which row an UPDATE or upsert changes."""
    _values: Callable[[Any], tuple[Any, ...]] = field(init=False)
    _attributes: Callable[[Any], tuple[Any, ...]] = field(init=False)

    def __post_init__(self) -> None:
        statement = dialect.compile_query(self.text)
        written = _WRITTEN.match(self.text)
        columns = tuple(name for name in statement.parameters if name != "app_id")
        derived = {
            "table": written[2] if written else "",
            "is_insert": self.text.startswith("INSERT") and "DO UPDATE" not in self.text,
            "is_update": self.text.startswith("UPDATE"),
            "is_delete": self.text.startswith("DELETE"),
            "sqlite": statement.sqlite,
            "postgres": statement.postgres,
            "parameters": statement.parameters,
            "lists": statement.lists,
            "terms": statement.terms,
            "columns": columns,
            "bulk_names": tuple(f"{dialect.BULK_PREFIX}{name}" for name in columns),
            "has_app_id": "app_id" in statement.parameters,
            "key": _key_of(self.text),
            "_values": _getter(itemgetter, columns),
            "_attributes": _getter(attrgetter, columns),
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    def bind(self, app_id: str, args: Args) -> tuple[Any, ...]:
        """Return the values of the parameters in order, for PostgreSQL."""
        if self.terms:
            args = {**args, **{name: args[name].for_postgres() for name in self.terms}}
        return (app_id, *self._values(args)) if self.has_app_id else self._values(args)

    def bind_sqlite(self, app_id: str, args: Args) -> tuple[Any, ...]:
        """Return the values of the parameters in order, for SQLite: lists are JSON text."""
        if self.lists:
            args = {
                name: _encode(list(value)).decode() if name in self.lists else value
                for name, value in args.items()
            }
        if self.terms:
            args = {**args, **{name: args[name].for_sqlite() for name in self.terms}}
        return (app_id, *self._values(args)) if self.has_app_id else self._values(args)

    def bind_rows(self, app_id: str, rows: Rows) -> list[tuple[Any, ...]]:
        """Return the values of each row in the order of the parameters, for PostgreSQL."""
        found = self._values_of(rows)
        return [(app_id, *values) for values in found] if self.has_app_id else list(found)

    def bind_rows_sqlite(self, app_id: str, rows: Rows) -> list[tuple[Any, ...]]:
        """Return the values of each row in the order of the parameters, for SQLite.

        Rows of a query that has lists are mappings.
        """
        if not self.lists:
            return self.bind_rows(app_id, rows)
        return [self.bind_sqlite(app_id, args) for args in cast("Sequence[Args]", rows)]

    def keys_of(self, rows: Rows) -> list[Hashable]:
        """Return what tells each use of the query from others: its arguments, lists as sets."""
        return [
            tuple([frozenset(each) if isinstance(each, list) else each for each in values])
            for values in self._values_of(rows)
        ]

    def bind_bulk(self, rows: Rows) -> str:
        """Return a whole batch as JSON, for PostgreSQL: objects with all parameters but `:app_id`.

        Their names have a prefix: see `compile_bulk`.
        """
        row_of = _bulk_row(self.bulk_names)
        return _encode([row_of(*row) for row in self._values_of(rows)]).decode()

    def split_by_key(self, rows: Rows) -> Sequence[Rows]:
        """Return the rows in batches of which none has a key twice; one key's rows stay in order.

        PostgreSQL refuses an upsert that changes a row twice, and an UPDATE changes it only once.
        """
        if len(rows) < 2 or self.is_insert or self.is_delete:
            return [rows]
        seen: Counter[Any] = Counter()
        batches: list[list[Any]] = []
        for row, key in zip(rows, self._keys_of(rows), strict=True):
            place = seen[key]
            seen[key] += 1
            if place == len(batches):
                batches.append([])
            batches[place].append(row)
        return cast("list[Rows]", batches) if len(batches) > 1 else [rows]

    def _keys_of(self, rows: Rows) -> Iterator[tuple[Any, ...]]:
        get = itemgetter if isinstance(rows[0], Mapping) else attrgetter
        return map(_getter(get, self.key), rows)

    def _values_of(self, rows: Rows) -> Iterator[tuple[Any, ...]]:
        if isinstance(rows[0], Mapping):
            return map(self._values, rows)
        return map(self._attributes, rows)


def _key_of(text: str) -> tuple[str, ...]:
    """Return the parameters of a statement that say which row it changes."""
    upsert = _UPSERT.match(text)
    if upsert is not None:
        columns, values, key = (part.replace(" ", "").split(",") for part in upsert.groups())
        value_of = dict(zip(columns, values, strict=True))
        named = [value_of[column].removeprefix(":") for column in key if value_of[column][0] == ":"]
    else:
        named = _EQUAL.findall(text.partition("WHERE")[2]) if text.startswith("UPDATE") else []
    return tuple(name for name in named if name != "app_id")


def _getter(get: Callable[..., Any], names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """Return a function that reads `names` with `get`, and returns a tuple in any case."""
    if len(names) > 1:
        values: Callable[[Any], tuple[Any, ...]] = get(*names)
        return values
    getters = [get(name) for name in names]
    return lambda row: tuple([getter(row) for getter in getters])


@cache
def _bulk_row(names: tuple[str, ...]) -> type[msgspec.Struct]:
    """Return what holds a row of a batch: it is made and encoded in half the time of a mapping."""
    return msgspec.defstruct("BulkRow", names, gc=False)


class Queries:
    """The queries of one file, as attributes."""

    def __init__(self, queries: Mapping[str, Query]) -> None:
        self._queries = queries

    def __getattr__(self, name: str) -> Query:
        try:
            return self._queries[name]
        except KeyError:
            raise AttributeError(name) from None

    def __iter__(self) -> Iterator[Query]:
        return iter(self._queries.values())


def load_queries(package: str, **records: type) -> Queries:
    """Return the queries of the file `queries.sql` in `package`.

    `records` declares fragments that list columns: with `user_columns=User`, `{user_columns(u)}`
    is `u.uid, u.name, …`, the fields of the dataclass or struct in order, `{user_columns(:)}`
    is `:uid, :name, …`, their parameters, and `{user_columns(=)}` is `uid = :uid, …`, for `SET`.

    Raises:
        UnknownFragment: A query uses a fragment that is not declared.
    """
    fragments = {name: _columns_of(record) for name, record in records.items()}
    for above in accumulate(package.split(".")[:-1], "{}.{}".format):
        shared = files(above) / "fragments.sql"
        if shared.is_file():
            fragments |= _parse_fragments(shared.read_text("utf-8"))
    return Queries(parse_queries((files(package) / "queries.sql").read_text("utf-8"), fragments))


def _columns_of(record: type) -> Fragment:
    is_struct = issubclass(record, msgspec.Struct)
    all_fields = msgspec.structs.fields(record) if is_struct else fields(record)
    names = [each.name for each in all_fields]

    def columns(alias: str = "") -> str:
        if alias == "=":
            return ", ".join(f"{name} = :{name}" for name in names)
        prefix = alias if alias in ("", ":") else f"{alias}."
        return ", ".join(prefix + name for name in names)

    return columns


def parse_queries(text: str, fragments: Fragments | None = None) -> dict[str, Query]:
    """Return the queries of a file's text by name.

    Raises:
        UnknownFragment: A query uses a fragment that is not declared.
    """
    known = {**(fragments or {}), **_parse_fragments(text)}
    return {
        heading[1]: _parse_query(heading[1], lines, known)
        for heading, lines in _blocks(text)
        if heading[1]
    }


def _parse_fragments(text: str) -> dict[str, Fragment]:
    return {
        heading[2]: _parse_fragment(heading[3], lines)
        for heading, lines in _blocks(text)
        if heading[2]
    }


def _blocks(text: str) -> list[tuple[re.Match[str], list[str]]]:
    """Return each heading of a file with the lines below it."""
    blocks: list[tuple[re.Match[str], list[str]]] = []
    for line in text.splitlines():
        heading = _HEADING.fullmatch(line)
        if heading is not None and heading[1] not in MARKS:
            blocks.append((heading, []))
        elif blocks:
            blocks[-1][1].append(line)
    return blocks


def _statement(lines: Sequence[str]) -> str:
    statement = "\n".join(line for line in lines if not line.startswith("--"))
    return statement.strip().rstrip(";")


def _parse_fragment(parameters: str | None, lines: Sequence[str]) -> Fragment:
    names, text = parameters.split(", ") if parameters else [], _statement(lines)

    def fragment(*arguments: str) -> str:
        values = dict(zip(names, arguments, strict=True))
        return _USE.sub(lambda use: values.get(use[1], use[0]), text)

    return fragment


def _parse_query(name: str, lines: Sequence[str], fragments: Fragments) -> Query:
    comments = [line[2:].strip() for line in lines if line.startswith("--")]
    reads = next((line.removeprefix("reads:") for line in comments if "reads:" in line), "")
    reads = _expand(reads, fragments)
    return Query(
        name,
        _expand(_statement(lines), fragments),
        is_point="point" in comments,
        is_bulk="bulk" in comments,
        keeps="keeps" in comments,
        is_guard="guard" in comments,
        reads=tuple(table.strip() for table in reads.split(",") if table.strip()),
        fragments=fragments,
    )


def _expand(text: str, fragments: Fragments) -> str:
    """Return SQL with the fragments that it uses, and those that they use, in place."""

    def sql_of(use: re.Match[str]) -> str:
        if use[1] not in fragments:
            raise UnknownFragment(f"There is no SQL fragment {use[0]}.")
        arguments = use[2].split(", ") if use[2] else []
        return _expand(fragments[use[1]](*arguments), fragments)

    return _USE.sub(sql_of, text)


@lru_cache(maxsize=1024)
def _narrowed(query: Query, conditions: str, order: str | None) -> Query:
    text = query.text.replace("{where}", _expand(conditions, query.fragments))
    return Query(query.name, _ORDER.sub(lambda usual: order or usual[1], text), reads=query.reads)


class Where:
    """Optional conditions of a list query, as SQL that both engines understand.

    Nothing else builds SQL from strings: conditions are literals of the code, values are arguments.
    """

    def __init__(self, **args: Any) -> None:
        self._conditions: list[LiteralString] = []
        self.args = args

    def add(self, condition: LiteralString, **args: Any) -> None:
        """Add a condition, whose parameters are `args`; it may use fragments of its query."""
        self._conditions.append(condition)
        self.args.update(args)

    def add_given(self, values: object, **conditions: LiteralString) -> None:
        """Add the conditions for which the attribute of the same name is not None.

        It is the value of the parameter with that name.
        """
        for name, condition in conditions.items():
            value = getattr(values, name)
            if value is not None:
                self.add(condition, **{name: value})

    def add_keyset(self, columns: LiteralString, *key: object, is_before: bool) -> None:
        """Keep the rows after the position `key` in the order of `columns`, or those before it."""
        names: list[LiteralString] = [":key_1", ":key_2", ":key_3"][: len(key)]
        sign: LiteralString = "<" if is_before else ">"
        self._conditions.append("(" + columns + ") " + sign + " (" + ", ".join(names) + ")")
        self.args.update({name[1:]: value for name, value in zip(names, key, strict=True)})

    def narrow(self, query: Query, *, order: LiteralString | None = None) -> Query:
        """Return `query` with the conditions in place of its `{where}`.

        `order` replaces the usual order in `ORDER BY {order: …}`.
        """
        conditions = "".join(f"\n  AND {condition}" for condition in self._conditions)
        return _narrowed(query, conditions, order)

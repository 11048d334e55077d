"""All differences between the SQL of the two engines.

Queries have `:name` parameters and PostgreSQL's `= ANY(:names)`. In the schema, `{key table}` marks
a table whose rows are found by their primary key: SQLite clusters them by it. `{warm}` and `{hot}`
mark the same for rows that change often or always: PostgreSQL leaves free space in their pages.

A table of search entries has `rowid`, and `terms`, which each engine indexes with its built-in
full-text index. `{search table: name}` has terms with spaces between them on both engines;
`{trigram table: name, formerly: former}` puts in its place, on SQLite only, a table of texts that
SQLite cuts into trigrams. `{terms: :terms}` is the content of an entry. `{name found by: :terms}`
is the search condition, whose parameter is `SearchTerms`, or `Terms`. `{empty search table: name}`
deletes all entries. See `docs/decisions/sql.md` and `docs/decisions/search.md`.

`{append only: name}` has the engine refuse each change and each deletion of the rows of a table,
but while another store is copied into it: a table whose copy broke off is emptied, and begun again.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from hubbub.storage.migrations import UNFINISHED_COPY

_PARAMETER = re.compile(r"(?<![:\w]):([a-z_]\w*)")
_ANY = re.compile(r"= ANY\(:(\w+)\)")
_NOT_ALL = re.compile(r"<> ALL\(:(\w+)\)")
_FOR_UPDATE = re.compile(r"\s+FOR UPDATE(?: SKIP LOCKED)?")
_TEXT = re.compile(r"\bTEXT\b")
_STORAGE = re.compile(r"\{(key table|warm|hot)\}")
_SEARCH_TABLE = re.compile(r"\{search table: (\w+)\}")
_TRIGRAM_TABLE = re.compile(r"\{trigram table: (\w+), formerly: (\w+)\}")
_EMPTY = re.compile(r"\{empty search table: (\w+)\}")
_APPEND_ONLY = re.compile(r"\{append only: (\w+)\};")
_ENTRY = re.compile(r"\{terms: (:\w+)\}")
_FOUND_BY = re.compile(r"\{(\w+) found by: :(\w+)\}")
_SQLITE_SEARCH_TABLE = r"""CREATE VIRTUAL TABLE \1 USING fts5 (
    terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
)"""
_SQLITE_TRIGRAM_TABLE = r"""ALTER TABLE \1 RENAME TO \2;
CREATE VIRTUAL TABLE \1 USING fts5 (
    terms, content = '', contentless_delete = 1, detail = none,
    tokenize = 'trigram case_sensitive 1'
)"""
_POSTGRES_SEARCH_TABLE = r"""CREATE TABLE \1 (rowid BIGINT PRIMARY KEY, terms tsvector NOT NULL);
CREATE INDEX \1_by_term ON \1 USING gin (terms) WITH (gin_pending_list_limit = 512)"""
_POSTGRES_TRIGRAM_TABLE = r"{search table: \2}"
_SQLITE_APPEND_ONLY = r"""CREATE TRIGGER \1_is_not_changed BEFORE UPDATE ON \1
WHEN NOT EXISTS (SELECT 1 FROM sqlite_master WHERE name = '{copy}')
BEGIN SELECT RAISE(ABORT, '\1 is append-only'); END;
CREATE TRIGGER \1_is_not_deleted BEFORE DELETE ON \1
WHEN NOT EXISTS (SELECT 1 FROM sqlite_master WHERE name = '{copy}')
BEGIN SELECT RAISE(ABORT, '\1 is append-only'); END;""".replace("{copy}", UNFINISHED_COPY)
_POSTGRES_APPEND_ONLY = r"""CREATE FUNCTION \1_is_append_only() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN
IF to_regclass('{copy}') IS NULL THEN RAISE EXCEPTION '\1 is append-only'; END IF;
RETURN NULL;
END $$;
CREATE TRIGGER \1_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON \1
FOR EACH STATEMENT EXECUTE FUNCTION \1_is_append_only();""".replace("{copy}", UNFINISHED_COPY)
_POSTGRES_STORAGE = {
    "key table": "",
    "warm": "WITH (fillfactor = 70)",
    "hot": "WITH (fillfactor = 20)",
}


@dataclass(frozen=True, slots=True)
class Statement:
    """A query in the SQL of both engines."""

    sqlite: str
    postgres: str
    parameters: tuple[str, ...]
    lists: frozenset[str]
    terms: frozenset[str]


@dataclass(frozen=True, slots=True)
class Terms:
    """The condition of a search: the terms and prefixes that an entry must have.

    Terms for PostgreSQL have no ASCII characters but letters and digits.
    """

    all_of: Sequence[str] = ()
    beginnings: Sequence[str] = ()
    """Prefixes; an entry has a term with each of them."""
    any_of: Sequence[str] = ()
    """An entry has at least one of them; empty means no condition."""

    def for_sqlite(self) -> str:
        """Return the condition as an FTS5 expression."""
        either = " OR ".join(map(_quote, self.any_of))
        return " AND ".join(
            [
                *map(_quote, self.all_of),
                *(f"{_quote(beginning)}*" for beginning in self.beginnings),
                *([f"({either})"] if either else []),
            ]
        )

    def for_postgres(self) -> str:
        """Return the condition as a `tsquery`."""
        either = " | ".join(f"'{term}'" for term in self.any_of)
        return " & ".join(
            [
                *(f"'{term}'" for term in self.all_of),
                *(f"'{beginning}':*" for beginning in self.beginnings),
                *([f"({either})"] if either else []),
            ]
        )


def _quote(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'


@dataclass(frozen=True, slots=True)
class SearchTerms:
    """The condition of a search in entries that each engine has in a form of its own."""

    of_text: Terms
    """For SQLite, whose entries are texts."""
    of_words: Terms
    """For PostgreSQL, whose entries are terms of words."""

    def for_sqlite(self) -> str:
        """Return the condition as an FTS5 expression."""
        return self.of_text.for_sqlite()

    def for_postgres(self) -> str:
        """Return the condition as a `tsquery`."""
        return self.of_words.for_postgres()


def compile_query(text: str) -> Statement:
    """Return a query in the SQL of both engines."""
    named = dict.fromkeys(_PARAMETER.findall(text))
    parameters = tuple(sorted(named, key=lambda name: name != "app_id"))  # the app's id first
    numbers = {name: number for number, name in enumerate(parameters, 1)}
    lists = frozenset(_ANY.findall(text)) | frozenset(_NOT_ALL.findall(text))
    sqlite = _ANY.sub(r"IN (SELECT value FROM json_each(:\1))", _FOR_UPDATE.sub("", text))
    sqlite = _NOT_ALL.sub(r"NOT IN (SELECT value FROM json_each(:\1))", sqlite)
    sqlite = _FOUND_BY.sub(r"\1 MATCH :\2", _ENTRY.sub(r"\1", sqlite))
    sqlite = _EMPTY.sub(r"INSERT INTO \1 (\1) VALUES ('delete-all')", sqlite)
    return Statement(
        sqlite=_PARAMETER.sub(lambda match: f"?{numbers[match[1]]}", sqlite),
        postgres=_PARAMETER.sub(lambda match: f"${numbers[match[1]]}", _postgres_search(text)),
        parameters=parameters,
        lists=lists,
        terms=frozenset(name for _, name in _FOUND_BY.findall(text)),
    )


def _postgres_search(text: str) -> str:
    text = _EMPTY.sub(r"DELETE FROM \1", text)
    text = _ENTRY.sub(r"array_to_tsvector(string_to_array(\1, ' '))", text)
    return _FOUND_BY.sub(r"terms @@ CAST(CAST(:\2 AS TEXT) AS tsquery)", text)


BULK_PREFIX = "row_"
"""Begins the names of a batch's columns, which would else be those of the table's columns."""
_BATCH = (
    "FROM (SELECT * FROM json_to_recordset({rows}::text::json) AS rows({columns})"
    " LIMIT (SELECT NULL::bigint)) AS batch"
)
"""The rows of a batch in a statement. As JSON they take less time than an array for each column:
the driver looks at each value. PostgreSQL expects 100 rows of the function, but a tenth behind a
limit that it does not know. For 100 it would rather read all rows of an app than look up each."""


@dataclass(frozen=True, slots=True)
class BulkPart:
    """A SELECT, INSERT … VALUES (…), with or without a line ON CONFLICT, or UPDATE … WHERE …."""

    text: str
    types: Mapping[str, str]
    """The type of each parameter."""


def compile_bulk(parts: Sequence[BulkPart], guard: int | None = None) -> str:
    """Return a PostgreSQL statement that runs each part for a batch of rows.

    Its parameters are the app's id, and for each part its rows: a JSON list of objects with the
    parameters of the part by name. If the part with the number `guard` changes no row, the others
    do nothing. The statement returns the number of rows that it changed; without a guard 0.
    """
    written: list[str] = []
    for number, part in enumerate(parts):
        condition = "" if guard in (None, number) else "EXISTS (SELECT FROM guard)"
        statement = _bulk_part(part, f"${number + 2}", condition)
        if number == guard:
            written.insert(0, f"guard AS ({statement}\nRETURNING 1)")
        else:
            written.append(f"part_{number} AS ({statement})")
    count = "0 FROM (VALUES ($1::text)) AS app" if guard is None else "count(*) FROM guard"
    return f"WITH {', '.join(written)} SELECT {count}"


def compile_look_ups(part: BulkPart) -> str:
    """Return a PostgreSQL query that runs a SELECT for each row of a batch, in their order.

    Its parameters are the app's id and the rows, as for `compile_bulk`. OFFSET 0 keeps it from
    becoming a join, for which PostgreSQL might read the whole table.
    """
    statement, batch = _for_batch(part, "$2")
    return f"SELECT found.* {batch} CROSS JOIN LATERAL ({statement} OFFSET 0) AS found"


@dataclass(frozen=True, slots=True)
class Of:
    """An argument that an earlier statement finds: the column of its row, or of its first rows."""

    place: int
    """The number of the earlier statement among those that are sent together."""
    column: str
    pick: Literal["only", "min", "max", "count"] = "only"
    otherwise: int | None = None
    """What it is if there is no such row, or it has no such value."""
    rows: int | None = None
    """Only so many of the first rows count."""

    def value(self, rows: Sequence[Sequence[Any]], column: int) -> Any:
        """Return what the rows of the earlier statement say in a column."""
        found = [row[column] for row in rows[: self.rows] if row[column] is not None]
        match self.pick:
            case "only":
                return found[0] if found else self.otherwise
            case "count":
                return len(found)
            case "min":
                return min(found, default=self.otherwise)
            case "max":
                return max(found, default=self.otherwise)


@dataclass(frozen=True, slots=True)
class JoinedPart:
    """A SELECT that is to be a part of a statement."""

    text: str
    parameters: Sequence[str]
    """All but the app's id, in the order in which their values are bound."""
    types: Mapping[str, str]
    columns: Sequence[tuple[str, str]]
    """The names and types of its columns."""
    links: Mapping[str, Of]
    """The parameters that another part finds, which is before this one."""
    is_batch: bool
    """Whether it is run for each row of a batch, as in `compile_look_ups`."""


def join_queries(parts: Sequence[JoinedPart]) -> tuple[str, list[list[int]]]:
    """Return a PostgreSQL statement that runs several queries, and the places of their columns.

    Its parameters are the app's id, and those of the parts, but for their links. Its rows begin
    with the number of a part; columns of the same type share a place, which is NULL in the rows of
    parts that have no such column. An array of records for each part, or JSON, takes PostgreSQL
    and the driver two to three times as long.
    """
    linked = {link.place for part in parts for link in part.links.values()}
    places, types = _share_places(parts)
    written, selected, count = [], [], 1
    for number, part in enumerate(parts):
        statement, count = _joined_part(part, count)
        source = f"({statement})"
        if number in linked:
            written.append(f"found_{number} AS MATERIALIZED ({statement})")
            source = f"found_{number}"
        names = [f"c{place}" for place in range(len(part.columns))]
        cells = [f"CAST(NULL AS {type_})" for type_ in types]
        for name, place in zip(names, places[number], strict=True):
            cells[place - 1] = f"part_{number}.{name}"
        aliases = ", ".join(names)
        name = f"AS part_{number} ({aliases})"
        selected.append(
            " ".join(("SELECT", ", ".join([str(number), *cells]), "FROM", source, name))
        )
    head = f"WITH {', '.join(written)} " if written else ""
    return head + " UNION ALL ".join(selected), places


def _share_places(parts: Sequence[JoinedPart]) -> tuple[list[list[int]], list[str]]:
    """Return the places of each part's columns, from 1, and the types of the places."""
    types: list[str] = []
    places: list[list[int]] = []
    for part in parts:
        free = list(enumerate(types, 1))
        own = []
        for _, wanted in part.columns:
            place = next((place for place, type_ in free if type_ == wanted), None)
            if place is None:
                types.append(wanted)
                place = len(types)
            else:
                free.remove((place, wanted))
            own.append(place)
        places.append(own)
    return places, types


def _joined_part(part: JoinedPart, count: int) -> tuple[str, int]:
    """Return the SQL of a part; `count` parameters are taken before it, and after it."""
    if part.is_batch:
        count += 1
        statement, batch = _for_batch(BulkPart(part.text, part.types), f"${count}")
        return f"SELECT found.* {batch} CROSS JOIN LATERAL ({statement} OFFSET 0) AS found", count
    values = {"app_id": "$1"}
    for name in part.parameters:
        link = part.links.get(name)
        if link is None or link.rows is not None:
            count += 1
        values[name] = f"${count}" if link is None else _link(link, f"${count}")
    text = _postgres_search(part.text)
    return _PARAMETER.sub(lambda match: values[match[1]], text), count


def _link(link: Of, rows: str) -> str:
    """Return what finds an argument; the parameter `rows` limits the rows that count."""
    source, column = f"found_{link.place}", link.column
    if link.rows is not None:
        first = " ".join(("SELECT", column, "FROM", source, "LIMIT", f"CAST({rows} AS BIGINT)"))
        source = f"({first}) AS first"
    found = column if link.pick == "only" else f"{link.pick}({column})"
    value = " ".join(("(SELECT", found, "FROM", f"{source})"))
    return value if link.otherwise is None else f"coalesce({value}, {link.otherwise})"


def _bulk_part(part: BulkPart, rows: str, condition: str) -> str:
    statement, batch = _for_batch(part, rows)
    if statement.startswith("UPDATE"):
        head, _, conditions = statement.partition("\nWHERE ")
        return f"{head} {batch} WHERE {conditions}" + (condition and f" AND {condition}")
    if statement.startswith("DELETE"):
        head, _, conditions = statement.partition("\nWHERE ")
        using = batch.replace("FROM", "USING", 1)
        return f"{head} {using} WHERE {conditions}" + (condition and f" AND {condition}")
    head, _, rest = statement.partition("VALUES (")
    values, conflict, action = rest.partition("\nON CONFLICT")
    values = values.rstrip().removesuffix(")")
    where = condition and f" WHERE {condition}"
    return f"{head}SELECT {values} {batch}{where}{conflict}{action}"


def _for_batch(part: BulkPart, rows: str) -> tuple[str, str]:
    """Return a part with a batch's columns for parameters, and the FROM clause of the batch.

    The rows of the batch are in the parameter `rows`.
    """
    text = _postgres_search(part.text)
    names = [name for name in dict.fromkeys(_PARAMETER.findall(text)) if name != "app_id"]
    columns = ", ".join(f"{BULK_PREFIX}{name} {part.types[name]}" for name in names)
    values_of = {name: f"batch.{BULK_PREFIX}{name}" for name in names} | {"app_id": "$1"}
    statement = _PARAMETER.sub(lambda match: values_of[match[1]], text)
    return statement, _BATCH.format(rows=rows, columns=columns)


def sqlite_schema(text: str) -> str:
    """Return a migration in the SQL of SQLite."""
    text = _APPEND_ONLY.sub(_SQLITE_APPEND_ONLY, text)
    text = _TRIGRAM_TABLE.sub(_SQLITE_TRIGRAM_TABLE, _STORAGE.sub("WITHOUT ROWID", text))
    return _SEARCH_TABLE.sub(_SQLITE_SEARCH_TABLE, text)


def postgres_schema(text: str) -> str:
    """Return a migration in the SQL of PostgreSQL, where text is compared by code point, too."""
    text = _APPEND_ONLY.sub(_POSTGRES_APPEND_ONLY, text)
    text = _STORAGE.sub(lambda match: _POSTGRES_STORAGE[match[1]], text)
    text = _TRIGRAM_TABLE.sub(_POSTGRES_TRIGRAM_TABLE, text)
    text = _SEARCH_TABLE.sub(_POSTGRES_SEARCH_TABLE, text)
    return _TEXT.sub('TEXT COLLATE "C"', text)

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

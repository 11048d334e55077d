"""All differences between the SQL of the two engines.

Queries have `:name` parameters and PostgreSQL's `= ANY(:names)`. In the schema, `{key table}` marks
a table whose rows are found by their primary key: SQLite clusters them by it. `{warm}` and `{hot}`
mark the same for rows that change often or always: PostgreSQL leaves free space in their pages.

`{search table: name}` is a table of search entries: `rowid`, and `terms`, which each engine indexes
with its built-in full-text index. `{terms: :terms}` are the terms of an entry, a text with spaces
between them; `{name found by: :terms}` is the search condition, whose parameter is a `Terms`. See
`docs/decisions/sql.md` and `docs/decisions/search.md`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_PARAMETER = re.compile(r"(?<![:\w]):([a-z_]\w*)")
_ANY = re.compile(r"= ANY\(:(\w+)\)")
_NOT_ALL = re.compile(r"<> ALL\(:(\w+)\)")
_FOR_UPDATE = re.compile(r"\s+FOR UPDATE(?: SKIP LOCKED)?")
_TEXT = re.compile(r"\bTEXT\b")
_STORAGE = re.compile(r"\{(key table|warm|hot)\}")
_SEARCH_TABLE = re.compile(r"\{search table: (\w+)\}")
_ENTRY = re.compile(r"\{terms: (:\w+)\}")
_FOUND_BY = re.compile(r"\{(\w+) found by: :(\w+)\}")
_SQLITE_SEARCH_TABLE = r"""CREATE VIRTUAL TABLE \1 USING fts5 (
    terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
)"""
_POSTGRES_SEARCH_TABLE = r"""CREATE TABLE \1 (rowid BIGINT PRIMARY KEY, terms tsvector NOT NULL);
CREATE INDEX \1_by_term ON \1 USING gin (terms) WITH (gin_pending_list_limit = 512)"""
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

    A term consists of ASCII letters and digits, and of characters beyond ASCII.
    """

    all_of: Sequence[str] = ()
    beginnings: Sequence[str] = ()
    """Prefixes; an entry has a term with each of them."""
    any_of: Sequence[str] = ()
    """An entry has at least one of them; empty means no condition."""

    def for_sqlite(self) -> str:
        """Return the condition as an FTS5 expression."""
        either = " OR ".join(f'"{term}"' for term in self.any_of)
        return " AND ".join(
            [
                *(f'"{term}"' for term in self.all_of),
                *(f'"{beginning}"*' for beginning in self.beginnings),
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


def compile_query(text: str) -> Statement:
    """Return a query in the SQL of both engines."""
    named = dict.fromkeys(_PARAMETER.findall(text))
    parameters = tuple(sorted(named, key=lambda name: name != "app_id"))  # the app's id first
    numbers = {name: number for number, name in enumerate(parameters, 1)}
    lists = frozenset(_ANY.findall(text)) | frozenset(_NOT_ALL.findall(text))
    sqlite = _ANY.sub(r"IN (SELECT value FROM json_each(:\1))", _FOR_UPDATE.sub("", text))
    sqlite = _NOT_ALL.sub(r"NOT IN (SELECT value FROM json_each(:\1))", sqlite)
    sqlite = _FOUND_BY.sub(r"\1 MATCH :\2", _ENTRY.sub(r"\1", sqlite))
    return Statement(
        sqlite=_PARAMETER.sub(lambda match: f"?{numbers[match[1]]}", sqlite),
        postgres=_PARAMETER.sub(lambda match: f"${numbers[match[1]]}", _postgres_search(text)),
        parameters=parameters,
        lists=lists,
        terms=frozenset(name for _, name in _FOUND_BY.findall(text)),
    )


def _postgres_search(text: str) -> str:
    text = _ENTRY.sub(r"array_to_tsvector(string_to_array(\1, ' '))", text)
    return _FOUND_BY.sub(r"terms @@ CAST(CAST(:\2 AS TEXT) AS tsquery)", text)


def compile_bulk(text: str, types: Sequence[str]) -> str:
    """Return a PostgreSQL statement that inserts a batch: each parameter but :app_id is an array.

    `types` are the element types of these parameters in order of their first appearance. The text
    is a plain INSERT … VALUES (…), with or without a line ON CONFLICT.
    """
    text = _postgres_search(text)
    parameters = dict.fromkeys(_PARAMETER.findall(text))
    names = [name for name in parameters if name != "app_id"]
    first = 2 if "app_id" in parameters else 1
    arrays = ", ".join(f"${number}::{type_}[]" for number, type_ in enumerate(types, first))
    values_of = {name: f"batch.p{number}" for number, name in enumerate(names, first)}
    columns = ", ".join(value.removeprefix("batch.") for value in values_of.values())
    values_of["app_id"] = "$1"
    statement = _PARAMETER.sub(lambda match: values_of[match[1]], text)
    head, _, rest = statement.partition("VALUES (")
    values, conflict, action = rest.partition("\nON CONFLICT")
    values = values.rstrip().removesuffix(")")
    source = f"unnest({arrays}) AS batch({columns})"
    return f"{head}SELECT {values} FROM {source}{conflict}{action}"  # noqa: S608  # from queries.sql


def sqlite_schema(text: str) -> str:
    """Return a migration in the SQL of SQLite."""
    return _SEARCH_TABLE.sub(_SQLITE_SEARCH_TABLE, _STORAGE.sub("WITHOUT ROWID", text))


def postgres_schema(text: str) -> str:
    """Return a migration in the SQL of PostgreSQL, where text is compared by code point, too."""
    text = _STORAGE.sub(lambda match: _POSTGRES_STORAGE[match[1]], text)
    text = _SEARCH_TABLE.sub(_POSTGRES_SEARCH_TABLE, text)
    return _TEXT.sub('TEXT COLLATE "C"', text)

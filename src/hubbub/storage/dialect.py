"""Where the two engines spell things differently: the whole of it.

Queries are written with `:name` parameters and PostgreSQL's `= ANY(:names)`; tables with the words
`{key table}` (rows are found by their primary key: SQLite keeps them in its order), `{warm}` and
`{hot}` (the same, and rows change often or always: PostgreSQL leaves room beside each).
See `docs/decisions/sql.md`.
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
_POSTGRES_STORAGE = {
    "key table": "",
    "warm": "WITH (fillfactor = 70)",
    "hot": "WITH (fillfactor = 20)",
}


@dataclass(frozen=True, slots=True)
class Statement:
    """A query in both spellings."""

    sqlite: str
    postgres: str
    parameters: tuple[str, ...]
    lists: frozenset[str]


def compile_query(text: str) -> Statement:
    """Turn a query as it is written into what each engine reads."""
    named = dict.fromkeys(_PARAMETER.findall(text))
    parameters = tuple(sorted(named, key=lambda name: name != "app_id"))  # the app's id first
    numbers = {name: number for number, name in enumerate(parameters, 1)}
    lists = frozenset(_ANY.findall(text)) | frozenset(_NOT_ALL.findall(text))
    sqlite = _ANY.sub(r"IN (SELECT value FROM json_each(:\1))", _FOR_UPDATE.sub("", text))
    sqlite = _NOT_ALL.sub(r"NOT IN (SELECT value FROM json_each(:\1))", sqlite)
    return Statement(
        sqlite=_PARAMETER.sub(lambda match: f"?{numbers[match[1]]}", sqlite),
        postgres=_PARAMETER.sub(lambda match: f"${numbers[match[1]]}", text),
        parameters=parameters,
        lists=lists,
    )


def compile_bulk(text: str, types: Sequence[str]) -> str:
    """One PostgreSQL statement that inserts a whole batch: each parameter but :app_id is an array.

    `types` are the element types of these parameters in order of their first appearance. Only for
    a plain INSERT … VALUES (…), with or without a line ON CONFLICT.
    """
    names = [name for name in dict.fromkeys(_PARAMETER.findall(text)) if name != "app_id"]
    arrays = ", ".join(f"${place}::{type_}[]" for place, type_ in enumerate(types, 2))
    places = {name: f"batch.p{place}" for place, name in enumerate(names, 2)}
    columns = ", ".join(place.removeprefix("batch.") for place in places.values())
    places["app_id"] = "$1"
    statement = _PARAMETER.sub(lambda match: places[match[1]], text)
    head, _, rest = statement.partition("VALUES (")
    values, conflict, action = rest.partition("\nON CONFLICT")
    values = values.rstrip().removesuffix(")")
    source = f"unnest({arrays}) AS batch({columns})"
    return f"{head}SELECT {values} FROM {source}{conflict}{action}"  # noqa: S608  # all of it is ours


def sqlite_schema(text: str) -> str:
    """A migration as SQLite reads it."""
    return _STORAGE.sub("WITHOUT ROWID", text)


def postgres_schema(text: str) -> str:
    """A migration as PostgreSQL reads it; text is compared by code point there too."""
    text = _STORAGE.sub(lambda match: _POSTGRES_STORAGE[match[1]], text)
    return _TEXT.sub('TEXT COLLATE "C"', text)

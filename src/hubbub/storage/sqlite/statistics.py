"""Statistics for SQLite's query planner: an app has a million rows in each table.

Without statistics the planner treats all equality conditions alike and takes a condition on the
app's id for selective. It then reads all rows of an app by the primary key, where another index
leads to a few. Statistics of the real rows would describe some earlier moment, mostly of an empty
store, and plans would differ between stores. These are computed from the schema alone, so the plans
are the same everywhere.
Source: https://www.sqlite.org/fileformat2.html#stat1tab
"""

import json
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, repeat

import apsw

ROWS = 1_000_000
ROWS_OF_PARTIAL = 100_000
"""The rows in a partial index."""
SELECTIVE = (100, 10, 2)
"""The rows that match the first, second and any further selective column of an index."""
DISTINCT_OF_FEW = 5
FEW_VALUES = frozenset(
    {
        "category",
        "counts",
        "deactivated_at",
        "deleted_at",
        "is_bot",
        "is_erased",
        "kind",
        "receiver_type",
        "role",
        "scope",
        "shows",
        "status",
        "type",
        None,  # an expression: the first letter of a word
    }
)
"""Columns with few distinct values, or with the same value in most rows."""
LIST_INDEXES = """
SELECT t.name, CASE i.origin WHEN 'pk' THEN t.name ELSE i.name END, i.partial, i."unique",
    (SELECT json_group_array(name ORDER BY seqno) FROM pragma_index_info(i.name))
FROM pragma_table_list t, pragma_index_list(t.name) i
WHERE t.schema = 'main' AND t.type = 'table' AND t.wr
"""
"""The indexes of tables without rowids; there, a primary key has the name of its table."""


def store_statistics(connection: apsw.Connection) -> None:
    """Store statistics of all indexes; connections that are opened later use them."""
    with connection:
        # It creates the table of statistics and reads few rows, not the whole store.
        connection.execute("ANALYZE schema_migrations")
        connection.execute("DELETE FROM sqlite_stat1")
        connection.executemany("INSERT INTO sqlite_stat1 VALUES (?, ?, ?)", _statistics(connection))


def _statistics(connection: apsw.Connection) -> Iterator[tuple[str, str, str]]:
    """Yield the rows of `sqlite_stat1`: table, index, counts of rows and an option."""
    indexes = [
        (table, index, is_partial, is_unique, json.loads(columns))
        for table, index, is_partial, is_unique, columns in connection.execute(LIST_INDEXES)
    ]
    keys: dict[str, list[set[str | None]]] = {}
    for table, _, _, is_unique, columns in indexes:
        if is_unique:
            keys.setdefault(table, []).append(set(columns))
    for table, index, is_partial, _, columns in indexes:
        counts = _row_counts(columns, keys[table], ROWS_OF_PARTIAL if is_partial else ROWS)
        yield table, index, " ".join([*map(str, counts), "noskipscan"])


def _row_counts(
    columns: Sequence[str | None], keys: Collection[set[str | None]], rows: int
) -> Iterator[int]:
    """Yield the rows of an index, then the rows that match its first column, its first two, …."""
    yield rows
    selective = chain(SELECTIVE, repeat(SELECTIVE[-1]))
    for count, column in enumerate(columns, 1):
        if any(key <= set(columns[:count]) for key in keys):
            rows = 1
        elif column in FEW_VALUES:
            rows = max(2, rows // DISTINCT_OF_FEW)
        elif column != "app_id":
            rows = min(rows, next(selective))
        yield rows

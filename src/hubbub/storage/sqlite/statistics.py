"""What SQLite's planner is told of tables: that an app has a million rows in each of them.

Without statistics it takes one equality for as good as another, and every condition on an app's id
for a narrow one: it goes through all rows of the app by the primary key, where an index leads to a
few. Real statistics would be those of some earlier moment, mostly of an empty store, and each store
would be asked in its own way. So these are made up, out of the schema alone: the same everywhere.
Source: https://www.sqlite.org/fileformat2.html#stat1tab
"""

from collections.abc import Iterable, Iterator, Sequence

import apsw

ROWS = 1_000_000
IN_PART_OF_THEM = 100_000
"""How many of them a partial index holds."""
SELECTIVE = (100, 10, 2)
"""How many rows the first, second, further columns leave that have many different values."""
OF_FEW_VALUES = 5
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
"""Columns that have few values, or one that most rows have."""


def store_statistics(connection: apsw.Connection) -> None:
    """Tell the planner of all tables; connections that are opened later know it."""
    with connection:
        # It makes the table of statistics, and looks at a few rows: not at all that is stored.
        connection.execute("ANALYZE schema_migrations")
        connection.execute("DELETE FROM sqlite_stat1")
        connection.executemany("INSERT INTO sqlite_stat1 VALUES (?, ?, ?)", _rows(connection))


def _rows(connection: apsw.Connection) -> list[tuple[str, str, str]]:
    tables = connection.execute(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND wr"
    ).fetchall()
    return [row for (table,) in tables for row in _rows_of(connection, str(table))]


def _rows_of(connection: apsw.Connection, table: str) -> Iterator[tuple[str, str, str]]:
    indexes = connection.execute(
        'SELECT name, "unique", origin, partial FROM pragma_index_list(?)', (table,)
    ).fetchall()
    columns = {str(name): _columns(connection, str(name)) for name, *_ in indexes}
    unique = [set(columns[str(name)]) for name, is_unique, *_ in indexes if is_unique]
    for name, _, origin, is_partial in indexes:
        left = _left(columns[str(name)], unique, IN_PART_OF_THEM if is_partial else ROWS)
        # The primary key of a table without rowids goes by the table's name.
        named = table if origin == "pk" else str(name)
        yield table, named, " ".join([*map(str, left), "noskipscan"])


def _columns(connection: apsw.Connection, index: str) -> list[str | None]:
    rows = connection.execute("SELECT name FROM pragma_index_info(?) ORDER BY seqno", (index,))
    return [row[0] for row in rows]


def _left(
    columns: Sequence[str | None], unique: Iterable[set[str | None]], rows: int
) -> Iterator[int]:
    """How many rows there are, then how many are left by each column more that is known."""
    yield rows
    selective = list(SELECTIVE)
    known: set[str | None] = set()
    for column in columns:
        known.add(column)
        if any(key <= known for key in unique):
            rows = 1
        elif column in FEW_VALUES:
            rows = max(2, rows // OF_FEW_VALUES)
        elif column != "app_id":
            rows = min(rows, selective.pop(0) if len(selective) > 1 else selective[0])
        yield rows

"""Plans of queries by both engines: errors, the tables that are read, and the conditions used."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, Self

import apsw
import apsw.ext
import asyncpg
from tests.storage.queries.named_queries import tables_of

from hubbub.storage import dialect
from hubbub.storage.dialect import BulkPart, compile_bulk, compile_look_ups
from hubbub.storage.migrations import RECORD, load_migrations
from hubbub.storage.queries import Query
from hubbub.storage.sqlite.statistics import store_statistics

_STEP = re.compile(r"(SCAN|SEARCH) (\w+)(?:[^(]*\((.*)\))?")


@dataclass(frozen=True, slots=True)
class Step:
    """A table that a plan reads, and the key conditions by which it finds the rows."""

    table: str
    conditions: tuple[str, ...]
    """Empty: it reads the whole table, or a whole index."""


@dataclass(frozen=True, slots=True)
class Plan:
    """An engine's plan of a query; `refused` is the error if there is none."""

    steps: tuple[Step, ...] = ()
    reads: frozenset[str] = frozenset()
    refused: str = ""


class Sqlite:
    """An empty store of the newest schema, in memory."""

    def __init__(self) -> None:
        self._connection = apsw.Connection(":memory:")
        for text in (RECORD, *(step.text for step in load_migrations())):
            self._connection.execute(dialect.sqlite_schema(text))
        store_statistics(self._connection)
        self._connection.execute("ANALYZE sqlite_schema")  # as if it were opened again
        rows = self._connection.execute(
            "SELECT name FROM pragma_table_list"
            " WHERE type IN ('table', 'virtual') AND name NOT LIKE 'sqlite_%'"
        )
        self.tables = frozenset(str(row[0]) for row in rows)

    def plan(self, query: Query) -> Plan:
        """Return SQLite's plan of the query."""
        try:
            found = apsw.ext.query_info(
                self._connection,
                query.sqlite,
                (None,) * len(query.parameters),
                actions=True,
                explain_query_plan=True,
            )
        except apsw.Error as refusal:
            return Plan(refused=f"SQLite: {refusal}")
        if not query.sqlite:
            return Plan(refused="there is no statement")
        if found.query_remaining:
            return Plan(refused=f"SQLite: another statement follows: {found.query_remaining}")
        read = {action.table_name for action in found.actions or () if _is_read(action)}
        return Plan(
            steps=tuple(self._steps(query, found.query_plan)),
            reads=frozenset(name for name in read if name) & self.tables,
        )

    def columns(self) -> list[tuple[str, str]]:
        """Return the columns of every table; with the rowid where there is no other key."""
        rows = self._connection.execute(
            "SELECT t.name, c.name FROM pragma_table_list t, pragma_table_info(t.name) c"
            " UNION ALL SELECT name, 'rowid' FROM pragma_table_list WHERE type = 'virtual'"
        )
        return [(str(row[0]), str(row[1])) for row in rows if row[0] in self.tables]

    def unique_keys(self, table: str) -> list[set[str]]:
        """Return the conditions that find at most one row of a table, in the words of a plan."""
        indexes = self._connection.execute(f"PRAGMA index_list({table})").fetchall()
        names = [index[1] for index in indexes if index[2]]
        return [{f"{column}=?" for column in self._columns(name)} for name in names]

    def _columns(self, index: object) -> list[Any]:
        return [row[2] for row in self._connection.execute(f"PRAGMA index_info({index})")]

    def _steps(self, query: Query, plan: apsw.ext.QueryPlan | None) -> Iterator[Step]:
        names = {short: name for name, short in tables_of(query)}
        for detail in _details(plan):
            match = _STEP.match(detail)
            if match and names.get(match[2], match[2]) in self.tables:
                conditions = match[3].split(" AND ") if match[1] == "SEARCH" and match[3] else []
                yield Step(names.get(match[2], match[2]), tuple(conditions))


def _is_read(action: apsw.ext.QueryAction) -> bool:
    return action.action_name == "SQLITE_READ"


def _details(plan: apsw.ext.QueryPlan | None) -> Iterator[str]:
    if plan is not None:
        yield plan.detail
        yield from chain.from_iterable(map(_details, plan.sub or ()))


class Postgres:
    """A session on a migrated database that scans whole tables only if there is no usable key."""

    def __init__(self, connection: "asyncpg.Connection[Any]") -> None:
        self._connection = connection

    @classmethod
    async def connect(cls, url: str) -> Self:
        """Open the session."""
        settings = {"enable_seqscan": "off", "plan_cache_mode": "force_generic_plan"}
        return cls(await asyncpg.connect(url, server_settings=settings))

    async def close(self) -> None:
        await self._connection.close()

    async def refuse_batch(self, *queries: Query) -> str:
        """Prepare one statement for batches of queries; return why PostgreSQL refuses it, or ''."""
        parts = [await self._bulk_part(query) for query in queries]
        guard = next((place for place, each in enumerate(queries) if each.is_guard), None)
        try:
            await self._connection.prepare(compile_bulk(parts, guard))
        except asyncpg.PostgresError as refusal:
            return f"{refusal}"
        return ""

    async def plan_look_ups(self, query: Query) -> Plan:
        """Return PostgreSQL's plan of a look-up for each row of a batch."""
        statement = compile_look_ups(await self._bulk_part(query))
        prepared = await self._connection.prepare(statement)
        return Plan(steps=tuple(_postgres_steps((await prepared.explain("", "[]"))[0]["Plan"])))

    async def _bulk_part(self, query: Query) -> BulkPart:
        parameters = (await self._connection.prepare(query.postgres)).get_parameters()
        names = zip(query.parameters, parameters, strict=True)
        return BulkPart(query.text, {name: type_.name for name, type_ in names})

    async def plan(self, query: Query) -> Plan:
        """Prepare the query and return PostgreSQL's plan of it."""
        nothing = ", ".join(["NULL"] * len(query.parameters))
        execute = f"EXECUTE checked({nothing})" if nothing else "EXECUTE checked"
        try:
            await self._connection.prepare(query.postgres)
            await self._connection.execute(f"PREPARE checked AS {query.postgres}")
        except asyncpg.PostgresError as refusal:
            return Plan(refused=f"PostgreSQL: {refusal}")
        found = await self._connection.fetchval(f"EXPLAIN (FORMAT JSON) {execute}")
        await self._connection.execute("DEALLOCATE checked")
        return Plan(steps=tuple(_postgres_steps(json.loads(found)[0]["Plan"])))


def _postgres_steps(node: dict[str, Any]) -> Iterator[Step]:
    parts = node.get("Plans", ())
    if node["Node Type"].endswith("Scan") and "Relation Name" in node:
        # The conditions of a bitmap scan are those of the index below it.
        conditions = [node[key] for node in (node, *parts) if (key := "Index Cond") in node]
        yield Step(node["Relation Name"], tuple(conditions))
    for part in parts:
        yield from _postgres_steps(part)

"""What the engines themselves say about a named query: whether they take it, what it reads, how.

Each check answers with sentences about what is wrong; none, when nothing is.
"""

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, LiteralString, Self, cast

import apsw
import apsw.ext
import asyncpg

import hubbub
from hubbub.storage import dialect
from hubbub.storage.migrations import RECORD, load_migrations
from hubbub.storage.queries import Query, Where, parse_queries

ROOT = Path(hubbub.__file__).parent
OF_THE_INSTALLATION = {"apps", "credentials", "erasures", "management_keys", "schema_migrations"}
MAY_BE_READ_WHOLE = {"apps", "erasures", "management_keys", "schema_migrations"}
_STEP = re.compile(r"(SCAN|SEARCH) (\w+)(?:.*\((.*)\))?")
_TABLE = re.compile(r"\b(INTO|UPDATE|FROM|JOIN)\s+([a-z_]\w*)(?:\s+(?:AS\s+)?([a-z_]\w*))?")


@dataclass(frozen=True, slots=True)
class Named:
    """A query and the area that it belongs to."""

    area: str
    query: Query

    def __str__(self) -> str:
        return f"{self.area}:{self.query.name}"

    @property
    def is_open(self) -> bool:
        """Whether conditions are added to it at run time."""
        return "{where}" in self.query.text

    def narrowed(self, *fragments: str) -> Query:
        """The query as it runs, with these conditions."""
        where = Where()
        for fragment in fragments:
            where.add(cast("LiteralString", fragment))
        return where.narrow(self.query)


@dataclass(frozen=True, slots=True)
class Fragment:
    """A condition that an area's code adds to its open queries."""

    area: str
    text: str

    def __str__(self) -> str:
        return f"{self.area}:{self.text[:60]}"


@dataclass(frozen=True, slots=True)
class Step:
    """One table that a plan goes to, and by which conditions of a key it finds the rows."""

    table: str
    conditions: tuple[str, ...]
    """None at all: it reads the whole table, or the whole of an index."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How an engine carries out a query; `refused` says why it doesn't."""

    steps: tuple[Step, ...] = ()
    reads: frozenset[str] = frozenset()
    refused: str = ""


def _area(path: Path) -> str:
    return ".".join(path.parent.relative_to(ROOT).parts)


@cache
def all_queries() -> list[Named]:
    """Every query of the package."""
    return [
        Named(_area(path), query)
        for path in sorted(ROOT.rglob("queries.sql"))
        for query in parse_queries(path.read_text("utf-8")).values()
    ]


@cache
def all_fragments() -> list[Fragment]:
    """Every condition that some code adds to a `Where`."""
    paths = (path for path in sorted(ROOT.rglob("*.py")) if _uses_where(path))
    return [Fragment(_area(path), text) for path in paths for text in _fragments(path)]


def _uses_where(path: Path) -> bool:
    return path.parent.name != "storage" and "Where()" in path.read_text("utf-8")


def _fragments(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("where.add"):
            yield ast.literal_eval(node.args[0])


def tables_of(query: Query) -> list[tuple[str, str, str]]:
    """The tables that a query names: after which word, the name, the name's short form."""
    return [(word, name, short or name) for word, name, short in _TABLE.findall(query.text)]


class Sqlite:
    """An empty store of the newest schema, in memory."""

    def __init__(self) -> None:
        self._connection = apsw.Connection(":memory:")
        for text in (RECORD, *(step.text for step in load_migrations())):
            self._connection.execute(dialect.sqlite_schema(text))
        rows = self._connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        self.tables = frozenset(str(row[0]) for row in rows)

    def plan(self, query: Query) -> Plan:
        """Let SQLite explain the query."""
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
        if found.query_remaining:
            return Plan(refused=f"SQLite: another statement follows: {found.query_remaining}")
        read = {action.table_name for action in found.actions or () if _is_read(action)}
        return Plan(
            steps=tuple(self._steps(query, found.query_plan)),
            reads=frozenset(name for name in read if name) & self.tables,
        )

    def unique_keys(self, table: str) -> list[set[str]]:
        """The columns of each key of a table that only one row has."""
        indexes = self._connection.execute(f"PRAGMA index_list({table})").fetchall()
        return [
            {row[2] for row in self._connection.execute(f"PRAGMA index_info({index[1]})")}
            for index in indexes
            if index[2]
        ]

    def _steps(self, query: Query, plan: apsw.ext.QueryPlan | None) -> Iterator[Step]:
        names = {short: name for _, name, short in tables_of(query)}
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
    """A session on a migrated database in which whole tables are read only for want of a key."""

    def __init__(self, connection: asyncpg.Connection[Any]) -> None:
        self._connection = connection

    @classmethod
    async def connect(cls, url: str) -> Self:
        """Open the session."""
        settings = {"enable_seqscan": "off", "plan_cache_mode": "force_generic_plan"}
        return cls(await asyncpg.connect(url, server_settings=settings))

    async def close(self) -> None:
        await self._connection.close()

    async def plan(self, query: Query) -> Plan:
        """Let PostgreSQL prepare and explain the query."""
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
        # A bitmap's conditions are those of the index below it.
        conditions = [node[key] for node in (node, *parts) if (key := "Index Cond") in node]
        yield Step(node["Relation Name"], tuple(conditions))
    for part in parts:
        yield from _postgres_steps(part)


def check_plan(plan: Plan) -> list[str]:
    """The engine takes the query, reads no growing table as a whole, and stays within its app."""
    if plan.refused:
        return [plan.refused]
    whole = [
        f"{step.table} is read as a whole"
        for step in plan.steps
        if not step.conditions and step.table not in MAY_BE_READ_WHOLE
    ]
    astray = [
        f"{step.table} is searched in all apps"
        for step in plan.steps
        if step.conditions
        and step.table not in OF_THE_INSTALLATION
        and not any(re.search(r"\bapp_id ?= ?\S", condition) for condition in step.conditions)
    ]
    return whole + astray


def check_app(query: Query) -> list[str]:
    """A statement on a tenant's table says which app it is about."""
    if all(name in OF_THE_INSTALLATION for _, name, _ in tables_of(query)):
        return []
    is_insert = query.text.lstrip().startswith("INSERT")
    inserts = r"INSERT INTO \w+\s*\(app_id,[^)]*\)\s*(VALUES\s*\(|SELECT )\s*:app_id,"
    asks = r"\bapp_id = :app_id\b"
    if re.search(inserts if is_insert else asks, query.text):
        return []
    return ["it doesn't say app_id = :app_id"]


def check_reads(query: Query, plan: Plan, *, added: frozenset[str] = frozenset()) -> list[str]:
    """`-- reads:` names the tables that a query reads, besides the one that it changes."""
    changed = {name for word, name, _ in tables_of(query)[:1] if _changes(query)}
    read = (plan.reads - changed) | added
    if read == set(query.reads):
        return []
    return [f"it reads {', '.join(sorted(read)) or 'nothing'}, and names {query.reads}"]


def _changes(query: Query) -> bool:
    return query.text.lstrip().startswith(("INSERT", "UPDATE", "DELETE"))


def check_point(sqlite: Sqlite, query: Query, plan: Plan) -> list[str]:
    """A query marked `-- point` finds at most one row of each table, by the whole of a key."""
    if not plan.steps or _changes(query) or query.lists or "{where}" in query.text:
        return ["it is no look-up"]
    return [
        f"{step.table} is not found by the whole of a key: {step.conditions}"
        for step in plan.steps
        if not any(
            set(step.conditions) == {f"{column}=?" for column in key}
            for key in sqlite.unique_keys(step.table)
        )
    ]

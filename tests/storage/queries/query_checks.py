"""The rules for named queries. A check returns its faults: an empty result means none."""

import re

from tests.storage.queries.named_queries import tables_of
from tests.storage.queries.query_plans import Plan, Sqlite

from hubbub.storage.queries import Query

OF_THE_INSTALLATION = {
    "apps",
    "audit",
    "credentials",
    "erasures",
    "file_leftovers",
    "installation",
    "management_keys",
    "nodes",
    "operator_sessions",
    "operator_sign_ins",
    "operators",
    "schema_migrations",
    "search_positions",
}
A_ROW_FOR_EACH_APP = {
    "counters",
    "consumer_positions",
    "exports",
    "growing_messages",
    "imports",
    "notice_queues",
    "poll_queues",
    "presence_totals",
    "retention_queues",
    "scheduled_queues",
    "set_aside_events",
    "token_ends",
    "webhook_queues",
}
"""Tables of few rows for each app, which background work may read across all apps."""
MAY_BE_READ_WHOLE = OF_THE_INSTALLATION - {"audit", "credentials"} | A_ROW_FOR_EACH_APP
BY_ROWID = {"message_entries", "former_message_entries"}
"""Tables whose ids begin with the app's slot; SQLite's are virtual, so their plans say nothing."""


def check_plan(plan: Plan) -> list[str]:
    """Check that an engine accepts the query, scans no large table, and stays within its app."""
    if plan.refused:
        return [plan.refused]
    whole = [
        f"{step.table} is read as a whole"
        for step in plan.steps
        if not step.conditions and step.table not in MAY_BE_READ_WHOLE | BY_ROWID
    ]
    astray = [
        f"{step.table} is searched in all apps"
        for step in plan.steps
        if step.conditions
        and step.table not in OF_THE_INSTALLATION | A_ROW_FOR_EACH_APP | BY_ROWID
        and not any(re.search(r"\bapp_id ?= ?\S", condition) for condition in step.conditions)
    ]
    return whole + astray


_FINDS_THE_APP = re.compile(
    r"SELECT c\.hash, c\.app_id,\s+"
    r"(\(SELECT \w\.\w+ FROM \w+ (\w)( JOIN \w+ (\w) ON \4\.app_id = \2\.app_id[^();]*)?\s+"
    r"WHERE \2\.app_id = c\.app_id AND [^();]*\),?\s+)*"
    r"FROM credentials c\s+WHERE c\.hash = [\w:()]+"
)
"""A credential tells the app, and all else is joined within that."""


def check_app(query: Query) -> list[str]:
    """Check that a statement on a tenant's table names its app."""
    shared = OF_THE_INSTALLATION if _changes(query) else OF_THE_INSTALLATION | A_ROW_FOR_EACH_APP
    if all(name in shared for name, _ in tables_of(query)):
        return []
    if all(name in BY_ROWID for name, _ in tables_of(query)):
        return [] if "rowid" in query.text else ["it doesn't name the rows by their ids"]
    if _FINDS_THE_APP.fullmatch(query.text.strip()):
        return []
    is_insert = query.text.lstrip().startswith("INSERT")
    inserts = r"INSERT INTO \w+\s*\(app_id,[^)]*\)\s*(VALUES\s*\(|SELECT )\s*:app_id,"
    asks = r"\bapp_id = :app_id\b"
    if re.search(inserts if is_insert else asks, query.text):
        return []
    return ["it doesn't say app_id = :app_id"]


def check_reads(query: Query, *plans: Plan) -> list[str]:
    """Check that `-- reads:` lists the tables that a query reads, except the one it changes."""
    changed = {name for name, _ in tables_of(query)[:1] if _changes(query)}
    read = set[str]().union(*(plan.reads for plan in plans)) - changed
    if read == set(query.reads):
        return []
    return [f"it reads {sorted(read)}, and names {sorted(query.reads)}"]


def _changes(query: Query) -> bool:
    return query.text.lstrip().startswith(("INSERT", "UPDATE", "DELETE"))


def check_point(sqlite: Sqlite, query: Query) -> list[str]:
    """Check that a query marked `-- point` finds at most one row of each table, by a whole key."""
    if "{where}" in query.text or query.lists or _changes(query):
        return ["it is no look-up"]
    plan = sqlite.plan(query)
    if plan.refused or not plan.steps:
        return [plan.refused or "it looks nothing up"]
    return [
        f"{step.table} is not found by the whole of a key: {step.conditions}"
        for step in plan.steps
        if set(step.conditions) not in sqlite.unique_keys(step.table)
    ]

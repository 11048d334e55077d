"""SQLite's planner knows enough to use the narrow index instead of reading all rows of an app."""

from collections.abc import Sequence

from tests.storage.queries.named_queries import Named, all_queries
from tests.storage.queries.query_plans import Sqlite
from tests.storage.stores import OpenSqlite, closing

from hubbub.storage.interface import Row, Snapshot
from hubbub.storage.queries import Query

THE_WHOLE_APP = ("app_id=?",)
OF_A_ROW_FOR_EACH_APP = {
    "counters",
    "identity_providers",
    "notice_progress",
    "notification_settings",
    "presence_totals",
    "receipt_merges",
    "retention_queues",
    "search_positions",
    "token_ends",
}
OF_FEW_ROWS = {
    "api_keys",
    "channel_providers",
    "consumer_positions",
    "exports",
    "imports",
    "moderation_lists",
    "moderation_reasons",
    "moderation_rule_revisions",
    "moderation_rules",
    "moderation_secrets",
    "notice_queues",
    "poll_queues",
    "push_providers",
    "retention_runs",
    "roles",
    "scheduled_queues",
    "webhook_periods",
    "webhook_queues",
    "webhooks",
}
"""Tables of which an app has a few dozen rows at most."""
LISTS = {
    "outbox": {
        "count_set_aside",
        "delete_excess_set_aside",
        "insert_unless_set_aside",
        "list_set_aside",
    },
    "records.clocks": {
        "repair_conversations",
        "repair_events",
        "repair_user_tags",
        "repair_user_words",
        "repair_users",
    },
    "records.conversations": {"list_all_seen", "count_all_seen"},
    "records.erasure": {"count_pending", "list_erasures"},
    "records.groups": {
        "count_groups",
        "find_listed",
        "list_by_creation",
        "list_by_guid",
        "list_by_name",
        "list_groups",
        "list_newest_types",
    },
    "records.growing": {"list_silent"},
    "records.members": {"list_available"},
    "records.messages": {"count_by_other", "list_after", "list_before"},
    "records.notifications": {"find_log_behind", "list_logs"},
    "records.reminders": {"find_next_due"},
    "records.retention": {
        "find_next_rule",
        "has_days",
        "hurry_rules",
        "list_aged",
        "list_aged_by_rule",
        "list_due_rules",
        "list_numbers",
        "put_off_rules",
        "wake_rules",
    },
    "records.roles": {"find_user_of_role"},
    "records.totals": {
        "count_available",
        "count_files",
        "count_groups",
        "count_messages",
        "count_notices",
        "count_sessions",
        "count_users",
        "latest_time",
        "newest_conversation",
        "newest_event",
        "newest_message",
    },
    "records.scheduled": {"count_all", "find_next_due", "list_all"},
    "records.users": {
        "count_by_tag",
        "count_by_word",
        "count_users",
        "find_listed",
        "list_bots",
        "list_by_tag",
        "list_by_word",
        "list_newest_roles",
        "list_users",
    },
}
"""Statements that scan an index on purpose, in its order, or get more conditions; repairs that
an operator asks for once."""


def test_no_statement_goes_through_an_app(sqlite: Sqlite) -> None:
    """Each statement with more conditions than the app finds its rows by more than the app."""
    found = {str(named): tables_of_whole_apps(sqlite, named) for named in all_queries()}

    assert {name: tables for name, tables in found.items() if tables} == {}


def tables_of_whole_apps(sqlite: Sqlite, named: Named) -> set[str]:
    """Return the large tables of which a statement reads all rows of an app unasked."""
    if named.query.name in LISTS.get(named.area, ()):
        return set()
    whole = {
        step.table
        for step in sqlite.plan(named.narrowed()).steps
        if step.conditions == THE_WHOLE_APP
    }
    return whole - OF_A_ROW_FOR_EACH_APP - OF_FEW_ROWS


async def test_a_node_uses_the_index_at_once(open_sqlite: OpenSqlite) -> None:
    """In a new store, reads and writes use the index at once."""
    query = Query(
        "plan",
        "EXPLAIN QUERY PLAN SELECT read_id FROM participants"
        " WHERE app_id = :app_id AND uid = 'anna'",
    )

    async def explain(snapshot: Snapshot) -> Sequence[Row]:
        return await snapshot.fetch(query)

    async with closing(open_sqlite()) as database:
        await database.migrate()
        for ((*_, plan),) in (
            await database.read("app", explain),
            await database.write("app", explain),
        ):
            assert "uid=?" in plan

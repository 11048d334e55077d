"""SQLite's planner is told enough to take the narrow index, and not all rows of an app."""

import pytest
from tests.storage.named_queries import Named, all_queries
from tests.storage.query_plans import Sqlite

THE_WHOLE_APP = ("app_id=?",)
OF_A_ROW_FOR_EACH_APP = {"counters", "search_positions"}
OF_FEW_ROWS = {"api_keys", "push_providers", "roles"}
"""Tables of which an app has some dozen rows at most."""
LISTS = {
    "domain.conversations": {"list_all_seen", "count_all_seen"},
    "domain.groups": {
        "count_guids",
        "count_named",
        "count_open",
        "list_guids",
        "list_newest_types",
        "list_open",
        "list_open_by_creation",
        "list_open_by_guid",
        "list_open_by_name",
        "list_sifted",
        "list_sifted_after",
    },
    "domain.members": {"count_available", "list_available"},
    "domain.messages": {"count_by_other", "list_after", "list_before"},
    "domain.roles": {"find_user_of_role"},
    "domain.users": {
        "count_by_tag",
        "count_by_word",
        "count_named",
        "count_users",
        "list_bots",
        "list_newest_roles",
        "list_sifted",
        "list_sifted_after",
        "list_uids",
    },
}
"""Statements that go through an index, all of it or in its order, or are given more conditions."""


@pytest.mark.parametrize("named", all_queries(), ids=str)
def test_no_statement_goes_through_an_app(sqlite: Sqlite, named: Named) -> None:
    """Whatever names more than the app finds its rows by more than the app."""
    if named.query.name in LISTS.get(named.area, ()):
        return
    whole = {
        step.table
        for step in sqlite.plan(named.narrowed()).steps
        if step.conditions == THE_WHOLE_APP
    }

    assert whole - OF_A_ROW_FOR_EACH_APP - OF_FEW_ROWS == set()

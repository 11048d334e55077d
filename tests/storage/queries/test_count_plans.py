"""Counting begins with the reader's own conversations, and never scans everybody's messages."""

import pytest
from tests.storage.queries.query_plans import Sqlite

from hubbub.records.messages.store import SQL
from hubbub.storage.queries import Query, Where

OWN = ("app_id=?", "uid=?")
IN_CONVERSATION = ("app_id=?", "conversation=?", "sent_at>?")


def _conditions(sqlite: Sqlite, query: Query, table: str) -> list[tuple[str, ...]]:
    """Return the conditions by which a query finds a table's rows, in the order of its plan."""
    steps = sqlite.plan(Where().narrow(query)).steps
    return [step.conditions for step in steps if step.table == table]


@pytest.mark.parametrize("query", [SQL.count_kept_unread, SQL.count_unread, SQL.count_of_viewer])
def test_counting_begins_with_own_conversations(sqlite: Sqlite, query: Query) -> None:
    """Of all participants only the reader's rows are read."""
    first, *others = _conditions(sqlite, query, "participants")

    assert first == OWN
    assert all("uid=?" in each for each in others)


@pytest.mark.parametrize("query", [SQL.count_unread, SQL.count_of_viewer, SQL.count_by_other])
def test_messages_are_counted_within_a_conversation(sqlite: Sqlite, query: Query) -> None:
    """Messages are found by their conversation and time: only those after a position in it."""
    assert IN_CONVERSATION in _conditions(sqlite, query, "messages")


def test_unread_numbers_need_no_messages(sqlite: Sqlite) -> None:
    """The total of unread messages is found without reading a message."""
    assert _conditions(sqlite, SQL.count_kept_unread, "messages") == []

"""Counting goes by the reader's own conversations, never through everybody's messages."""

import pytest
from tests.storage.query_plans import Sqlite

from hubbub.records.messages.store import SQL
from hubbub.storage.queries import Query, Where

OWN = ("app_id=?", "uid=?")
IN_CONVERSATION = ("app_id=?", "conversation=?", "sent_at>?")


def _conditions(sqlite: Sqlite, query: Query, table: str) -> list[tuple[str, ...]]:
    """By what a query finds the rows of a table, in the order of its plan."""
    steps = sqlite.plan(Where().narrow(query)).steps
    return [step.conditions for step in steps if step.table == table]


@pytest.mark.parametrize("query", [SQL.count_kept_unread, SQL.count_unread, SQL.count_of_viewer])
def test_counting_begins_with_one_s_own_conversations(sqlite: Sqlite, query: Query) -> None:
    """Of all who take part only the rows of the reader are looked at."""
    first, *others = _conditions(sqlite, query, "participants")

    assert first == OWN
    assert all("uid=?" in each for each in others)


@pytest.mark.parametrize("query", [SQL.count_unread, SQL.count_of_viewer, SQL.count_by_other])
def test_messages_are_counted_within_a_conversation(sqlite: Sqlite, query: Query) -> None:
    """Messages are found by their conversation and time: only what is beyond some place in it."""
    assert IN_CONVERSATION in _conditions(sqlite, query, "messages")


def test_unread_numbers_need_no_messages(sqlite: Sqlite) -> None:
    """How much is unread in all is told without looking at a message."""
    assert _conditions(sqlite, SQL.count_kept_unread, "messages") == []

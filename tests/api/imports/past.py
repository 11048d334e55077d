"""Rows of messages with a past, and what a refused one is answered."""

from typing import Any

from tests.api.messages.talk import past, to_group
from tests.world import Json

BAD = "ERR_BAD_REQUEST"
NO_MESSAGE = "ERR_MESSAGE_ID_NOT_FOUND"
SENT = 1_500_000_000
SKIP = "?onConflict=skip"


def row(sender: str, at: int = 0, **fields: Any) -> Json:
    """Return a row of a message to the group."""
    return past(sender, to_group("hikers", f"by {sender}"), SENT + at, **fields)


def error(outcome: Json) -> tuple[str, list[str]]:
    """Return the code of a refused row, and the named fields."""
    assert outcome["success"] is False
    return outcome["error"]["code"], list(outcome["error"].get("details", {}))


def rows_by_muid(rows: Json) -> Json:
    """Return rows under the muid that each has."""
    return {each["muid"]: each for each in rows.values()}

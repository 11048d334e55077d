"""Positions in the log of an app, as clients give them back: `<epoch>-<number>`."""

import re
from collections.abc import Sequence

from hubbub.kernel.errors import BadInput
from hubbub.outbox.heads import Position
from hubbub.outbox.log import MOST_IN_ROW, SQL, find_first
from hubbub.storage.interface import Snapshot

_POSITION = re.compile(r"([0-9]{1,18})-([0-9]{1,18})", re.ASCII)


class CursorExpired(BadInput):
    """The log can't be continued from this cursor; what it missed is to be fetched anew."""

    code = "ERR_CURSOR_EXPIRED"

    def __init__(self, field: str) -> None:
        super().__init__(
            "The log of events can't be continued from this cursor.",
            details={field: ["It is of another log, or the events after it are kept no longer."]},
            dev_message=(
                "Ask for a cursor without `since`, then fetch what you show anew: "
                "events may have been missed."
            ),
        )


def parse_position(text: str, field: str) -> Position:
    """Return the position that a cursor means.

    Raises:
        BadInput: it is not a cursor.
    """
    match = _POSITION.fullmatch(text)
    if match is None:
        raise BadInput.field(field, "This must be a cursor of an answer, such as 1790000000-42.")
    return Position(int(match[1]), int(match[2]))


async def find_head(snapshot: Snapshot) -> Position:
    """Return the newest position of the log in a snapshot; its epoch is 0 if there is no app."""
    row = await snapshot.fetch_one(SQL.find_head)
    return Position(row[0], row[1]) if row is not None else Position(0, 0)


async def list_heads(snapshot: Snapshot, app_ids: Sequence[str]) -> list[tuple[str, Position]]:
    """Return the newest position of each of several apps that exists, with the app's id."""
    rows = await snapshot.fetch(SQL.list_heads, app_ids=list(app_ids))
    return [(row[0], Position(row[1], row[2])) for row in rows]


async def check_kept(snapshot: Snapshot, position: Position, head: Position, field: str) -> None:
    """Check that all events after a position are kept.

    Raises:
        CursorExpired: they are not, or the position is not of this log.
    """
    if position.epoch != head.epoch or position.number > head.number:
        raise CursorExpired(field)
    if position.number == head.number:
        return
    row = await snapshot.fetch_one(
        SQL.list_events, after=position.number, upto=position.number + MOST_IN_ROW, limit=1
    )
    if row is None:
        raise CursorExpired(field)
    first = find_first(row[0], row[4])
    # The oldest events are deleted first: if the one before the row is kept, so is all of the row.
    is_kept = first <= position.number + 1 if first else await _is_kept(snapshot, position.number)
    if not is_kept:
        raise CursorExpired(field)


async def _is_kept(snapshot: Snapshot, number: int) -> bool:
    """Return whether the row that ends with an event is kept, or the event is the first one."""
    row = await snapshot.fetch_one(SQL.list_events, after=number - 1, upto=number, limit=1)
    return row is not None or number == 0

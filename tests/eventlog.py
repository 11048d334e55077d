"""The log of an app as single events, whatever rows they are stored in."""

import json
from typing import Any

from hubbub.outbox.log import SQL
from hubbub.storage.interface import Snapshot

LOG_END = 2**62

encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

LoggedEvent = tuple[int, str, str, int, str]
"""Number, id, name, time, and body as JSON."""


async def list_logged(snapshot: Snapshot, after: int = 0) -> list[LoggedEvent]:
    """Return the events after a number."""
    rows = await snapshot.fetch(SQL.list_events, after=after, upto=LOG_END, limit=10_000)
    return [event for row in rows for event in split_row(*row) if event[0] > after]


def split_row(number: int, id_: str, name: str, at: int, body: str) -> list[LoggedEvent]:
    """Return the events of a row of the log, which has the number and the id of the last one."""
    decoded: Any = json.loads(body)
    bodies = decoded if isinstance(decoded, list) else [decoded]
    first, epoch = number - len(bodies) + 1, id_.partition("-")[0]
    return [
        (each, f"{epoch}-{each}", name, fields["at"], encode(fields))
        for each, fields in enumerate(bodies, first)
    ]

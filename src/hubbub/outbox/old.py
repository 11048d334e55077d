"""Old events: how far the log may be deleted, and where what is kept of it begins."""

from collections.abc import Mapping
from itertools import takewhile

from hubbub.kernel.clock import believe
from hubbub.outbox.log import SQL, find_first
from hubbub.storage.interface import Snapshot, Transaction


async def find_start(snapshot: Snapshot) -> int:
    """Return the number of the last event that is not kept any more; 0 if all events are."""
    row = await snapshot.fetch_one(SQL.find_next_event, after=0)
    if row is None:
        return 0
    number, body = row
    return (find_first(number, body) or number) - 1


async def find_deletable(
    snapshot: Snapshot, before: int, consumers: Mapping[str, bool], *, now: int, limit: int
) -> int:
    """Return the number up to which some of the oldest events may be deleted; 0 if none may.

    They are older than `before`, every consumer has read them, and the newest event is kept. An
    event of a clock that was ahead is as old as the next one whose time is believed.
    `consumers` says of each by its name whether it reads only where its position was started; what
    other versions of Hubbub have stored as a position counts, too.
    """
    read = dict.fromkeys((name for name, is_optional in consumers.items() if not is_optional), 0)
    read |= dict(map(tuple, await snapshot.fetch(SQL.list_positions)))
    newest = await snapshot.fetch_one(SQL.find_newest)
    upto = min([*read.values(), newest[0] - 1 if newest else 0])
    looked_at = 0
    while True:
        page = await snapshot.fetch(SQL.list_numbers, after=looked_at, upto=upto, limit=limit)
        old = takewhile(lambda each: each[1] < before or not believe(each[1], now), page)
        passed = [*old]
        deletable = max((number for number, at in passed if at < before), default=0)
        if deletable or len(passed) < limit:
            return deletable
        looked_at = passed[-1][0]  # all of these are of a clock that was ahead


async def delete_events(tx: Transaction, upto: int) -> None:
    """Delete the events up to a number."""
    await tx.run(SQL.delete_events, upto=upto)

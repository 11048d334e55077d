"""Merge the segments of the search index, in small steps between the writes of requests.

Each transaction that adds entries adds a segment. By itself FTS5 merges segments in such
transactions, and the messages that wait for one then wait for 20 to 30 ms.
Source: https://www.sqlite.org/fts5.html#the_merge_command

The terms of deleted entries stay in their segments, with a mark, until these are merged. So at
times all segments are written anew, in the same steps.
"""

import apsw

from hubbub.storage.queries import Query
from hubbub.storage.sqlite.connection import SqliteTransaction

MOST_SEGMENTS = 200
"""With so many segments of a size, FTS5 merges them nevertheless: the index stays fast to read."""
PAGES = 16
"""The pages that a step writes: 1.8 ms, of ten steps one 5."""
CHANGES_OF_NOTHING = 1
_MARKS = Query("marks", "SELECT 1 FROM message_entries_data WHERE id >= 9007199254740992 LIMIT 1")
"""Finds a page with marks of deleted entries: FTS5 keeps them behind all others, from 2^53 on."""
_COMMAND = "INSERT INTO message_entries (message_entries, rank) VALUES (?, ?)"


def leave_merges_to_steps(connection: apsw.Connection) -> None:
    """Have FTS5 merge on request only; the settings are stored."""
    settings = [("automerge", 0), ("crisismerge", MOST_SEGMENTS)]
    connection.executemany(_COMMAND, settings)


async def merge_step(tx: SqliteTransaction) -> bool:
    """Merge some pages; return whether there may be more to merge."""
    return tx.run_text(_COMMAND, ("merge", PAGES)) > CHANGES_OF_NOTHING


async def begin_to_rewrite(tx: SqliteTransaction) -> bool:
    """Begin to write all segments anew, without deleted entries; return whether there were any."""
    if await tx.fetch_one(_MARKS) is None:
        return False
    tx.run_text(_COMMAND, ("merge", -PAGES))
    return True

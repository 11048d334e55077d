"""Merge the segments of the search index, in small steps between the writes of requests.

Each transaction that adds entries adds a segment. By itself FTS5 merges segments in such
transactions, and the messages that wait for one then wait for 20 to 30 ms.
Source: https://www.sqlite.org/fts5.html#the_merge_command
"""

import apsw

from hubbub.storage.sqlite.connection import SqliteTransaction

MOST_SEGMENTS = 200
"""With so many segments of a size, FTS5 merges them nevertheless: the index stays fast to read."""
PAGES = 16
"""The pages that a step writes: 1.8 ms, of ten steps one 5."""
CHANGES_OF_NOTHING = 1
_COMMAND = "INSERT INTO message_entries (message_entries, rank) VALUES (?, ?)"


def leave_merges_to_steps(connection: apsw.Connection) -> None:
    """Have FTS5 merge on request only, and remove terms at once; the settings are stored."""
    settings = [("automerge", 0), ("crisismerge", MOST_SEGMENTS), ("secure-delete", 1)]
    connection.executemany(_COMMAND, settings)


async def merge_step(tx: SqliteTransaction) -> bool:
    """Merge some pages; return whether there may be more to merge."""
    return tx.run_text(_COMMAND, ("merge", PAGES)) > CHANGES_OF_NOTHING

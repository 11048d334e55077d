"""Counts of the rows of a whole app, and the numbers that are kept of them."""

from collections.abc import Sequence

from hubbub.records.totals.model import (
    KeptNumbers,
    SampledConversation,
    SampledParticipant,
    StoredApp,
    Totals,
)
from hubbub.storage.interface import Snapshot
from hubbub.storage.queries import Query, load_queries

SQL = load_queries(__package__)


async def list_apps(snapshot: Snapshot) -> list[StoredApp]:
    """Return all apps of the installation."""
    return [StoredApp(row[0], bool(row[1])) for row in await snapshot.fetch(SQL.list_apps)]


async def count_rows(snapshot: Snapshot) -> Totals:
    """Count the rows of an app."""
    return Totals(
        users=await count_users(snapshot),
        groups=await count_groups(snapshot),
        messages=await _number(snapshot, SQL.count_messages),
        files=await _number(snapshot, SQL.count_files),
    )


NOT_CARRIED = (
    "API keys",
    "auth tokens",
    "times of bans",
    "pins of conversations",
    "tags of conversations",
    "devices for pushes",
    "former versions of messages",
    "uses of interactive messages",
    "muted conversations",
    "preferences of notifications",
    "beginnings of histories that somebody sees in part",
    "saved messages",
    "submissions of forms",
    "webhooks",
)
"""What `count_not_carried` counts, in the order of its columns."""


async def count_not_carried(snapshot: Snapshot) -> dict[str, int]:
    """Count what no line of an export carries, by what it is."""
    row = await snapshot.fetch_one(SQL.count_not_carried)
    return dict(zip(NOT_CARRIED, map(int, row or ()), strict=True))


async def count_notices(snapshot: Snapshot) -> int:
    """Count the action messages about edits and deletions."""
    return await _number(snapshot, SQL.count_notices)


async def count_users(snapshot: Snapshot) -> int:
    """Count the users that are active."""
    return await _number(snapshot, SQL.count_users)


async def count_groups(snapshot: Snapshot) -> int:
    """Count the groups."""
    return await _number(snapshot, SQL.count_groups)


async def find_kept(snapshot: Snapshot) -> KeptNumbers | None:
    """Return what the counters of the app say; None if it has none."""
    row = await snapshot.fetch_one(SQL.find_kept)
    return KeptNumbers(*row) if row else None


async def find_latest_time(snapshot: Snapshot) -> int:
    """Return the latest time of a message; 0 without messages."""
    return await _number(snapshot, SQL.latest_time)


async def find_kept_presence(snapshot: Snapshot) -> tuple[int, int]:
    """Return the kept numbers of open sessions and of available users."""
    row = await snapshot.fetch_one(SQL.find_kept_presence)
    return (int(row[0]), int(row[1])) if row else (0, 0)


async def count_sessions(snapshot: Snapshot) -> int:
    """Count the open sessions."""
    return await _number(snapshot, SQL.count_sessions)


async def count_available(snapshot: Snapshot) -> int:
    """Count the users who are available."""
    return await _number(snapshot, SQL.count_available)


async def find_newest(snapshot: Snapshot) -> tuple[int, int, int]:
    """Return the highest numbers of a message, an event, and a conversation."""
    return (
        await _number(snapshot, SQL.newest_message),
        await _number(snapshot, SQL.newest_event),
        await _number(snapshot, SQL.newest_conversation),
    )


async def list_conversations(
    snapshot: Snapshot, numbers: Sequence[int]
) -> list[SampledConversation]:
    """Return those conversations that exist."""
    rows = await snapshot.fetch(SQL.list_conversations, numbers=list(numbers))
    return [SampledConversation(*row) for row in rows]


async def list_participants(
    snapshot: Snapshot, conversation: int, *, limit: int
) -> list[SampledParticipant]:
    """Return some participants of a conversation."""
    rows = await snapshot.fetch(SQL.list_participants, conversation=conversation, limit=limit)
    return [SampledParticipant(*row) for row in rows]


async def count_members(snapshot: Snapshot, conversation: int) -> int:
    """Count the members of a group."""
    return await _number(snapshot, SQL.count_members, conversation=conversation)


async def count_counting(snapshot: Snapshot, conversation: int) -> int:
    """Count the messages of a conversation that count as unread for those who have not read."""
    return await _number(snapshot, SQL.count_counting, conversation=conversation)


async def count_unread(
    snapshot: Snapshot, conversation: int, participant: SampledParticipant
) -> int:
    """Count the messages that a participant has not read."""
    return await _number(
        snapshot,
        SQL.count_unread,
        conversation=conversation,
        read_id=participant.read_id,
        uid=participant.uid,
    )


async def _number(snapshot: Snapshot, query: Query, **args: object) -> int:
    row = await snapshot.fetch_one(query, **args)
    return int(row[0]) if row else 0

"""Lists of conversations: the filter, its conditions in SQL, and a page of the rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hubbub.kernel.pages import PageRequest
from hubbub.kernel.text import fold, prefix_range
from hubbub.records.conversations.model import Conversation, Participant
from hubbub.records.conversations.store import (
    APP_PINS,
    SQL,
    ParticipantKey,
    find_with_participants,
    list_pins,
)
from hubbub.storage.interface import Row, Snapshot
from hubbub.storage.queries import Where


@dataclass(frozen=True, slots=True)
class ConversationFilter:
    """The conditions of a list of conversations; None and empty mean no condition."""

    uid: str | None = None
    """The participant; None means all users."""
    kind: str | None = None
    tags: Sequence[str] = ()
    user_tags: Sequence[str] = ()
    group_tags: Sequence[str] = ()
    search: str = ""
    unread_only: bool = False
    pinned_only: bool = False
    with_blocked: bool = False


@dataclass(frozen=True, slots=True)
class Listed:
    """A row of a list: a conversation, one participant, and the time of the pin."""

    conversation: Conversation
    participant: Participant
    pinned_at: int | None


async def list_conversations(
    snapshot: Snapshot, wanted: ConversationFilter, page: PageRequest
) -> tuple[list[Listed], int]:
    """Return a page of conversations, and the total of the list."""
    where = _where_of(wanted)
    query = SQL.list_all_seen if wanted.uid is None else SQL.list_seen
    rows = await snapshot.fetch(
        where.narrow(query), limit=page.per_page, offset=page.offset, **where.args
    )
    found: Mapping[ParticipantKey, tuple[Conversation, Participant]]
    found, pins = await snapshot.gather(
        find_with_participants(snapshot, [(row[0], row[1]) for row in rows]),
        _find_pins(snapshot, wanted, rows),
    )
    listed = [
        Listed(
            *found[row[0], row[1]],
            pins.get((row[0], APP_PINS), pins.get((row[0], row[1]))),
        )
        for row in rows
    ]
    if rows and wanted.uid is not None:
        return listed, int(rows[0][-1])
    return listed, await _count(snapshot, wanted, where)


async def _count(snapshot: Snapshot, wanted: ConversationFilter, where: Where) -> int:
    """Return the total of a list whose page does not have it."""
    query = SQL.count_all_seen if wanted.uid is None else SQL.count_seen
    count = await snapshot.fetch_one(where.narrow(query), **where.args)
    return int(count[0]) if count else 0


async def _find_pins(
    snapshot: Snapshot, wanted: ConversationFilter, rows: Sequence[Row]
) -> dict[tuple[int, str], int]:
    """Return the times of the pins that a list shows, by conversation and owner."""
    by = [APP_PINS] if wanted.uid is None else [APP_PINS, wanted.uid]
    pinned = [row[0] for row in rows if any(row[2 : 2 + len(by)])]
    return await list_pins(snapshot, pinned, by)


def _where_of(wanted: ConversationFilter) -> Where:
    where = Where()
    if wanted.uid is not None:
        where.args["uid"] = wanted.uid
    if wanted.kind is not None:
        where.add("c.kind = :kind", kind=wanted.kind)
    if wanted.unread_only:
        where.add("{unread_in(p, c)} > 0")
    if wanted.pinned_only:
        where.add(
            "EXISTS (SELECT 1 FROM conversation_pins x WHERE x.app_id = :app_id"
            " AND x.conversation = p.conversation AND (x.uid = p.uid OR x.uid = ''))"
        )
    if wanted.tags:
        where.add(
            "EXISTS (SELECT 1 FROM conversation_tags t WHERE t.app_id = :app_id"
            " AND t.conversation = p.conversation AND t.uid = p.uid AND t.tag = ANY(:tags))",
            tags=list(wanted.tags),
        )
    _add_other_side(where, wanted)
    return where


def _add_other_side(where: Where, wanted: ConversationFilter) -> None:
    """Add the conditions on the other user, or the group, of a conversation."""
    if wanted.user_tags or wanted.group_tags:
        where.add(
            "((c.kind = 'user' AND {other_side} IN (SELECT ut.uid FROM user_tags ut"
            " WHERE ut.app_id = :app_id AND ut.tag = ANY(:user_tags)))"
            " OR (c.kind = 'group' AND c.left_id IN (SELECT gt.guid FROM group_tags gt"
            " WHERE gt.app_id = :app_id AND gt.tag = ANY(:group_tags))))",
            user_tags=list(wanted.user_tags),
            group_tags=list(wanted.group_tags),
        )
    if wanted.search:
        lower, upper = prefix_range(fold(wanted.search)[:100])
        where.add(
            "((c.kind = 'user' AND {other_side} IN (SELECT uw.uid FROM user_words uw"
            " WHERE uw.app_id = :app_id AND uw.kind = 'name'"
            " AND uw.word >= :lower AND uw.word < :upper))"
            " OR (c.kind = 'group' AND c.left_id IN (SELECT gw.guid FROM group_words gw"
            " WHERE gw.app_id = :app_id AND gw.kind = 'name'"
            " AND gw.word >= :lower AND gw.word < :upper)))",
            lower=lower,
            upper=upper,
        )
    if wanted.uid is not None and not wanted.with_blocked:
        # The first condition is evaluated once, and is mostly true.
        where.add(
            "(NOT EXISTS (SELECT 1 FROM blocks w WHERE w.app_id = :app_id AND w.uid = :uid)"
            " OR c.kind = 'group' OR NOT EXISTS (SELECT 1 FROM blocks b WHERE b.app_id = :app_id"
            " AND b.uid = p.uid AND b.blocked = {other_side}))"
        )

"""Lists of conversations: the filter, its conditions in SQL, and a page of the rows."""

from collections.abc import Sequence
from dataclasses import dataclass

from hubbub.kernel.pages import PageRequest
from hubbub.kernel.text import fold, prefix_range
from hubbub.records.conversations.model import Conversation, Participant
from hubbub.records.conversations.store import SQL, find_by_numbers, find_participants
from hubbub.storage.interface import Snapshot
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
    is_own = wanted.uid is not None
    query, counting = (
        (SQL.list_seen, SQL.count_seen) if is_own else (SQL.list_all_seen, SQL.count_all_seen)
    )
    rows = await snapshot.fetch(
        where.narrow(query), limit=page.per_page, offset=page.offset, **where.args
    )
    count = await snapshot.fetch_one(where.narrow(counting), **where.args)
    found = await find_by_numbers(snapshot, (row[0] for row in rows))
    conversations = {conversation.number: conversation for conversation in found}
    participants = await find_participants(snapshot, [(row[0], row[1]) for row in rows])
    listed = [
        Listed(conversations[number], participants[number, uid], pinned_at)
        for number, uid, pinned_at in rows
    ]
    return listed, int(count[0]) if count else 0


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
        where.add(
            "(c.kind = 'group' OR NOT EXISTS (SELECT 1 FROM blocks b WHERE b.app_id = :app_id"
            " AND b.uid = p.uid AND b.blocked = {other_side}))"
        )

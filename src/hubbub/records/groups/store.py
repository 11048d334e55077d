"""The tables `groups`, `group_words` and `group_tags`."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, LiteralString

from hubbub.kernel.pages import PageRequest, TimeCursor
from hubbub.kernel.text import ID_LENGTH, SYSTEM_UID, fold, prefix_range, words
from hubbub.records.groups.model import PRIVATE, Group, GroupDraft
from hubbub.records.users.model import check_metadata, encode_tags
from hubbub.storage.interface import Row, Snapshot, Transaction
from hubbub.storage.queries import Query, Where, load_queries

SQL = load_queries(__package__, group_columns=Group)

MOST_SIFTED = 5_000
"""Up to so many are put in order for a page; of more, some stand early in the order anyway."""
FROM_THE_NEWEST = TimeCursor(2**63 - 1, "", is_before=True)
BY_TYPE: LiteralString = "g.type, g.touched_at, g.guid"


async def find_groups(snapshot: Snapshot, guids: Collection[str]) -> dict[str, Group]:
    """The groups of those guids by guid."""
    if not guids:
        return {}
    rows = await snapshot.fetch(SQL.find_groups, guids=list(guids))
    return {row[0]: Group(*row) for row in rows}


async def find_password_hashes(snapshot: Snapshot, guids: Collection[str]) -> dict[str, str]:
    """The hashed passwords of those groups that have one, by guid."""
    if not guids:
        return {}
    rows = await snapshot.fetch(SQL.find_password_hashes, guids=list(guids))
    return {row[0]: row[1] for row in rows}


async def insert_groups(
    tx: Transaction, drafts: Sequence[tuple[GroupDraft, int]], now: int
) -> None:
    """Store new groups, each with the number of its conversation; nobody is a member yet."""
    await tx.run_many(
        SQL.insert_group,
        [
            {
                "guid": draft.guid,
                "name": draft.name,
                "type": draft.type,
                "password_hash": draft.password_hash,
                "icon": draft.icon,
                "description": draft.description,
                "owner": draft.owner or SYSTEM_UID,
                "metadata": check_metadata(draft.metadata),
                "tags": encode_tags(draft.tags),
                "conversation": conversation,
                "created_at": draft.created_at if draft.created_at is not None else now,
            }
            for draft, conversation in drafts
        ],
    )
    await tx.run_many(
        SQL.insert_word, [row for draft, _ in drafts for row in _words(draft.guid, draft.name)]
    )
    await tx.run_many(
        SQL.insert_tag,
        [{"tag": tag, "guid": draft.guid} for draft, _ in drafts for tag in draft.tags],
    )


def _words(guid: str, name: str) -> list[dict[str, str]]:
    found = [{"kind": "name", "word": word, "guid": guid} for word in words(name)]
    return [*found, {"kind": "guid", "word": guid, "guid": guid}]


async def update_group(tx: Transaction, before: Group, after: Group) -> None:
    """Store a changed group, with what it is found by."""
    await tx.run(
        SQL.update_group,
        guid=after.guid,
        name=after.name,
        type=after.type,
        icon=after.icon,
        description=after.description,
        metadata=after.metadata,
        tags=after.tags,
        updated_at=after.updated_at,
        updated_by=after.updated_by,
    )
    if before.name != after.name:
        await tx.run_many(SQL.delete_word, _words(before.guid, before.name))
        await tx.run_many(SQL.insert_word, _words(after.guid, after.name))
    if before.tags != after.tags:
        await tx.run_many(SQL.delete_tag, _tags(before))
        await tx.run_many(SQL.insert_tag, _tags(after))


def _tags(group: Group) -> list[dict[str, str]]:
    return [{"tag": tag, "guid": group.guid} for tag in group.tag_list]


async def set_password(tx: Transaction, guid: str, password_hash: str | None) -> None:
    """Store the hashed password of a group; None: it has none."""
    await tx.run(SQL.set_password, guid=guid, password_hash=password_hash)


async def delete_group(tx: Transaction, group: Group) -> None:
    """Remove a group's row and what it is found by; the guid is free."""
    await tx.run(SQL.delete_group, guid=group.guid)
    await tx.run_many(SQL.delete_word, _words(group.guid, group.name))
    await tx.run_many(SQL.delete_tag, _tags(group))


@dataclass(frozen=True, slots=True)
class GroupFilter:
    """Which groups a list holds, in which order; None and empty ask for nothing."""

    search: str = ""
    search_in: Sequence[str] = ()
    types: Sequence[str] = ()
    tags: Sequence[str] = ()
    sort_by: str | None = None
    """`name`, `guid` or `createdAt`; None: newest change first."""
    is_descending: bool = False
    viewer: str | None = None
    """Who looks: he sees no private groups but his own. None: the app sees all."""
    joined_only: bool = False
    cursor: TimeCursor | None = None
    among: Collection[str] | None = None
    """None but these, `MOST_SIFTED` at most; empty, it holds none."""

    @property
    def is_joined(self) -> bool:
        """Whether it holds the groups of the viewer; the app itself has joined none."""
        return self.joined_only and self.viewer is not None

    @property
    def is_every_group(self) -> bool:
        """Whether the total is the one that is kept."""
        is_filtered = self.search or self.types or self.tags or self.among is not None
        return self.viewer is None and not is_filtered


_ORDERS: dict[tuple[str | None, bool], LiteralString] = {
    (None, True): "touched_at DESC, guid DESC",
    (None, False): "touched_at, guid",
    ("name", False): "name, guid",
    ("name", True): "name DESC, guid DESC",
    ("guid", False): "guid",
    ("guid", True): "guid DESC",
    ("createdAt", False): "created_at, guid",
    ("createdAt", True): "created_at DESC, guid DESC",
}
_OPEN_BY = {
    None: SQL.list_open,
    "name": SQL.list_open_by_name,
    "guid": SQL.list_open_by_guid,
    "createdAt": SQL.list_open_by_creation,
}


async def list_groups(
    snapshot: Snapshot, wanted: GroupFilter, page: PageRequest
) -> tuple[list[Group], int]:
    """A page of groups, and how many there are in all; it is made as that of users, see there."""
    listed = await _name_few(snapshot, wanted)
    if listed.is_joined:
        guids, total = await _list_joined(snapshot, listed, page)
    elif listed.among is not None:
        guids, total = await _sift(snapshot, listed, page)
    elif listed.viewer is not None:
        guids, total = await _list_seen(snapshot, listed, page)
    else:
        guids, total = await _list_all(snapshot, listed, page)
    if listed.cursor is not None and not listed.cursor.is_before:
        guids.reverse()
    found = await find_groups(snapshot, guids)
    return [found[guid] for guid in guids], total


async def _name_few(snapshot: Snapshot, wanted: GroupFilter) -> GroupFilter:
    """The same list; when a search or tags find few, it names them instead."""
    if wanted.search:
        few = await _find_few(snapshot, SQL.find_by_word, **_searched(wanted))
        if few is not None:
            wanted = replace(wanted, search="", among=_both(few, wanted.among))
    if wanted.tags:
        few = await _find_few(snapshot, SQL.find_by_tag, tags=list(wanted.tags))
        if few is not None:
            wanted = replace(wanted, tags=(), among=_both(few, wanted.among))
    return wanted


async def _find_few(snapshot: Snapshot, query: Query, **args: Any) -> set[str] | None:
    """What the query finds; None when that is too much to be named."""
    rows = await snapshot.fetch(query, limit=MOST_SIFTED + 1, **args)
    return {row[0] for row in rows} if len(rows) <= MOST_SIFTED else None


def _both(few: set[str], among: Collection[str] | None) -> set[str]:
    return few if among is None else few.intersection(among)


def _searched(wanted: GroupFilter) -> dict[str, Any]:
    """What a search asks of the words: they begin so; `letter` is what their index begins with."""
    lower, upper = prefix_range(fold(wanted.search)[:ID_LENGTH])
    kinds = list(wanted.search_in or ("name", "guid"))
    return {"letter": lower[:1], "kinds": kinds, "lower": lower, "upper": upper}


async def _list_all(
    snapshot: Snapshot, wanted: GroupFilter, page: PageRequest
) -> tuple[list[str], int]:
    """The guids of a page of all groups, for the app, and how many there are."""
    if wanted.is_every_group:
        total = await _fetch_count(snapshot, SQL.count_all_groups)
    else:
        order = BY_TYPE if wanted.types else None
        where = _where(wanted, at_once=True)
        total = await _fetch_count(snapshot, SQL.count_guids, where, order)
    rows = await _walk(snapshot, SQL.list_guids, wanted, page.offset, page.per_page)
    return [row[0] for row in rows], total


async def _list_joined(
    snapshot: Snapshot, wanted: GroupFilter, page: PageRequest
) -> tuple[list[str], int]:
    """The guids of a page of the viewer's groups, and how many he has."""
    total = await _fetch_count(snapshot, SQL.count_joined_guids, _where(wanted))
    rows = await _walk(snapshot, SQL.list_joined_guids, wanted, page.offset, page.per_page)
    return [row[0] for row in rows], total


async def _list_seen(
    snapshot: Snapshot, wanted: GroupFilter, page: PageRequest
) -> tuple[list[str], int]:
    """The guids of a page of those that the viewer may see, and how many these are.

    They are all open ones and his own private ones, 2,000 at most, which are merged into the page:
    so no other private group is ever looked at.
    """
    where = _where(wanted)
    own = await snapshot.fetch(where.narrow(SQL.list_own_private), **where.args)
    total = await _count_open(snapshot, wanted) + len(own)
    shown, offset = _places(own, wanted), page.offset if wanted.cursor is None else 0
    before = min(offset, len(shown))  # as many of these, at most, may come before the page
    rows = await _walk(
        snapshot, _OPEN_BY[wanted.sort_by], wanted, offset - before, before + page.per_page
    )
    merged = [*shown, *((row[1], row[0]) for row in rows)]
    merged.sort(reverse=_is_descending(wanted))
    return [guid for _, guid in merged[before : before + page.per_page]], total


def _places(own: Sequence[Row], wanted: GroupFilter) -> list[tuple[Any, str]]:
    """Where the viewer's own groups stand in the order of the list; from its cursor on, if any."""
    column = {None: 1, "name": 2, "createdAt": 3}.get(wanted.sort_by, 0)
    places, cursor = [(row[column], row[0]) for row in own], wanted.cursor
    if cursor is None:
        return places
    at = (cursor.at, cursor.id)
    return [place for place in places if (place < at if cursor.is_before else place > at)]


async def _count_open(snapshot: Snapshot, wanted: GroupFilter) -> int:
    """How many are open to all; if that seems to be most, by counting the private ones."""
    if wanted.types or wanted.tags or wanted.search:
        return await _fetch_count(snapshot, SQL.count_open, _where(wanted, at_once=True))
    newest = [row[0] for row in await snapshot.fetch(SQL.list_newest_types)]
    if newest.count(PRIVATE) * 2 > len(newest):
        return await _fetch_count(snapshot, SQL.count_open)
    private = await _fetch_count(snapshot, SQL.count_private)
    return await _fetch_count(snapshot, SQL.count_all_groups) - private


async def _fetch_count(
    snapshot: Snapshot,
    query: Query,
    where: Where | None = None,
    order: LiteralString | None = None,
) -> int:
    where = where or Where()
    row = await snapshot.fetch_one(where.narrow(query, order=order), **where.args)
    return int(row[0]) if row else 0


async def _walk(
    snapshot: Snapshot, query: Query, wanted: GroupFilter, offset: int, limit: int
) -> list[Row]:
    """Rows of a query, out of all groups in the order of the list; from its cursor on, if any."""
    cursor = wanted.cursor
    where = _where(wanted, at_once=cursor is None and offset > MOST_SIFTED)
    if cursor is not None:
        offset = 0
        place = {"at": cursor.at, "cursor_guid": cursor.id}
        if cursor.is_before:
            where.add("(g.touched_at, g.guid) < (:at, :cursor_guid)", **place)
        else:
            where.add("(g.touched_at, g.guid) > (:at, :cursor_guid)", **place)
    narrowed = where.narrow(query, order=_ORDERS[wanted.sort_by, _is_descending(wanted)])
    return await snapshot.fetch(narrowed, limit=limit, offset=offset, **where.args)


async def _sift(
    snapshot: Snapshot, wanted: GroupFilter, page: PageRequest
) -> tuple[list[str], int]:
    """The guids of the page, out of the few that are named, and how many are left of these."""
    where, place = _where(wanted), wanted.cursor or FROM_THE_NEWEST
    if wanted.viewer is not None:
        where.add(
            "(g.type <> 'private' OR 1 = (SELECT 1 FROM members m WHERE m.app_id = :app_id"
            " AND m.conversation = g.conversation AND m.uid = :viewer))"
        )
    query = SQL.list_sifted if place.is_before else SQL.list_sifted_after
    rows = await snapshot.fetch(
        where.narrow(query, order=_ORDERS[wanted.sort_by, _is_descending(wanted)]),
        at=place.at,
        cursor_guid=place.id,
        limit=page.per_page,
        offset=page.offset if wanted.cursor is None else 0,
        **where.args,
    )
    total = rows[0][1] if rows else await _fetch_count(snapshot, SQL.count_named, where)
    return [row[0] for row in rows], total


def _is_descending(wanted: GroupFilter) -> bool:
    if wanted.cursor is not None:
        return wanted.cursor.is_before
    return wanted.is_descending or wanted.sort_by is None


def _where(wanted: GroupFilter, *, at_once: bool = False) -> Where:
    """The conditions; of tags and words each group is asked in turn, or all are found at once."""
    where = Where()
    if wanted.viewer is not None:
        where.args["viewer"] = wanted.viewer
    if wanted.among is not None:
        where.add("g.guid = ANY(:among)", among=list(wanted.among))
    if wanted.types:
        where.add("g.type = ANY(:types)", types=list(wanted.types))
    add_found = _add_sets if at_once else _add_probes
    add_found(where, wanted)
    return where


def _add_probes(where: Where, wanted: GroupFilter) -> None:
    """Look for each group among the tags and words; the planner makes no join of this."""
    if wanted.tags:
        where.add(
            "1 = (SELECT 1 FROM group_tags t WHERE t.app_id = :app_id"
            " AND t.tag = ANY(:tags) AND t.guid = g.guid LIMIT 1)",
            tags=list(wanted.tags),
        )
    if wanted.search:
        where.add(
            "1 = (SELECT 1 FROM group_words w WHERE w.app_id = :app_id"
            " AND substr(w.word, 1, 1) = :letter AND w.guid = g.guid AND w.kind || '' = ANY(:kinds)"
            " AND w.word || '' >= :lower AND w.word || '' < :upper LIMIT 1)",
            **_searched(wanted),
        )


def _add_sets(where: Where, wanted: GroupFilter) -> None:
    """Find all that the tags and words lead to, then keep those of the list."""
    if wanted.tags:
        where.add(
            "g.guid || '' IN (SELECT t.guid FROM group_tags t"
            " WHERE t.app_id = :app_id AND t.tag = ANY(:tags))",
            tags=list(wanted.tags),
        )
    if wanted.search:
        where.add(
            "g.guid || '' IN (SELECT w.guid FROM group_words w WHERE w.app_id = :app_id"
            " AND substr(w.word, 1, 1) = :letter AND w.kind || '' = ANY(:kinds)"
            " AND w.word || '' >= :lower AND w.word || '' < :upper)",
            **_searched(wanted),
        )


async def add_members_count(tx: Transaction, changes: Mapping[str, int]) -> None:
    """Count members who come or go, by guid."""
    await tx.run_many(
        SQL.add_members_count,
        [{"guid": guid, "change": change} for guid, change in changes.items() if change],
    )


async def add_members_count_of(tx: Transaction, conversations: Sequence[int], change: int) -> None:
    """Count a member who comes to, or goes from, many groups at once."""
    await tx.run(SQL.add_members_count_of, conversations=list(conversations), change=change)


async def list_owned_groups(snapshot: Snapshot, owner: str) -> list[Group]:
    """All groups of an owner: there are 2,000 at most, as he is a member of each."""
    return [Group(*row) for row in await snapshot.fetch(SQL.list_owned_groups, owner=owner)]


async def set_owners(tx: Transaction, groups: Iterable[Group]) -> None:
    """Store the new owners of groups, who gave them to these, and when."""
    await tx.run_many(
        SQL.set_owner,
        [
            {
                "guid": each.guid,
                "owner": each.owner,
                "updated_at": each.updated_at,
                "updated_by": each.updated_by,
            }
            for each in groups
        ],
    )


async def forget_editor(tx: Transaction, uid: str) -> None:
    """Let the app have been the last to change the groups that somebody was who is erased."""
    await tx.run(SQL.forget_editor, uid=uid, by=SYSTEM_UID)


async def set_permissions(tx: Transaction, guid: str, permissions: str | None) -> None:
    """Store the scope permissions of a group, as JSON text; None: none are set."""
    await tx.run(SQL.set_permissions, guid=guid, permissions=permissions)

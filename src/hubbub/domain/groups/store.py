"""The tables `groups`, `group_words` and `group_tags`."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import LiteralString

from hubbub.domain.groups.model import Group, GroupDraft
from hubbub.domain.users.model import check_metadata, encode_tags
from hubbub.kernel.pages import PageRequest, TimeCursor
from hubbub.kernel.text import SYSTEM_UID, fold, prefix_range, words
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import Query, Where, load_queries

SQL = load_queries(__package__)


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

    @property
    def is_every_group(self) -> bool:
        """Whether the total is the one that is kept."""
        is_filtered = self.search or self.types or self.tags or self.joined_only
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


async def list_groups(
    snapshot: Snapshot, wanted: GroupFilter, page: PageRequest
) -> tuple[list[Group], int]:
    """A page of groups, and how many there are in all."""
    where = _where(wanted)
    total = await _count(snapshot, wanted, where)
    cursor, offset = wanted.cursor, page.offset
    is_descending = wanted.is_descending or wanted.sort_by is None
    if cursor is not None:
        offset, is_descending = 0, cursor.is_before
        place = {"at": cursor.at, "cursor_guid": cursor.id}
        if cursor.is_before:
            where.add("(g.touched_at, g.guid) < (:at, :cursor_guid)", **place)
        else:
            where.add("(g.touched_at, g.guid) > (:at, :cursor_guid)", **place)
    query, _ = _queries(wanted)
    rows = await snapshot.fetch(
        where.narrow(query, order=_ORDERS[wanted.sort_by, is_descending]),
        limit=page.per_page,
        offset=offset,
        **where.args,
    )
    guids = [row[0] for row in rows]
    if cursor is not None and not cursor.is_before:
        guids.reverse()
    found = await find_groups(snapshot, guids)
    return [found[guid] for guid in guids], total


def _queries(wanted: GroupFilter) -> tuple[Query, Query]:
    """What finds the page, and what counts."""
    if wanted.viewer is None:
        return SQL.list_guids, SQL.count_guids
    if wanted.joined_only:
        return SQL.list_joined_guids, SQL.count_joined_guids
    return SQL.list_guids_for, SQL.count_guids_for


async def _count(snapshot: Snapshot, wanted: GroupFilter, where: Where) -> int:
    if wanted.is_every_group:
        row = await snapshot.fetch_one(SQL.count_all_groups)
    else:
        _, query = _queries(wanted)
        row = await snapshot.fetch_one(where.narrow(query), **where.args)
    return int(row[0]) if row else 0


def _where(wanted: GroupFilter) -> Where:
    where = Where()
    if wanted.viewer is not None:
        where.args["viewer"] = wanted.viewer
    if wanted.types:
        where.add("g.type = ANY(:types)", types=list(wanted.types))
    if wanted.tags:
        where.add(
            "g.guid IN (SELECT t.guid FROM group_tags t"
            " WHERE t.app_id = :app_id AND t.tag = ANY(:tags))",
            tags=list(wanted.tags),
        )
    if wanted.search:
        lower, upper = prefix_range(fold(wanted.search)[:100])
        where.add(
            "g.guid IN (SELECT w.guid FROM group_words w WHERE w.app_id = :app_id"
            " AND w.kind = ANY(:kinds) AND w.word >= :lower AND w.word < :upper)",
            kinds=list(wanted.search_in or ("name", "guid")),
            lower=lower,
            upper=upper,
        )
    return where


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


async def set_owner(tx: Transaction, guid: str, owner: str) -> None:
    """Give a group another owner."""
    await tx.run(SQL.set_owner, guid=guid, owner=owner)


async def set_permissions(tx: Transaction, guid: str, permissions: str | None) -> None:
    """Store the scope permissions of a group, as JSON text; None: none are set."""
    await tx.run(SQL.set_permissions, guid=guid, permissions=permissions)

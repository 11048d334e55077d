"""The tables `groups`, `group_words`, `group_tags`, `members`, `memberships` and `bans`."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from hubbub.domain.groups.model import ADMIN, MODERATOR, PARTICIPANT, Group, GroupDraft, Member
from hubbub.domain.users.model import check_metadata, encode_tags
from hubbub.kernel.text import SYSTEM_UID, words
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

SQL = load_queries(__package__)

Pair = tuple[str, str]
"""A group and a user: (guid, uid)."""


async def find_groups(snapshot: Snapshot, guids: Collection[str]) -> dict[str, Group]:
    """The groups of those guids by guid."""
    if not guids:
        return {}
    rows = await snapshot.fetch(SQL.find_groups, guids=list(guids))
    return {row[0]: Group(*row) for row in rows}


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
        icon=after.icon,
        description=after.description,
        metadata=after.metadata,
        tags=after.tags,
        updated_at=after.updated_at,
    )
    if before.name != after.name:
        await tx.run_many(SQL.delete_word, _words(before.guid, before.name))
        await tx.run_many(SQL.insert_word, _words(after.guid, after.name))
    if before.tags != after.tags:
        await tx.run_many(SQL.delete_tag, _tags(before))
        await tx.run_many(SQL.insert_tag, _tags(after))


def _tags(group: Group) -> list[dict[str, str]]:
    return [{"tag": tag, "guid": group.guid} for tag in group.tag_list]


async def find_members(snapshot: Snapshot, pairs: Iterable[Pair]) -> dict[Pair, Member]:
    """Those of the pairs that are memberships."""
    asked = [{"guid": guid, "uid": uid} for guid, uid in dict.fromkeys(pairs)]
    rows = await snapshot.fetch_many(SQL.find_member, asked)
    return {(row[0], row[1]): Member(*row) for row in rows}


async def find_bans(snapshot: Snapshot, pairs: Iterable[Pair]) -> set[Pair]:
    """Those of the pairs that are bans."""
    asked = [{"guid": guid, "uid": uid} for guid, uid in dict.fromkeys(pairs)]
    return {(row[0], row[1]) for row in await snapshot.fetch_many(SQL.find_ban, asked)}


async def count_groups_of(snapshot: Snapshot, uids: Collection[str]) -> dict[str, int]:
    """In how many groups each of the users is."""
    rows = await snapshot.fetch(SQL.count_groups_of, uids=list(uids))
    return {row[0]: row[1] for row in rows}


async def insert_members(tx: Transaction, members: Sequence[Member], from_event: int) -> None:
    """Let users be members; what the log says from `from_event` on is theirs to read."""
    rows = [
        {"guid": each.guid, "uid": each.uid, "scope": each.scope, "joined_at": each.joined_at}
        for each in members
    ]
    await tx.run_many(SQL.insert_member, rows)
    await tx.run_many(
        SQL.insert_membership,
        [{"guid": each.guid, "uid": each.uid, "from_event": from_event} for each in members],
    )
    counts = Counter(each.guid for each in members)
    await tx.run_many(
        SQL.add_members_count,
        [{"guid": guid, "change": count} for guid, count in counts.items()],
    )


async def insert_bans(tx: Transaction, members: Sequence[Member], now: int) -> None:
    """Keep users, who are not members, out of groups."""
    await tx.run_many(
        SQL.insert_ban,
        [
            {
                "guid": each.guid,
                "uid": each.uid,
                "scope": each.scope,
                "joined_at": each.joined_at,
                "banned_at": now,
            }
            for each in members
        ],
    )


async def end_all_memberships(tx: Transaction, uid: str, to_event: int) -> list[str]:
    """Take a user out of all his groups and bans; a group of his own is handed on."""
    for (guid,) in await tx.fetch(SQL.list_owned_groups, uid=uid):
        await tx.run(SQL.set_owner, guid=guid, owner=await _find_heir(tx, guid, uid))
    guids = [row[0] for row in await tx.fetch(SQL.list_groups_of, uid=uid)]
    pairs = [{"guid": guid, "uid": uid} for guid in guids]
    await tx.run_many(SQL.delete_member, pairs)
    await tx.run_many(SQL.end_memberships, [{**pair, "to_event": to_event} for pair in pairs])
    await tx.run_many(SQL.add_members_count, [{"guid": guid, "change": -1} for guid in guids])
    await tx.run(SQL.delete_bans_of, uid=uid)
    return guids


async def _find_heir(snapshot: Snapshot, guid: str, leaving: str) -> str:
    for scope in (ADMIN, MODERATOR, PARTICIPANT):
        row = await snapshot.fetch_one(SQL.list_heirs, guid=guid, scope=scope, leaving=leaving)
        if row is not None:
            return str(row[0])
    return SYSTEM_UID

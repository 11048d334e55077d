"""The tables `groups`, `group_words` and `group_tags`."""

from collections.abc import Collection, Mapping, Sequence

from hubbub.domain.groups.model import Group, GroupDraft
from hubbub.domain.users.model import check_metadata, encode_tags
from hubbub.kernel.text import SYSTEM_UID, words
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries

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

"""The tables `groups`, `group_words` and `group_tags`."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from hubbub.kernel.text import SYSTEM_UID, words
from hubbub.records.groups.model import Group, GroupDraft
from hubbub.records.users.model import check_metadata, encode_tags
from hubbub.storage.cached import CachedKind
from hubbub.storage.interface import Snapshot, Transaction
from hubbub.storage.queries import load_queries
from hubbub.storage.together import Asked

SQL = load_queries(__package__, group_columns=Group)


async def find_groups(snapshot: Snapshot, guids: Collection[str]) -> dict[str, Group]:
    """Return the groups with these guids, by guid."""
    return await _GROUPS.find(snapshot, guids, _fetch_groups)


_GROUPS = CachedKind[str, Group](SQL.find_groups)


def ask_groups(guids: Collection[str]) -> Asked:
    """Return what `find_groups` asks."""
    return Asked(SQL.find_groups, {"guids": list(guids)})


async def _fetch_groups(snapshot: Snapshot, guids: Collection[str]) -> dict[str, Group]:
    asked = ask_groups(guids)
    rows = await snapshot.fetch(asked.query, **asked.args)
    return {group.guid: group for group in (Group(*row) for row in rows)}


async def list_after_guid(snapshot: Snapshot, after: str, *, limit: int) -> list[Group]:
    """Return groups of an app in the order of guids, those after a guid."""
    rows = await snapshot.fetch(SQL.list_after_guid, after=after, limit=limit)
    return [Group(*row) for row in rows]


async def find_password_hashes(snapshot: Snapshot, guids: Collection[str]) -> dict[str, str]:
    """Return the password hashes of the groups that have one, by guid."""
    if not guids:
        return {}
    rows = await snapshot.fetch(SQL.find_password_hashes, guids=list(guids))
    return dict(map(tuple, rows))


async def insert_groups(
    tx: Transaction, drafts: Sequence[tuple[GroupDraft, int]], now: int
) -> None:
    """Insert new groups without members, each with the number of its conversation."""
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
    word_rows = [row for draft, _ in drafts for row in _words(draft.guid, draft.name)]
    await tx.run_many(SQL.insert_word, word_rows)
    tag_rows = [row for draft, _ in drafts for row in _tags(draft.guid, draft.tags)]
    await tx.run_many(SQL.insert_tag, tag_rows)


def _words(guid: str, name: str) -> list[dict[str, str]]:
    found = [{"kind": "name", "word": word, "guid": guid} for word in words(name)]
    return [*found, {"kind": "guid", "word": guid, "guid": guid}]


async def update_group(tx: Transaction, before: Group, after: Group) -> None:
    """Update a group and its search words and tags."""
    await tx.run_many(SQL.update_group, [after])
    if before.name != after.name:
        await tx.run_many(SQL.delete_word, _words(before.guid, before.name))
        await tx.run_many(SQL.insert_word, _words(after.guid, after.name))
    if before.tags != after.tags:
        await tx.run_many(SQL.delete_tag, _tags(before.guid, before.tag_list))
        await tx.run_many(SQL.insert_tag, _tags(after.guid, after.tag_list))


def _tags(guid: str, tags: Iterable[str]) -> list[dict[str, str]]:
    return [{"tag": tag, "guid": guid} for tag in tags]


async def set_password(tx: Transaction, guid: str, password_hash: str | None) -> None:
    """Set the password hash of a group; None removes it."""
    await tx.run(SQL.set_password, guid=guid, password_hash=password_hash)


async def delete_group(tx: Transaction, group: Group) -> None:
    """Delete a group and its search words and tags; the guid is free again."""
    await tx.run(SQL.delete_group, guid=group.guid)
    await tx.run_many(SQL.delete_word, _words(group.guid, group.name))
    await tx.run_many(SQL.delete_tag, _tags(group.guid, group.tag_list))


async def add_members_count(tx: Transaction, changes: Mapping[str, int]) -> None:
    """Add to the member counts of groups, by guid."""
    await tx.run_many(
        SQL.add_members_count,
        [{"guid": guid, "change": change} for guid, change in changes.items() if change],
    )


async def add_members_count_of(tx: Transaction, conversations: Sequence[int], change: int) -> None:
    """Add the same number to the member counts of many groups."""
    await tx.run(SQL.add_members_count_of, conversations=list(conversations), change=change)


async def list_owned_groups(snapshot: Snapshot, owner: str) -> list[Group]:
    """Return all groups of an owner: 2,000 at most, as owners are members of their groups."""
    return [Group(*row) for row in await snapshot.fetch(SQL.list_owned_groups, owner=owner)]


async def set_owners(tx: Transaction, groups: Iterable[Group]) -> None:
    """Update the owners of groups, with `updated_at` and `updated_by`."""
    await tx.run_many(SQL.set_owner, list(groups))


async def forget_editor(tx: Transaction, uid: str) -> None:
    """Set `updated_by` to the app in the groups that a user, who is erased, changed last."""
    await tx.run(SQL.forget_editor, uid=uid, by=SYSTEM_UID)


async def set_permissions(tx: Transaction, guid: str, permissions: str | None) -> None:
    """Set the scope permissions of a group, as JSON text; None removes them."""
    await tx.run(SQL.set_permissions, guid=guid, permissions=permissions)

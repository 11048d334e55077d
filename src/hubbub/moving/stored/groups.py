"""Stored groups and members as lines."""

from collections.abc import Collection, Sequence

import msgspec

from hubbub.moving.compare import key_of
from hubbub.moving.lines import GroupLine, MemberLine
from hubbub.records.groups import store
from hubbub.records.groups.model import PASSWORD, Group, scope_permissions_of
from hubbub.records.members import store as members_store
from hubbub.storage.interface import Snapshot

_decode = msgspec.json.Decoder(dict[str, object]).decode


async def find_groups(snapshot: Snapshot, lines: Sequence[GroupLine]) -> dict[str, GroupLine]:
    """Return the stored groups with the guids of the given ones, by guid."""
    found = await store.find_groups(snapshot, {line.guid for line in lines})
    lines_of = await group_lines(snapshot, list(found.values()))
    return {line.guid: line for line in lines_of}


async def group_lines(snapshot: Snapshot, groups: Collection[Group]) -> list[GroupLine]:
    """Return the lines of groups."""
    closed = [group.guid for group in groups if group.type == PASSWORD]
    hashes = await store.find_password_hashes(snapshot, closed) if closed else {}
    return [
        GroupLine(
            guid=group.guid,
            name=group.name,
            group_type=group.type,  # type: ignore[arg-type]  # checked when it was stored
            password_hash=hashes.get(group.guid),
            icon=group.icon,
            description=group.description,
            owner=group.owner,
            metadata=_decode(group.metadata) if group.metadata else None,
            tags=group.tag_list or None,
            permissions=scope_permissions_of(group.permissions) or None,
            created_at=group.created_at,
        )
        for group in groups
    ]


async def find_members(snapshot: Snapshot, lines: Sequence[MemberLine]) -> dict[str, MemberLine]:
    """Return those of the given members, and banned users, that are stored, by key."""
    groups = await store.find_groups(snapshot, {line.guid for line in lines})
    guids = {group.conversation: group.guid for group in groups.values()}
    pairs = [(groups[each.guid].conversation, each.uid) for each in lines if each.guid in groups]
    members = await members_store.find_members(snapshot, pairs)
    bans = await members_store.find_bans(snapshot, pairs)
    found = [
        *(
            member_line(guids[each.conversation], each.uid, each.scope, each.joined_at)
            for each in members.values()
        ),
        *(
            member_line(guids[ban.conversation], ban.uid, ban.scope, ban.joined_at, is_banned=True)
            for ban in bans.values()
        ),
    ]
    return {key_of(line): line for line in found}


def member_line(
    guid: str, uid: str, scope: str, joined_at: int | None, *, is_banned: bool = False
) -> MemberLine:
    """Return the line of a member, or of somebody who is banned."""
    return MemberLine(
        guid=guid,
        uid=uid,
        scope=scope,  # type: ignore[arg-type]  # checked when it was stored
        joined_at=joined_at,
        is_banned=is_banned,
    )

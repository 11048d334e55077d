"""Store the lines of groups and their members."""

from collections.abc import Sequence
from dataclasses import replace

from hubbub.domain.groups.create import create_groups
from hubbub.domain.imports.groups import update_imported_group
from hubbub.domain.members.enter import Entrant, enter_members
from hubbub.kernel.errors import Refusal
from hubbub.moving.apply.outcome import (
    IMPORTED,
    Conflicts,
    Outcome,
    Result,
    settle,
)
from hubbub.moving.lines import GroupLine, MemberLine
from hubbub.moving.stored.groups import find_groups, find_members
from hubbub.records.groups import store
from hubbub.records.groups.model import PASSWORD, GroupDraft, GuidAlreadyExists, GuidNotFound
from hubbub.records.groups.passwords import EmptyGroupPassword
from hubbub.records.members import store as members_store
from hubbub.records.members.model import AlreadyBanned, AlreadyJoined, Member
from hubbub.storage.interface import Transaction


async def apply_groups(
    tx: Transaction, lines: Sequence[GroupLine], conflicts: Conflicts, now: int
) -> list[Outcome]:
    """Store groups; return an outcome for each. Passwords are hashed already."""
    given = [line for line in lines if line.group_type != PASSWORD or line.password_hash]
    created = iter(await create_groups(tx, [_draft(line) for line in given], now, is_import=True))
    outcomes = [
        next(created) if line.group_type != PASSWORD or line.password_hash else EmptyGroupPassword()
        for line in lines
    ]
    return await settle(
        tx,
        lines,
        outcomes,
        conflicts,
        exists=(GuidAlreadyExists,),
        find=find_groups,
        update=_update_group,
        now=now,
    )


async def _update_group(tx: Transaction, line: GroupLine, now: int) -> Refusal | None:
    stored = (await store.find_groups(tx, [line.guid])).get(line.guid)
    if stored is None:
        return GuidNotFound(line.guid)
    changed = await update_imported_group(tx, stored, _draft(line), now)
    return changed if isinstance(changed, Refusal) else None


def _draft(line: GroupLine) -> GroupDraft:
    return GroupDraft(
        guid=line.guid,
        name=line.name,
        type=line.group_type,
        password_hash=line.password_hash if line.group_type == PASSWORD else None,
        icon=line.icon,
        description=line.description,
        owner=line.owner,
        metadata=line.metadata,
        tags=tuple(line.tags or ()),
        created_at=line.created_at,
    )


async def apply_members(
    tx: Transaction, lines: Sequence[MemberLine], conflicts: Conflicts, now: int
) -> list[Outcome]:
    """Store members and bans; return an outcome for each.

    The owner of a group became a member with it: their line says since when, and as what.
    """
    entrants = [
        Entrant(line.guid, line.uid, line.scope, joined_at=line.joined_at, is_banned=line.is_banned)
        for line in lines
    ]
    outcomes = await enter_members(tx, entrants, now)
    settled = await settle(
        tx,
        lines,
        outcomes,
        conflicts,
        exists=(AlreadyJoined, AlreadyBanned),
        find=find_members,
        update=_update_member,
        now=now,
    )
    groups = await store.find_groups(tx, {line.guid for line in lines})
    for place, line in enumerate(lines):
        is_of_owner = line.guid in groups and groups[line.guid].owner == line.uid
        if is_of_owner and settled[place].result is Result.REFUSED:
            refusal = outcomes[place]
            if isinstance(refusal, AlreadyJoined) and conflicts is not Conflicts.ERROR:
                await _update_member(tx, line, now)
                settled[place] = IMPORTED
    return settled


async def _update_member(tx: Transaction, line: MemberLine, now: int) -> Refusal | None:
    group = (await store.find_groups(tx, [line.guid])).get(line.guid)
    if group is None:
        return GuidNotFound(line.guid)
    if line.is_banned:
        return None
    member = Member(group.conversation, line.uid, line.scope, line.joined_at or now)
    stored = await members_store.find_member(tx, group.conversation, line.uid)
    if stored is not None and line.joined_at is None:
        member = replace(member, joined_at=stored.joined_at)
    await members_store.set_scope(tx, [member.pair], line.scope)
    await members_store.set_joined_at(tx, member)
    return None

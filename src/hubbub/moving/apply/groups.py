"""Store the lines of groups and their members."""

from collections.abc import Sequence
from dataclasses import replace

from hubbub.domain.groups.create import create_groups
from hubbub.domain.imports.groups import update_imported_group
from hubbub.domain.members.enter import Entrant, enter_members
from hubbub.domain.roles.permissions import SCOPE_PERMISSIONS, check_values
from hubbub.kernel.errors import BadInput, Refusal
from hubbub.moving.apply.outcome import (
    IMPORTED,
    Conflicts,
    LineOutcome,
    LineResult,
    settle,
)
from hubbub.moving.lines import GroupLine, MemberLine
from hubbub.moving.stored.groups import find_groups, find_members
from hubbub.records.groups import store
from hubbub.records.groups.model import PASSWORD, GroupDraft, GuidAlreadyExists, GuidNotFound
from hubbub.records.groups.passwords import EmptyGroupPassword, NotAHash, check_hash
from hubbub.records.members import store as members_store
from hubbub.records.members.model import SCOPES, AlreadyBanned, AlreadyJoined, Member
from hubbub.records.roles.model import rules_text
from hubbub.storage.interface import Transaction


async def apply_groups(
    tx: Transaction, lines: Sequence[GroupLine], conflicts: Conflicts, now: int
) -> list[LineOutcome]:
    """Store groups; return an outcome for each. Passwords are hashed already."""
    refusals = [_refuse(line) for line in lines]
    given = [line for line, refusal in zip(lines, refusals, strict=True) if refusal is None]
    created = iter(await create_groups(tx, [_draft(line) for line in given], now, is_import=True))
    outcomes = [next(created) if refusal is None else refusal for refusal in refusals]
    for line, outcome in zip(lines, outcomes, strict=True):
        if line.permissions and not isinstance(outcome, Refusal):
            await store.set_permissions(tx, line.guid, rules_text(line.permissions))
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


def _refuse(line: GroupLine) -> Refusal | None:
    """Return why a group can't be, whatever is stored, or None."""
    if line.group_type == PASSWORD and not line.password_hash:
        return EmptyGroupPassword()
    if line.group_type == PASSWORD and line.password_hash:
        try:
            check_hash(line.password_hash)
        except NotAHash as fault:
            return fault
    for scope, values in (line.permissions or {}).items():
        if scope not in SCOPES:
            return BadInput.field("permissions", f"There is no scope {scope}.")
        for refusal in check_values(SCOPE_PERMISSIONS, values).refusals.values():
            return refusal
    return None


async def _update_group(tx: Transaction, line: GroupLine, now: int) -> Refusal | None:
    stored = (await store.find_groups(tx, [line.guid])).get(line.guid)
    if stored is None:
        return GuidNotFound(line.guid)
    changed = await update_imported_group(tx, stored, _draft(line), now)
    if isinstance(changed, Refusal):
        return changed
    if line.permissions is not None:
        await store.set_permissions(tx, line.guid, rules_text(line.permissions))
    return None


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
) -> list[LineOutcome]:
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
        if is_of_owner and settled[place].result is LineResult.REFUSED:
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

"""Change a group: its profile, type, password and owner."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.groups import Standing, access_group_to_moderate
from hubbub.domain.access.people import access_actor, access_user
from hubbub.domain.access.permissions import refuse_kind
from hubbub.domain.members.enter import Entrant, enter_members
from hubbub.domain.members.own import transfer_ownership
from hubbub.kernel.errors import Refusal
from hubbub.kernel.passwords import hash_password
from hubbub.kernel.text import SYSTEM_UID
from hubbub.outbox import lock_counters
from hubbub.records.groups import store
from hubbub.records.groups.events import GroupUpdated
from hubbub.records.groups.model import PASSWORD, Group
from hubbub.records.groups.passwords import EmptyGroupPassword
from hubbub.records.members.model import ADMIN, Member, NoClearance, NotAMember
from hubbub.records.members.store import find_member
from hubbub.records.users.model import check_metadata, encode_tags
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


@dataclass(frozen=True, slots=True)
class GroupChange:
    """New values; None keeps a field, and `unset` names fields to clear."""

    name: str | None = None
    type: str | None = None
    password: str | None = None
    icon: str | None = None
    description: str | None = None
    metadata: dict[str, Any] | None = None
    tags: Sequence[str] | None = None
    unset: Sequence[str] = ()
    owner: str | None = None

    @property
    def is_of_profile(self) -> bool:
        """True if anything but the owner changes."""
        return replace(self, owner=None) != GroupChange()


async def update_group(
    runtime: Runtime, app_id: str, actor: Actor, guid: str, change: GroupChange
) -> tuple[Group, Member | None]:
    """Change a group; return it and the membership of the acting user.

    Raises:
        UidNotFound: the acting user or the new owner does not exist or is deactivated.
        FeatureRestricted: the role of the acting user forbids it.
        GuidNotFound, BannedMember, GroupNotJoined, NoModeratorScope: the acting user may not do
            this in the group.
        RoleForbids: the role of the acting user forbids groups of the new type.
        NoClearance: a user who does not own the group changes the owner.
        NotAMember: a user makes someone the owner who is not a member.
        EmptyGroupPassword: the type is `password` and there is no password.
        BadInput: the metadata is too large.
    """
    password = change.password
    hash_ = None
    if password:
        hash_ = await runtime.threads.run(app_id, lambda: hash_password(password), user=actor.uid)

    async def within(tx: Transaction) -> tuple[Group, Member | None]:
        await lock_counters(tx)
        person = await access_actor(tx, actor)
        standing = await access_group_to_moderate(tx, person, guid)
        group, now = standing.group, runtime.clock.now()
        if change.is_of_profile:
            _check_type(standing, change)
            group = await _change_profile(tx, standing, change, hash_, now)
        if change.owner is not None and change.owner != group.owner:
            await _change_owner(tx, replace(standing, group=group), change.owner, now)
        group = (await store.find_groups(tx, [guid]))[guid]
        return group, await find_member(tx, group.conversation, person.user.uid)

    return await runtime.database.write(app_id, within)


def _check_type(standing: Standing, change: GroupChange) -> None:
    """Check that the role may create groups of the new type."""
    if change.type in (None, standing.group.type):
        return
    rules = standing.person.rules
    refusal = refuse_kind(rules, "createGroup.allowedGroupTypes", change.type)
    if refusal is not None:
        raise refusal


async def _change_profile(
    tx: Transaction, standing: Standing, change: GroupChange, hash_: str | None, now: int
) -> Group:
    before = standing.group
    after = replace(_apply_change(before, change), updated_at=now, updated_by=standing.uid)
    if after.type != PASSWORD:
        hash_ = None
    elif change.password == "" or (before.type != PASSWORD and hash_ is None):
        raise EmptyGroupPassword
    if hash_ is not None or after.type != PASSWORD:
        await store.set_password(tx, after.guid, hash_)
    await store.update_group(tx, before, after)
    tx.announce(GroupUpdated(after.guid, after.conversation, standing.uid, now))
    return after


def _apply_change(group: Group, change: GroupChange) -> Group:
    values: dict[str, Any] = {
        "name": change.name,
        "type": change.type,
        "icon": change.icon,
        "description": change.description,
        "metadata": check_metadata(change.metadata),
        "tags": None if change.tags is None else encode_tags(change.tags),
    }
    changes = {name: value for name, value in values.items() if value is not None}
    changes.update(dict.fromkeys(change.unset))
    return replace(group, **changes)


async def _change_owner(tx: Transaction, standing: Standing, owner: str, now: int) -> None:
    group = standing.group
    if not standing.is_app and standing.uid != group.owner:
        raise NoClearance(standing.uid, group.owner, group.guid)
    if owner != SYSTEM_UID:
        await _access_new_owner(tx, standing, owner, now)
    elif not standing.is_app:
        raise NotAMember(owner, group.guid)
    await transfer_ownership(tx, group, owner, standing.uid, now)


async def _access_new_owner(tx: Transaction, standing: Standing, owner: str, now: int) -> None:
    """Check that the new owner is a member; for the app, make any active user a member."""
    group = standing.group
    await access_user(tx, owner)
    if await find_member(tx, group.conversation, owner) is not None:
        return
    if not standing.is_app:
        raise NotAMember(owner, group.guid)
    entry = Entrant(group.guid, owner, ADMIN, by=standing.uid)
    (outcome,) = await enter_members(tx, [entry], now)
    if isinstance(outcome, Refusal):
        raise outcome

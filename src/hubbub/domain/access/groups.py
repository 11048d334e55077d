"""Access checks of groups: who may see one, take part in it, moderate it, administer it.

A group that the caller may not see is answered as if it did not exist. The order of the checks:
existence, privacy, membership, ban, scope, scope permissions, ownership.
"""

from dataclasses import dataclass

from hubbub.domain.access.permissions import refuse_scope
from hubbub.kernel.errors import Refusal
from hubbub.records.groups.model import PRIVATE, Group, GuidNotFound
from hubbub.records.groups.store import find_groups
from hubbub.records.members.model import (
    ADMIN,
    MODERATOR,
    PARTICIPANT,
    RANK,
    BannedMember,
    GroupNotJoined,
    Member,
    NoAdminScope,
    NoClearance,
    NoModeratorScope,
    NoScopeClearance,
    NoSelfAction,
)
from hubbub.records.members.store import find_ban, find_member
from hubbub.records.users.model import THE_APP, Person
from hubbub.storage.interface import Snapshot


@dataclass(frozen=True, slots=True)
class Standing:
    """A group that a person may see, and their membership; the app itself is no member."""

    group: Group
    person: Person
    member: Member | None = None

    @property
    def is_app(self) -> bool:
        """Return whether the app itself acts, which may do everything."""
        return self.person is THE_APP

    @property
    def uid(self) -> str:
        return self.person.user.uid

    @property
    def rank(self) -> int:
        """Return the rank of the acting person: the app is above all, non-members are below all."""
        if self.is_app:
            return RANK[ADMIN] + 1
        return 0 if self.member is None else self.member.rank


async def access_group(snapshot: Snapshot, person: Person, guid: str) -> Standing:
    """Return a group that the person may see, and their membership.

    Raises:
        GuidNotFound: there is no such group, or it is private and the person is not a member.
    """
    group = (await find_groups(snapshot, [guid])).get(guid)
    if group is None:
        raise GuidNotFound(guid)
    if person is THE_APP:
        return Standing(group, person)
    member = await find_member(snapshot, group.conversation, person.user.uid)
    if member is None and group.type == PRIVATE:
        raise GuidNotFound(guid)
    return Standing(group, person, member)


async def access_group_to_take_part(
    snapshot: Snapshot, person: Person, guid: str, permission: str | None = None
) -> Standing:
    """Return a group that the person is a member of, and whose scopes may use `permission`.

    Raises:
        GuidNotFound: the person may not see the group.
        BannedMember, GroupNotJoined: the person may see it and is not a member.
        ScopeForbids: `permission` is denied to the person's scope.
    """
    standing = await access_group(snapshot, person, guid)
    if standing.is_app:
        return standing
    if standing.member is None:
        if await find_ban(snapshot, standing.group.conversation, standing.uid):
            raise BannedMember(standing.uid, guid)
        raise GroupNotJoined(standing.uid, guid)
    if permission is not None:
        refusal = refuse_scope(standing.group, standing.member.scope, permission)
        if refusal is not None:
            raise refusal
    return standing


async def access_group_to_moderate(snapshot: Snapshot, person: Person, guid: str) -> Standing:
    """Return a group that the person moderates or administers.

    Raises:
        GuidNotFound, BannedMember, GroupNotJoined: as in `access_group_to_take_part`.
        NoModeratorScope: the person is a participant only.
    """
    standing = await access_group_to_take_part(snapshot, person, guid)
    if standing.rank < RANK[MODERATOR]:
        raise NoModeratorScope(standing.uid, guid)
    return standing


async def access_group_to_administer(snapshot: Snapshot, person: Person, guid: str) -> Standing:
    """Return a group that the person administers.

    Raises:
        GuidNotFound, BannedMember, GroupNotJoined: as in `access_group_to_take_part`.
        NoAdminScope: the person is not an admin.
    """
    standing = await access_group_to_take_part(snapshot, person, guid)
    if standing.rank < RANK[ADMIN]:
        raise NoAdminScope(standing.uid, guid)
    return standing


def refuse_removal_by_participant(standing: Standing, uid: str) -> Refusal | None:
    """Return a refusal if the acting person is a participant, who may act on no other member."""
    is_low = standing.rank < RANK[MODERATOR]
    return NoClearance(standing.uid, uid, standing.group.guid) if is_low else None


def refuse_removal(standing: Standing, member: Member) -> Refusal | None:
    """Return why the acting person may not kick or ban a member, or None; owners stay."""
    if standing.is_app:
        return None
    is_owner = member.uid == standing.group.owner
    is_above = standing.rank == RANK[ADMIN] or standing.rank > max(member.rank, RANK[PARTICIPANT])
    if is_owner or not is_above:
        return NoClearance(standing.uid, member.uid, standing.group.guid)
    return None


def refuse_rescoping_by_participant(standing: Standing, uid: str) -> Refusal | None:
    """Return why the acting person may not change the scope of any `uid`, or None."""
    if standing.is_app:
        return None
    if uid == standing.uid:
        return NoSelfAction(uid)
    if standing.rank < RANK[MODERATOR]:
        return NoScopeClearance(standing.uid, uid, standing.group.guid)
    return None


def refuse_rescoping(standing: Standing, member: Member, scope: str) -> Refusal | None:
    """Return why the acting person may not give a member a scope, or None."""
    if standing.is_app:
        return None
    guid = standing.group.guid
    if standing.rank < max(member.rank, RANK[scope]):
        return NoScopeClearance(standing.uid, member.uid, guid)
    if member.uid == standing.group.owner and scope != member.scope:
        return NoClearance(standing.uid, member.uid, guid)
    return None

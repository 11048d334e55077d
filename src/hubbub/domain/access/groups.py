"""The door to groups and their members: who may see one, take part in it, moderate it, run it.

A group that may not be seen is answered as if it did not exist. The order: does it exist, is it
private, membership, ban, scope, scope permissions, ownership.
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
    """A group that somebody may see, and what he is in it; the app itself is no member."""

    group: Group
    person: Person
    member: Member | None = None

    @property
    def is_app(self) -> bool:
        """Whether the app itself acts, which may do everything."""
        return self.person is THE_APP

    @property
    def uid(self) -> str:
        return self.person.user.uid

    @property
    def rank(self) -> int:
        """How high whoever acts stands: the app above all, who is no member below all."""
        if self.is_app:
            return RANK[ADMIN] + 1
        return 0 if self.member is None else self.member.rank


async def access_group(snapshot: Snapshot, person: Person, guid: str) -> Standing:
    """The group, for whoever may see that it is there.

    Raises:
        GuidNotFound: there is none, or it is private and he is no member.
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
    """The group, for its members, if no scope permission keeps them from what they do.

    Raises:
        GuidNotFound: he may not see it.
        BannedMember, GroupNotJoined: he sees it and is no member.
        ScopeForbids: `permission` is denied to his scope.
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
    """The group, for its moderators and admins.

    Raises:
        GuidNotFound, BannedMember, GroupNotJoined: as in `access_group_to_take_part`.
        NoModeratorScope: he is a participant only.
    """
    standing = await access_group_to_take_part(snapshot, person, guid)
    if standing.rank < RANK[MODERATOR]:
        raise NoModeratorScope(standing.uid, guid)
    return standing


async def access_group_to_administer(snapshot: Snapshot, person: Person, guid: str) -> Standing:
    """The group, for its admins.

    Raises:
        GuidNotFound, BannedMember, GroupNotJoined: as in `access_group_to_take_part`.
        NoAdminScope: he is none.
    """
    standing = await access_group_to_take_part(snapshot, person, guid)
    if standing.rank < RANK[ADMIN]:
        raise NoAdminScope(standing.uid, guid)
    return standing


def refuse_participant(standing: Standing, uid: str) -> Refusal | None:
    """Why whoever acts may act on no member, be `uid` one or not, if so: he is a participant."""
    is_low = standing.rank < RANK[MODERATOR]
    return NoClearance(standing.uid, uid, standing.group.guid) if is_low else None


def refuse_clearance(standing: Standing, member: Member) -> Refusal | None:
    """Why whoever acts may not kick or ban this member, if so: the owner is nobody's to remove."""
    if standing.is_app:
        return None
    is_owner = member.uid == standing.group.owner
    is_above = standing.rank == RANK[ADMIN] or standing.rank > max(member.rank, RANK[PARTICIPANT])
    if is_owner or not is_above:
        return NoClearance(standing.uid, member.uid, standing.group.guid)
    return None


def refuse_participant_rescoping(standing: Standing, uid: str) -> Refusal | None:
    """Why whoever acts may give nobody another scope, be `uid` a member or not, if so."""
    if standing.is_app:
        return None
    if uid == standing.uid:
        return NoSelfAction(uid)
    if standing.rank < RANK[MODERATOR]:
        return NoScopeClearance(standing.uid, uid, standing.group.guid)
    return None


def refuse_rescoping(standing: Standing, member: Member, scope: str) -> Refusal | None:
    """Why whoever acts may not give this member that scope, if so."""
    if standing.is_app:
        return None
    guid = standing.group.guid
    if standing.rank < max(member.rank, RANK[scope]):
        return NoScopeClearance(standing.uid, member.uid, guid)
    if member.uid == standing.group.owner and scope != member.scope:
        return NoClearance(standing.uid, member.uid, guid)
    return None

"""Change the scope of a member."""

from dataclasses import replace

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.groups import (
    access_group_to_take_part,
    refuse_rescoping,
    refuse_rescoping_by_participant,
)
from hubbub.domain.access.people import access_actor
from hubbub.domain.members.own import rescope, transfer_to_heir
from hubbub.domain.members.remove import access_member
from hubbub.outbox import lock_counters
from hubbub.records.members.model import ADMIN, Member, SameScope
from hubbub.runtime import Runtime
from hubbub.storage.interface import Transaction


async def change_scope(
    runtime: Runtime, app_id: str, actor: Actor, guid: str, uid: str, scope: str
) -> Member:
    """Change a member's scope; an owner whom the app demotes loses the ownership.

    Raises:
        UidNotFound: the acting user, or `uid`, does not exist or is deactivated.
        FeatureRestricted: the role of the acting user forbids it.
        GuidNotFound, BannedMember, GroupNotJoined: the acting user is not a member.
        NotAMember: `uid` is not a member.
        NoSelfAction, NoScopeClearance, NoClearance: the acting user may not change this scope.
        SameScope: the member already has the scope.
    """

    async def within(tx: Transaction) -> Member:
        await lock_counters(tx)
        standing = await access_group_to_take_part(tx, await access_actor(tx, actor), guid)
        group = standing.group
        refusal = refuse_rescoping_by_participant(standing, uid)
        if refusal is not None:
            raise refusal
        member = await access_member(tx, group, uid)
        refusal = refuse_rescoping(standing, member, scope)
        if refusal is not None:
            raise refusal
        if member.scope == scope:
            raise SameScope(uid, scope)
        now = runtime.clock.now()
        await rescope(tx, group, member, scope, standing.uid, now)
        if uid == group.owner and scope != ADMIN:
            await transfer_to_heir(tx, group, standing.uid, now)
        return replace(member, scope=scope)

    return await runtime.database.write(app_id, within)

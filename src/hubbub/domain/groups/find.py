"""Find groups: one by guid, or a page of a list."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.groups import access_group
from hubbub.domain.access.people import access_actor
from hubbub.domain.access.permissions import check_verb
from hubbub.kernel.pages import Page, PageRequest, next_cursor
from hubbub.records.groups import listing
from hubbub.records.groups.listing import GroupFilter
from hubbub.records.groups.model import Group
from hubbub.records.members.model import Member
from hubbub.records.members.store import find_memberships_of
from hubbub.records.roles.model import RoleRules
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot

NO_TYPE = "-"
"""No group has this type: it stands for an empty choice."""


@dataclass(frozen=True, slots=True)
class GroupView:
    """A group and the viewer's membership, if any."""

    group: Group
    member: Member | None


async def get_group(runtime: Runtime, app_id: str, actor: Actor, guid: str) -> GroupView:
    """Return the group with a guid.

    Raises:
        UidNotFound, FeatureRestricted: the acting user does not exist, or their role forbids
            it.
        GuidNotFound: the group does not exist, or the acting user may not see it.
    """

    async def within(snapshot: Snapshot) -> GroupView:
        standing = await access_group(snapshot, await access_actor(snapshot, actor), guid)
        return GroupView(standing.group, standing.member)

    return await runtime.database.read(app_id, within, user=actor.uid)


async def list_groups(
    runtime: Runtime, app_id: str, actor: Actor, wanted: GroupFilter, request: PageRequest
) -> Page[GroupView]:
    """Return a page of the groups that `wanted` describes and the acting user may see.

    Raises:
        UidNotFound, FeatureRestricted, RoleForbids: the acting user does not exist, or their
            role forbids it.
    """

    async def within(snapshot: Snapshot) -> Page[GroupView]:
        rules = (await access_actor(snapshot, actor)).rules
        check_verb(rules, "listGroups")
        scoped = replace(wanted, viewer=actor.uid, types=allowed_types(rules, wanted.types))
        groups, total = await listing.list_groups(snapshot, scoped, request)
        members = {}
        if actor.uid is not None:
            numbers = [group.conversation for group in groups]
            members = await find_memberships_of(snapshot, actor.uid, numbers)
        views = [GroupView(group, members.get(group.conversation)) for group in groups]
        positions = [] if wanted.sort_by else [(group.touched_at, group.guid) for group in groups]
        return Page(views, total, request, next_cursor(positions, wanted.cursor))

    return await runtime.database.read(app_id, within, user=actor.uid)


def allowed_types(rules: RoleRules, wanted: Sequence[str]) -> list[str]:
    """Return the types asked for that the role may list; empty: all."""
    allowed = rules.listed("listGroups.allowedGroupTypes")
    if not allowed:
        return list(wanted)
    return sorted(allowed & set(wanted) if wanted else allowed) or [NO_TYPE]

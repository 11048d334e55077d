"""Find groups: one by guid, or a page of a list."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.groups import access_group
from hubbub.domain.access.people import access_actor
from hubbub.domain.access.permissions import refuse_verb
from hubbub.kernel.pages import Page, PageRequest, next_cursor
from hubbub.records.groups import store
from hubbub.records.groups.model import Group
from hubbub.records.groups.store import GroupFilter
from hubbub.records.members.model import Member
from hubbub.records.members.store import find_memberships_of
from hubbub.records.roles.model import RoleRules
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot

NO_TYPE = "-"
"""What no group's type is: it stands for an empty choice."""


@dataclass(frozen=True, slots=True)
class GroupView:
    """A group, and what the viewer is in it."""

    group: Group
    member: Member | None


async def get_group(runtime: Runtime, app_id: str, actor: Actor, guid: str) -> GroupView:
    """The group of that guid.

    Raises:
        UidNotFound, FeatureRestricted: the acting user does not exist, or his role may not.
        GuidNotFound: there is no such group, or none that he may see.
    """

    async def within(snapshot: Snapshot) -> GroupView:
        standing = await access_group(snapshot, await access_actor(snapshot, actor), guid)
        return GroupView(standing.group, standing.member)

    return await runtime.database.read(app_id, within)


async def list_groups(
    runtime: Runtime, app_id: str, actor: Actor, wanted: GroupFilter, request: PageRequest
) -> Page[GroupView]:
    """A page of the groups that `wanted` describes, of those that the acting user may see.

    Raises:
        UidNotFound, FeatureRestricted, RoleForbids: the acting user does not exist, or his role
            may not.
    """

    async def within(snapshot: Snapshot) -> Page[GroupView]:
        rules = (await access_actor(snapshot, actor)).rules
        refusal = refuse_verb(rules, "listGroups")
        if refusal is not None:
            raise refusal
        scoped = replace(wanted, viewer=actor.uid, types=allowed_types(rules, wanted.types))
        groups, total = await store.list_groups(snapshot, scoped, request)
        members = {}
        if actor.uid is not None:
            numbers = [group.conversation for group in groups]
            members = await find_memberships_of(snapshot, actor.uid, numbers)
        seen = [GroupView(group, members.get(group.conversation)) for group in groups]
        places = [] if wanted.sort_by else [(group.touched_at, group.guid) for group in groups]
        return Page(seen, total, request, next_cursor(places, wanted.cursor))

    return await runtime.database.read(app_id, within)


def allowed_types(rules: RoleRules, wanted: Sequence[str]) -> list[str]:
    """The types that are asked for, as far as the role may list them; empty: all."""
    allowed = rules.listed("listGroups.allowedGroupTypes")
    if not allowed:
        return list(wanted)
    return sorted(allowed & set(wanted) if wanted else allowed) or [NO_TYPE]

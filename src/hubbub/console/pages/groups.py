"""The groups of an app, and one of them: its members, their scopes, its bans."""

from typing import Annotated, Literal

import msgspec

from hubbub.console import page
from hubbub.console.page import MODERATORS, ChangeMade, PageForm, PageShown, show
from hubbub.console.visit import Visit
from hubbub.domain.access.actor import APP
from hubbub.domain.groups import delete, find
from hubbub.domain.members import ban, kick, rescope
from hubbub.domain.members.find import list_bans, list_members
from hubbub.kernel.pages import PageRequest
from hubbub.records.conversations.model import conversation_id, group_key
from hubbub.records.groups.listing import GroupFilter
from hubbub.records.members.model import SCOPES
from hubbub.records.members.store import MemberFilter

GROUPS = "/apps/{app}/groups"
GROUP = GROUPS + "/{guid}"
PER_PAGE = 50
MOST_BANS = 100
Text = Annotated[str, msgspec.Meta(max_length=100)]
PageNumber = Annotated[int, msgspec.Meta(ge=1, le=100_000)]
Scope = Literal["admin", "moderator", "participant"]


class GroupsQuery(PageForm):
    """Which groups are wanted."""

    search: Text = ""
    type: Literal["public", "private", "password"] | None = None
    page: PageNumber = 1


class MembersQuery(PageForm):
    """Which members of the group are wanted."""

    scope: Scope | None = None
    page: PageNumber = 1


class NewScope(PageForm):
    """The scope that a member is to have."""

    scope: Scope


class TypedGuid(PageForm):
    """The guid once more, so that nobody deletes a group by a slip."""

    guid: Annotated[str, msgspec.Meta(max_length=200)]


@page.get(GROUPS, title="Groups", roles=MODERATORS)
async def list_groups(visit: Visit, app: str, query: GroupsQuery) -> PageShown:
    """List the groups of an app, the latest changed first."""
    wanted = GroupFilter(search=query.search, types=[query.type] if query.type else [])
    request = PageRequest(query.page, PER_PAGE)
    found = await find.list_groups(visit.runtime, app, APP, wanted, request)
    given = {"search": query.search, "type": query.type or ""}
    given = {name: text for name, text in given.items() if text}
    groups = [each.group for each in found.items]
    return show("groups.html", groups=groups, page=found, query=query, given=given)


@page.get(GROUP, title="Group", roles=MODERATORS)
async def show_group(visit: Visit, app: str, guid: str, query: MembersQuery) -> PageShown:
    """Show a group, its members and its bans."""
    group = (await find.get_group(visit.runtime, app, APP, guid)).group
    await visit.look("group.show", group.guid)
    wanted = MemberFilter(scopes=[query.scope] if query.scope else [])
    request = PageRequest(query.page, PER_PAGE)
    members = await list_members(visit.runtime, app, APP, group.guid, wanted, request)
    bans = await list_bans(visit.runtime, app, APP, group.guid, PageRequest(1, MOST_BANS), None)
    return show(
        "group.html",
        title=group.name,
        group=group,
        metadata=msgspec.json.decode(group.metadata) if group.metadata else None,
        conversation=conversation_id(group_key(group.guid)),
        members=members,
        bans=bans,
        scopes=SCOPES,
        query=query,
        given={"scope": query.scope} if query.scope else {},
    )


@page.post(GROUP + "/delete", roles=MODERATORS, back=GROUP)
async def delete_group(visit: Visit, app: str, guid: str, form: TypedGuid) -> ChangeMade:
    """Delete a group with its messages."""
    if form.guid != guid:
        raise page.NotConfirmed("guid", guid)
    await visit.change(
        "group.delete", guid, lambda runtime: delete.delete_group(runtime, app, APP, guid)
    )
    return ChangeMade(
        f"The group {guid} is deleted. Its messages are erased now.", to=f"/apps/{app}/groups"
    )


@page.post(GROUP + "/members/{uid}/scope", roles=MODERATORS, back=GROUP)
async def change_scope(visit: Visit, app: str, guid: str, uid: str, form: NewScope) -> ChangeMade:
    """Change the scope of a member."""
    await visit.change(
        "member.scope",
        f"{guid}/{uid}",
        lambda runtime: rescope.change_scope(runtime, app, APP, guid, uid, form.scope),
        after={"scope": form.scope},
    )
    return ChangeMade(f"{uid} is {form.scope} of the group now.")


@page.post(GROUP + "/members/{uid}/kick", roles=MODERATORS, back=GROUP)
async def kick_member(visit: Visit, app: str, guid: str, uid: str) -> ChangeMade:
    """Remove a member, who may join again."""
    await visit.change(
        "member.kick",
        f"{guid}/{uid}",
        lambda runtime: kick.kick_member(runtime, app, APP, guid, uid),
    )
    return ChangeMade(f"{uid} is no member any more, and may join again.")


@page.post(GROUP + "/members/{uid}/ban", roles=MODERATORS, back=GROUP)
async def ban_member(visit: Visit, app: str, guid: str, uid: str) -> ChangeMade:
    """Ban a user from a group."""
    await visit.change(
        "member.ban", f"{guid}/{uid}", lambda runtime: ban.ban_user(runtime, app, APP, guid, uid)
    )
    return ChangeMade(f"{uid} is banned from the group.")


@page.post(GROUP + "/bans/{uid}/lift", roles=MODERATORS, back=GROUP)
async def lift_ban(visit: Visit, app: str, guid: str, uid: str) -> ChangeMade:
    """Lift the ban of a user, who may join again."""
    await visit.change(
        "member.unban",
        f"{guid}/{uid}",
        lambda runtime: ban.unban_user(runtime, app, APP, guid, uid),
    )
    return ChangeMade(f"{uid} may join the group again.")

"""List the members of a group, and the users who are banned from it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.groups import (
    Standing,
    access_group_to_moderate,
    access_group_to_take_part,
)
from hubbub.domain.access.people import access_actor
from hubbub.domain.access.permissions import scopes_shown
from hubbub.domain.views.users import UserView, view_users
from hubbub.kernel.pages import Page, PageRequest, TimeCursor, next_cursor
from hubbub.records.members import store
from hubbub.records.members.model import Ban, Member
from hubbub.records.members.store import MemberFilter
from hubbub.records.users.store import find_users
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot

NO_SCOPE = "-"
"""No member has this scope: it stands for an empty choice."""


@dataclass(frozen=True, slots=True)
class MemberView:
    """A member with the view of the user."""

    member: Member
    user: UserView


@dataclass(frozen=True, slots=True)
class BanView:
    """A ban with the view of the user."""

    ban: Ban
    user: UserView


async def list_members(
    runtime: Runtime,
    app_id: str,
    actor: Actor,
    guid: str,
    wanted: MemberFilter,
    request: PageRequest,
) -> Page[MemberView]:
    """Return a page of a group's members, newest first; deactivated users remain members.

    Raises:
        UidNotFound, FeatureRestricted: the acting user does not exist, or their role forbids
            it.
        GuidNotFound, BannedMember, GroupNotJoined, ScopeForbids: the acting user may not list
            the members of the group.
    """

    async def within(snapshot: Snapshot) -> Page[MemberView]:
        person = await access_actor(snapshot, actor)
        standing = await access_group_to_take_part(snapshot, person, guid, "listMembers")
        group = standing.group
        scopes = _allowed_scopes(standing, wanted.scopes)
        scoped = replace(wanted, conversation=group.conversation, scopes=scopes)
        size = group.members_count
        members, total = await store.list_members(snapshot, scoped, request, size)
        users = await _view_by_uid(snapshot, actor, [each.uid for each in members])
        views = [MemberView(each, users[each.uid]) for each in members if each.uid in users]
        positions = [(each.joined_at, each.uid) for each in members]
        return Page(views, total, request, next_cursor(positions, wanted.cursor))

    return await runtime.database.read(app_id, within, user=actor.uid)


def _allowed_scopes(standing: Standing, wanted: Sequence[str]) -> list[str]:
    """Return the scopes asked for that the member may list; empty: all."""
    if standing.member is None:
        return list(wanted)
    shown = scopes_shown(standing.group, standing.member.scope, "listMembers.allowedScopes")
    if not shown:
        return list(wanted)
    return sorted(shown & set(wanted) if wanted else shown) or [NO_SCOPE]


async def list_bans(
    runtime: Runtime,
    app_id: str,
    actor: Actor,
    guid: str,
    request: PageRequest,
    cursor: TimeCursor | None,
) -> Page[BanView]:
    """Return a page of the users who are banned from a group, newest first.

    Raises:
        UidNotFound, FeatureRestricted: the acting user does not exist, or their role forbids
            it.
        GuidNotFound, BannedMember, GroupNotJoined, NoModeratorScope: the acting user may not list
            the bans of the group.
    """

    async def within(snapshot: Snapshot) -> Page[BanView]:
        person = await access_actor(snapshot, actor)
        group = (await access_group_to_moderate(snapshot, person, guid)).group
        bans, total = await store.list_bans(snapshot, group.conversation, request, cursor)
        users = await _view_by_uid(snapshot, actor, [each.uid for each in bans])
        views = [BanView(each, users[each.uid]) for each in bans if each.uid in users]
        positions = [(each.banned_at, each.uid) for each in bans]
        return Page(views, total, request, next_cursor(positions, cursor))

    return await runtime.database.read(app_id, within, user=actor.uid)


async def _view_by_uid(
    snapshot: Snapshot, actor: Actor, uids: Sequence[str]
) -> dict[str, UserView]:
    """Return the views of users for the acting user, by uid."""
    users = await find_users(snapshot, uids)
    views = await view_users(snapshot, actor.uid, list(users.values()))
    return {view.user.uid: view for view in views}

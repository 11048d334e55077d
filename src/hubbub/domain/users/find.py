"""Find users: one by uid, or a page of a list."""

from collections.abc import Sequence
from dataclasses import replace

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.people import access_actor, access_user_to_see
from hubbub.domain.access.permissions import check_verb
from hubbub.domain.views.users import UserView, view_users
from hubbub.kernel.pages import Page, PageRequest, next_cursor
from hubbub.records.friends.store import list_friends_of
from hubbub.records.users import listing
from hubbub.records.users.listing import UserFilter
from hubbub.records.users.model import Person, User
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot


async def get_user(runtime: Runtime, app_id: str, actor: Actor, uid: str) -> UserView:
    """Return the user with a uid, as the acting user sees them.

    Raises:
        UidNotFound: the user does not exist, or the acting user may not see them or does not exist.
        FeatureRestricted: the role of the acting user forbids it.
    """

    async def within(snapshot: Snapshot) -> UserView:
        person = await access_actor(snapshot, actor)
        user = await access_user_to_see(snapshot, person, uid)
        (view,) = await view_users(snapshot, actor.uid, [user])
        return view

    return await runtime.database.read(app_id, within, user=actor.uid)


async def list_users(
    runtime: Runtime, app_id: str, actor: Actor, wanted: UserFilter, request: PageRequest
) -> Page[UserView]:
    """Return a page of the users that `wanted` describes, newest change first.

    Raises:
        UidNotFound, FeatureRestricted, RoleForbids: the acting user does not exist, or their
            role forbids it.
    """

    async def within(snapshot: Snapshot) -> Page[UserView]:
        person = await access_actor(snapshot, actor)
        check_verb(person.rules, "listUsers")
        shown = await _restrict_filter(snapshot, person, wanted) if actor.uid else wanted
        users, total = await listing.list_users(snapshot, shown, request)
        views = await view_users(snapshot, actor.uid, users)
        return Page(views, total, request, next_cursor(positions_of(users), wanted.cursor))

    return await runtime.database.read(app_id, within, user=actor.uid)


async def _restrict_filter(snapshot: Snapshot, person: Person, wanted: UserFilter) -> UserFilter:
    """Return the filter narrowed to what users, and the role of this one, may list."""
    wanted = replace(wanted, only_deactivated=False, with_deactivated=False)
    allowed = person.rules.listed("listUsers.allowedRoles")
    if allowed:
        roles = sorted(allowed & set(wanted.roles) if wanted.roles else allowed)
        wanted = replace(wanted, roles=roles, among=wanted.among if roles else ())
    if person.rules.lists_friends_only and wanted.among is None:
        wanted = replace(wanted, among=await list_friends_of(snapshot, person.user.uid))
    return wanted


def positions_of(users: Sequence[User]) -> list[tuple[int, str]]:
    """Return the positions of users in a list that is ordered by change."""
    return [(user.touched_at, user.uid) for user in users]

"""Find users: one by uid, or a page of a list."""

from collections.abc import Sequence
from dataclasses import replace

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.people import access_actor, access_user_to_see
from hubbub.domain.access.permissions import refuse_verb
from hubbub.domain.views.users import UserView, view_users
from hubbub.kernel.pages import Page, PageRequest, next_cursor
from hubbub.records.friends.store import list_friends_of
from hubbub.records.users import listing
from hubbub.records.users.listing import UserFilter
from hubbub.records.users.model import Person, User
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot


async def get_user(runtime: Runtime, app_id: str, actor: Actor, uid: str) -> UserView:
    """The user of that uid, as the acting user sees him.

    Raises:
        UidNotFound: there is none, or none that the acting user may see; or the acting user does
            not exist.
        FeatureRestricted: the acting user's role may not.
    """

    async def within(snapshot: Snapshot) -> UserView:
        person = await access_actor(snapshot, actor)
        user = await access_user_to_see(snapshot, person, uid)
        (seen,) = await view_users(snapshot, actor.uid, [user])
        return seen

    return await runtime.database.read(app_id, within)


async def list_users(
    runtime: Runtime, app_id: str, actor: Actor, wanted: UserFilter, request: PageRequest
) -> Page[UserView]:
    """A page of the users that `wanted` describes, newest change first.

    Raises:
        UidNotFound, FeatureRestricted, RoleForbids: the acting user does not exist, or his role
            may not.
    """

    async def within(snapshot: Snapshot) -> Page[UserView]:
        person = await access_actor(snapshot, actor)
        refusal = refuse_verb(person.rules, "listUsers")
        if refusal is not None:
            raise refusal
        shown = await _shown_to(snapshot, person, wanted) if actor.uid else wanted
        users, total = await listing.list_users(snapshot, shown, request)
        seen = await view_users(snapshot, actor.uid, users)
        return Page(seen, total, request, next_cursor(places_of(users), wanted.cursor))

    return await runtime.database.read(app_id, within)


async def _shown_to(snapshot: Snapshot, person: Person, wanted: UserFilter) -> UserFilter:
    """What is asked for, as far as people, and the person's role, are shown it in lists."""
    wanted = replace(wanted, only_deactivated=False, with_deactivated=False)
    allowed = person.rules.listed("listUsers.allowedRoles")
    if allowed:
        roles = sorted(allowed & set(wanted.roles) if wanted.roles else allowed)
        wanted = replace(wanted, roles=roles, among=wanted.among if roles else ())
    if person.rules.lists_friends_only and wanted.among is None:
        wanted = replace(wanted, among=await list_friends_of(snapshot, person.user.uid))
    return wanted


def places_of(users: Sequence[User]) -> list[tuple[int, str]]:
    """Where users stand in a list that is ordered by change."""
    return [(user.touched_at, user.uid) for user in users]

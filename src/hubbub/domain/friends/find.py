"""Find the friends of a user."""

from dataclasses import replace

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.people import access_own
from hubbub.domain.users.find import positions_of
from hubbub.domain.views.users import UserView, view_users
from hubbub.kernel.pages import Page, PageRequest, next_cursor
from hubbub.records.friends.store import list_friends_of
from hubbub.records.users import listing
from hubbub.records.users.listing import UserFilter
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot


async def list_friends(
    runtime: Runtime,
    app_id: str,
    actor: Actor,
    uid: str,
    wanted: UserFilter,
    request: PageRequest,
) -> Page[UserView]:
    """Return a page of the friends of a user that `wanted` describes, newest change first.

    Raises:
        UidNotFound: the user does not exist or is deactivated.
        NotOwnUser: another user acts.
    """

    async def within(snapshot: Snapshot) -> Page[UserView]:
        await access_own(snapshot, actor, uid)
        friends = replace(wanted, among=await list_friends_of(snapshot, uid))
        users, total = await listing.list_users(snapshot, friends, request)
        views = await view_users(snapshot, actor.uid, users)
        return Page(views, total, request, next_cursor(positions_of(users), wanted.cursor))

    return await runtime.database.read(app_id, within, user=actor.uid)

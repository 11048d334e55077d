"""List the users that a user has blocked."""

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.people import access_own
from hubbub.domain.views.users import UserView, view_users
from hubbub.kernel.pages import Page, PageRequest, TimeCursor, next_cursor
from hubbub.records.blocks import store
from hubbub.records.users.store import find_users
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot


async def list_blocked(
    runtime: Runtime,
    app_id: str,
    actor: Actor,
    uid: str,
    request: PageRequest,
    cursor: TimeCursor | None,
) -> Page[UserView]:
    """Return a page of the active users that a user has blocked, newest block first.

    Raises:
        UidNotFound, FeatureRestricted: the user does not exist, or their role forbids it.
        NotOwnUser: another user acts.
    """

    async def within(snapshot: Snapshot) -> Page[UserView]:
        await access_own(snapshot, actor, uid)
        blocks, total = await store.list_blocks(snapshot, uid, request, cursor)
        users = await find_users(snapshot, [each.blocked for each in blocks])
        views = await view_users(snapshot, uid, [users[each.blocked] for each in blocks])
        positions = [(each.blocked_at, each.blocked) for each in blocks]
        return Page(views, total, request, next_cursor(positions, cursor))

    return await runtime.database.read(app_id, within, user=actor.uid)

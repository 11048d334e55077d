"""Find whom a user has blocked."""

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
    """A page of the active users whom a user has blocked, as he sees them, newest block first.

    Raises:
        UidNotFound, FeatureRestricted: there is no such user, or his role may not.
        NotOwnUser: another user acts.
    """

    async def within(snapshot: Snapshot) -> Page[UserView]:
        await access_own(snapshot, actor, uid)
        blocks, total = await store.list_blocks(snapshot, uid, request, cursor)
        users = await find_users(snapshot, [each.blocked for each in blocks])
        seen = await view_users(snapshot, uid, [users[each.blocked] for each in blocks])
        places = [(each.blocked_at, each.blocked) for each in blocks]
        return Page(seen, total, request, next_cursor(places, cursor))

    return await runtime.database.read(app_id, within)

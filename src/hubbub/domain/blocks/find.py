"""Find whom a user has blocked."""

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.people import access_own
from hubbub.domain.views.users import SeenUser, see_users
from hubbub.kernel.pages import Page, PageRequest, TimeCursor, next_place
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
) -> Page[SeenUser]:
    """A page of the active users whom a user has blocked, as he sees them, newest block first.

    Raises:
        UidNotFound, FeatureRestricted: there is no such user, or his role may not.
        NotHisOwn: another user acts.
    """

    async def within(snapshot: Snapshot) -> Page[SeenUser]:
        await access_own(snapshot, actor, uid)
        blocks, total = await store.list_blocks(snapshot, uid, request, cursor)
        users = await find_users(snapshot, [each.blocked for each in blocks])
        seen = await see_users(snapshot, uid, [users[each.blocked] for each in blocks])
        places = [(each.blocked_at, each.blocked) for each in blocks]
        return Page(seen, total, request, next_place(places, cursor))

    return await runtime.database.read(app_id, within)

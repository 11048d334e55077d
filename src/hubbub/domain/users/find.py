"""Find users: one by uid, or a page of a list."""

from hubbub.domain.access.actor import Actor
from hubbub.domain.access.people import access_actor, access_user
from hubbub.domain.users import store
from hubbub.domain.users.model import User
from hubbub.domain.users.store import UserFilter
from hubbub.kernel.pages import Page, PageRequest, TimeCursor
from hubbub.runtime import Runtime
from hubbub.storage.interface import Snapshot


async def get_user(runtime: Runtime, app_id: str, actor: Actor, uid: str) -> User:
    """The user of that uid.

    Raises:
        UidNotFound: there is none, or he (or the acting user) is deactivated.
    """

    async def within(snapshot: Snapshot) -> User:
        await access_actor(snapshot, actor)
        return await access_user(snapshot, uid)

    return await runtime.database.read(app_id, within)


async def list_users(
    runtime: Runtime, app_id: str, actor: Actor, wanted: UserFilter, request: PageRequest
) -> Page[User]:
    """A page of the users that `wanted` describes, newest change first.

    Raises:
        UidNotFound: the acting user does not exist.
    """

    async def within(snapshot: Snapshot) -> Page[User]:
        await access_actor(snapshot, actor)
        users, total = await store.list_users(snapshot, wanted, request)
        return Page(users, total, request, _cursor(users))

    return await runtime.database.read(app_id, within)


def _cursor(users: list[User]) -> TimeCursor | None:
    if not users:
        return None
    last = users[-1]
    return TimeCursor(last.updated_at or last.created_at, last.uid, is_before=True)
